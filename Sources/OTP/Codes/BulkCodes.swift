extension HOTP {
  /// The codes of consecutive counters, in order.
  ///
  /// - Parameter counters: The first and the last counter, at most 16,777,216 in all.
  /// - Throws: `OTPError` with code `tooManyCodes` or `cryptographyFailed`.
  ///
  /// Timing: depends on the number of counters alone.
  public func codes(counters: ClosedRange<UInt64>) throws(OTPError) -> [OTPCode] {
    try key.codes(counters: counters, digits: digits)
  }

  /// Appends the codes of consecutive counters, in order, to memory of the caller's. Nothing is allocated on one thread
  /// (but what OpenSSL allocates, with the backend `evp`).
  ///
  /// - Parameters:
  ///   - counters: The first and the last counter, at most as many as there is room for.
  ///   - output: Where the codes are appended. On an error it stays as it was.
  ///   - threads: How many threads share the work, 1...256. The call returns when all are done.
  /// - Throws: `OTPError` with code `outputTooShort` or `invalidThreadCount`, before any work, or `cryptographyFailed`.
  ///
  /// Timing: depends on the number of counters and of threads alone.
  public func codes(
    counters: ClosedRange<UInt64>, into output: inout OutputSpan<OTPCode>, threads: Int = 1
  ) throws(OTPError) {
    try key.codes(counters: counters, digits: digits, into: &output, threads: threads)
  }
}

extension TOTP {
  /// The codes of consecutive steps, in order. See ``HOTP/codes(counters:)``.
  public func codes(steps: ClosedRange<UInt64>) throws(OTPError) -> [OTPCode] {
    try key.codes(counters: steps, digits: digits)
  }

  /// Appends the codes of consecutive steps to memory of the caller's. See ``HOTP/codes(counters:into:threads:)``.
  public func codes(
    steps: ClosedRange<UInt64>, into output: inout OutputSpan<OTPCode>, threads: Int = 1
  ) throws(OTPError) {
    try key.codes(counters: steps, digits: digits, into: &output, threads: threads)
  }
}

extension HMACKey {
  /// The most codes in an array that the engine makes.
  private static var codeLimit: UInt64 { 1 << 24 }

  fileprivate func codes(counters: ClosedRange<UInt64>, digits: OTPCode.Digits) throws(OTPError) -> [OTPCode] {
    guard counters.upperBound - counters.lowerBound < HMACKey.codeLimit else { throw OTPError(.tooManyCodes) }
    let count = Int(counters.upperBound - counters.lowerBound) + 1
    var codes = [OTPCode](repeating: OTPCode(truncatedValue: 0, digits: digits), count: count)
    try unsafe codes.withUnsafeMutableBufferPointer { (codes) throws(OTPError) in
      try unsafe writeCodes(from: counters.lowerBound, digits: digits, to: codes, threads: 1)
    }
    return codes
  }

  fileprivate func codes(
    counters: ClosedRange<UInt64>, digits: OTPCode.Digits, into output: inout OutputSpan<OTPCode>, threads: Int
  ) throws(OTPError) {
    guard counters.upperBound - counters.lowerBound < UInt64(output.freeCapacity) else {
      throw OTPError(.outputTooShort)
    }
    let count = Int(counters.upperBound - counters.lowerBound) + 1
    try unsafe output.withUnsafeMutableBufferPointer { (output, initializedCount) throws(OTPError) in
      let free = unsafe UnsafeMutableBufferPointer(rebasing: output[initializedCount..<initializedCount + count])
      try unsafe writeCodes(from: counters.lowerBound, digits: digits, to: free, threads: threads)
      initializedCount += count
    }
  }

  /// Initializes every place of `output`, or throws.
  private func writeCodes(
    from first: UInt64, digits: OTPCode.Digits, to output: UnsafeMutableBufferPointer<OTPCode>, threads: Int
  ) throws(OTPError) {
    guard let base = output.baseAddress else { return }
    let isDone = try inParallel(count: output.count, threads: threads) { part in
      do throws(OTPError) {
        try unsafe withMaterial { (material) throws(OTPError) in
          try unsafe material.scanTruncatedValues(from: first &+ UInt64(part.lowerBound), count: part.count) {
            index, value in
            unsafe (base + part.lowerBound + index).initialize(to: OTPCode(truncatedValue: value, digits: digits))
          }
        }
        return true
      } catch {
        return false
      }
    }
    if !isDone { throw OTPError(.cryptographyFailed) }
  }
}
