internal import COTPKernels

extension HMACKey {
  /// How many values are worked out at a time. They wait on the stack and are wiped.
  private static var scanCapacity: Int { 32 }

  /// Hands the truncated values of `count` consecutive counters to `body`, in order, with their place.
  ///
  /// Every value is computed, whatever `body` makes of the ones before it. Nothing is allocated on the heap but what
  /// OpenSSL allocates itself, with the backend `evp`.
  ///
  /// Timing: depends on `count` alone, if `body` takes a constant time.
  func scanTruncatedValues(
    from first: UInt64, count: Int, _ body: (_ index: Int, _ value: UInt32) -> Void
  ) throws(OTPError) {
    let capacity = min(count, HMACKey.scanCapacity)
    try unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: capacity) { (values) throws(OTPError) in
      unsafe values.initialize(repeating: 0)
      defer { unsafe otp_wipe_inline(values.baseAddress, values.count * MemoryLayout<UInt32>.stride) }
      var done = 0
      while done < count {
        let part = unsafe UnsafeMutableBufferPointer(rebasing: values[..<min(capacity, count - done)])
        try unsafe writeTruncatedValues(from: first &+ UInt64(done), to: part)
        for index in part.indices { unsafe body(done + index, part[index]) }
        done += part.count
      }
    }
  }

  /// The truncated value of one counter.
  func truncatedValue(of counter: UInt64) throws(OTPError) -> UInt32 {
    var result: UInt32 = 0
    try scanTruncatedValues(from: counter, count: 1) { _, value in result = value }
    return result
  }
}
