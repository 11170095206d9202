extension HOTP {
  /// The codes of consecutive counters, in order.
  ///
  /// - Parameter counters: The counters, at most 16,777,216 of them.
  /// - Throws: `OTPError` with code `tooManyCodes` or `cryptographyFailed`.
  ///
  /// Timing: depends only on the number of counters.
  public func codes(counters: ClosedRange<UInt64>) throws(OTPError) -> [OTPCode] {
    try key.codes(counters: counters, digits: digits)
  }

  /// Appends the codes of consecutive counters, in order, to the caller's memory. It allocates nothing (except, with
  /// the backend `evp`, what OpenSSL allocates).
  ///
  /// - Parameters:
  ///   - counters: The counters, at most as many as there is room for.
  ///   - output: Receives the codes. It is unchanged after an error.
  /// - Throws: `OTPError` with code `outputTooShort`, before any work, or `cryptographyFailed`.
  ///
  /// Timing: depends only on the number of counters.
  public func codes(
    counters: ClosedRange<UInt64>, into output: inout OutputSpan<OTPCode>
  ) throws(OTPError) {
    try key.codes(counters: counters, digits: digits, into: &output)
  }
}

extension TOTP {
  /// The codes of consecutive steps, in order. See ``HOTP/codes(counters:)``.
  public func codes(steps: ClosedRange<UInt64>) throws(OTPError) -> [OTPCode] {
    try key.codes(counters: steps, digits: digits)
  }

  /// Appends the codes of consecutive steps to the caller's memory. See ``HOTP/codes(counters:into:)``.
  public func codes(
    steps: ClosedRange<UInt64>, into output: inout OutputSpan<OTPCode>
  ) throws(OTPError) {
    try key.codes(counters: steps, digits: digits, into: &output)
  }
}

extension HMACKey {
  /// The most codes that are made at once.
  private static var codeLimit: UInt64 { 1 << 24 }

  fileprivate func codes(counters: ClosedRange<UInt64>, digits: OTPCode.Digits) throws(OTPError) -> [OTPCode] {
    guard counters.upperBound - counters.lowerBound < HMACKey.codeLimit else { throw OTPError(.tooManyCodes) }
    let count = Int(counters.upperBound - counters.lowerBound) + 1
    var codes = [OTPCode](repeating: OTPCode(truncatedValue: 0, digits: digits), count: count)
    try unsafe codes.withUnsafeMutableBufferPointer { (codes) throws(OTPError) in
      try unsafe writeCodes(from: counters.lowerBound, digits: digits, to: codes)
    }
    return codes
  }

  fileprivate func codes(
    counters: ClosedRange<UInt64>, digits: OTPCode.Digits, into output: inout OutputSpan<OTPCode>
  ) throws(OTPError) {
    guard counters.upperBound - counters.lowerBound < UInt64(output.freeCapacity) else {
      throw OTPError(.outputTooShort)
    }
    let count = Int(counters.upperBound - counters.lowerBound) + 1
    try unsafe output.withUnsafeMutableBufferPointer { (output, initializedCount) throws(OTPError) in
      let free = unsafe UnsafeMutableBufferPointer(rebasing: output[initializedCount..<initializedCount + count])
      try unsafe writeCodes(from: counters.lowerBound, digits: digits, to: free)
      initializedCount += count
    }
  }

  /// Initializes every element of `output`, or throws.
  private func writeCodes(
    from first: UInt64, digits: OTPCode.Digits, to output: UnsafeMutableBufferPointer<OTPCode>
  ) throws(OTPError) {
    try withMaterial { (material) throws(OTPError) in
      try material.scanTruncatedValues(from: first, count: output.count) { index, value in
        unsafe output.initializeElement(at: index, to: OTPCode(truncatedValue: value, digits: digits))
      }
    }
  }
}
