internal import COTPKernels

/// Whether two arrays hold the same bytes.
///
/// Timing: depends on their sizes alone.
func equalInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  guard left.count == right.count, !left.isEmpty else { return left.count == right.count }
  return unsafe left.withUnsafeBufferPointer { left in
    unsafe right.withUnsafeBufferPointer { right in
      guard let leftBase = left.baseAddress, let rightBase = right.baseAddress else { return false }
      return unsafe otp_equal(leftBase, rightBase, left.count) == 1
    }
  }
}
