internal import COTPSupport

/// Where a prepared key lies and how to compute with it: a loan from whoever keeps it alive.
///
/// It owns nothing, so that a verifier copies it at no cost.
@unsafe enum KeyMaterial: @unchecked Sendable {
  case evp(EVPHandle)
  case midstates(MidstateEngine, UnsafePointer<otp_midstates>)

  /// Writes the tag of a message of any length: as many bytes as the algorithm's tag has.
  func writeTag(of message: Span<UInt8>, to tag: UnsafeMutableBufferPointer<UInt8>) throws(OTPError) {
    switch unsafe self {
    case .evp(let handle): try unsafe handle.writeTag(of: message, to: tag)
    case .midstates(let engine, let midstates): unsafe engine.writeTag(of: message, midstates, to: tag)
    }
  }

  /// Writes the truncated HMAC values of consecutive counters (RFC 4226, section 5.3), one for each place of `output`.
  /// After 2^64-1 comes 0.
  ///
  /// Timing: depends on the number of counters alone.
  func writeTruncatedValues(from first: UInt64, to output: UnsafeMutableBufferPointer<UInt32>) throws(OTPError) {
    switch unsafe self {
    case .evp(let handle): try unsafe handle.writeTruncatedValues(from: first, to: output)
    case .midstates(let engine, let midstates): unsafe engine.writeTruncatedValues(midstates, from: first, to: output)
    }
  }

  /// How many values are worked out at a time. They wait on the stack and are wiped.
  private static var scanCapacity: Int { 128 }

  /// Hands the truncated values of `count` consecutive counters to `body`, in order, with their place.
  ///
  /// Every value is computed, whatever `body` makes of the ones before it. Nothing is allocated on the heap but what
  /// OpenSSL allocates itself, with the backend `evp`.
  ///
  /// Timing: depends on `count` alone, if `body` takes a constant time.
  func scanTruncatedValues(
    from first: UInt64, count: Int, _ body: (_ index: Int, _ value: UInt32) -> Void
  ) throws(OTPError) {
    let capacity = unsafe min(count, KeyMaterial.scanCapacity)
    try unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: capacity) { (values) throws(OTPError) in
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
}
