extension HOTP {
  /// Resynchronizes a token that has run ahead, by two or three consecutive codes (RFC 4226, section 7.4 and Appendix
  /// E.3).
  ///
  /// A wide search for only one code would make guessing easy. Several consecutive codes match by chance only as rarely
  /// as a guess of all their digits.
  ///
  /// - Parameters:
  ///   - first: The first code, as typed.
  ///   - second: The code after it.
  ///   - third: The code after that, or `nil` to use only two.
  ///   - counter: The stored next counter. No counter before it matches.
  ///   - lookAhead: How far after `counter` the first code may be, 0...1000.
  /// - Returns: `.accepted` with the counter of the last code given; store ``Verification/nextCounter``. Otherwise
  ///   `.rejected`. Of several matches, the earliest counts.
  /// - Throws: `OTPError` with code `invalidLookAhead`, `mismatchedDigits` or `cryptographyFailed`.
  ///
  /// Timing: depends only on the look-ahead, on how many counters are left before 2^64, and on the number of codes.
  public func resynchronize(
    _ first: SubmittedCode, _ second: SubmittedCode, _ third: SubmittedCode? = nil, counter: UInt64,
    lookAhead: Int = 100
  ) throws(OTPError) -> Verification {
    try key.withMaterial { (material) throws(OTPError) in
      try HOTP.resynchronize(
        first, second, third, digits: digits, counter: counter, lookAhead: lookAhead, with: material)
    }
  }

  /// The same with a borrowed key, which the caller keeps alive.
  package static func resynchronize(
    _ first: SubmittedCode, _ second: SubmittedCode, _ third: SubmittedCode?, digits: OTPCode.Digits, counter: UInt64,
    lookAhead: Int, with material: KeyMaterial
  ) throws(OTPError) -> Verification {
    try check(lookAhead: lookAhead)
    var scan = try RunScan(first, second, third, digits: digits)
    let count = counterCount(from: counter, lookAhead: lookAhead + scan.followers)
    try material.scanTruncatedValues(from: counter, count: count) { index, value in
      scan.record(value, at: index, isLive: true)
    }
    guard case .live(let index) = scan.outcome else { return .rejected }
    return .accepted(movingFactor: counter + UInt64(index), offset: index)
  }
}
