extension HOTP {
  /// The limits of a look-ahead, in counters.
  static var lookAheadLimits: ClosedRange<Int> { 0...1000 }

  /// Verifies a submitted code against the expected counter and a few after it (RFC 4226, section 7.4).
  ///
  /// All counters are computed whatever the code is; the earliest match is accepted. A counter before `counter` never
  /// matches.
  ///
  /// - Parameters:
  ///   - code: The submitted code, read with this verifier's number of digits.
  ///   - counter: The stored next counter. After an acceptance, store ``Verification/nextCounter``.
  ///   - lookAhead: How many counters after `counter` to accept, 0...1000, for codes that were generated and not used.
  ///     Each one is one more code that a guess can hit.
  /// - Returns: `.accepted` or `.rejected`.
  /// - Throws: `OTPError` with code `invalidLookAhead`, `mismatchedDigits` or `cryptographyFailed`.
  ///
  /// Timing: depends only on the look-ahead and on how many counters are left before 2^64.
  public func verify(
    _ code: SubmittedCode, counter: UInt64, lookAhead: Int = 10
  ) throws(OTPError) -> Verification {
    let task = try VerificationTask(code, digits: digits, counter: counter, lookAhead: lookAhead)
    return try key.withMaterial { (material) throws(OTPError) in try task.run(with: material) }
  }

  /// Verifies a code given as text; `.rejected` if it is not well-formed.
  ///
  /// Otherwise like ``verify(_:counter:lookAhead:)-(SubmittedCode,_,_)``, which describes the parameters.
  ///
  /// - Throws: `OTPError` with code `invalidLookAhead` or `cryptographyFailed`.
  ///
  /// Timing: a malformed text is rejected at once, which reveals nothing that its sender does not know. Otherwise as
  /// for a `SubmittedCode`.
  @inlinable public func verify(
    _ code: some StringProtocol, counter: UInt64, lookAhead: Int = 10
  ) throws(OTPError) -> Verification {
    try HOTP.check(lookAhead: lookAhead)
    guard let code = try? SubmittedCode(code, digits: digits) else { return .rejected }
    return try verify(code, counter: counter, lookAhead: lookAhead)
  }

  /// - Throws: `OTPError` with code `invalidLookAhead`.
  @usableFromInline package static func check(lookAhead: Int) throws(OTPError) {
    guard lookAheadLimits.contains(lookAhead) else { throw OTPError(.invalidLookAhead) }
  }

  /// How many counters a look-ahead covers. It ends at 2^64-1; nothing wraps.
  static func counterCount(from counter: UInt64, lookAhead: Int) -> Int {
    Int(min(.max - counter, UInt64(lookAhead))) + 1
  }
}

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
