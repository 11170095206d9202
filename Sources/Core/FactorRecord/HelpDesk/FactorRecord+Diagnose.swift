import OTP

extension FactorRecord {
  /// What explains a code that does not confirm an enrollment: how the user's app computes codes instead.
  ///
  /// Codes are short, so this may be an accident: ``odds`` say how likely one is.
  public struct Diagnosis: Sendable, Hashable {
    /// The hash function with which the app computes.
    public let algorithm: HashAlgorithm
    /// How many digits the app shows.
    public let digits: OTPCode.Digits
    /// TOTP: the length of the app's steps, in seconds.
    public let period: Int64
    /// TOTP: how far the app's clock is ahead, in seconds, negative if it is late; a multiple of the period.
    public let clockOffset: Int64
    /// HOTP: how far the token's counter is ahead.
    public let counterOffset: Int
    /// About one in this many wrong codes is explained like this, by accident. Under 1,000, ask for the next code
    /// before you act on it.
    public let odds: Int
    /// The record's own parameters.
    let expected: Parameters

    static func isGuess(_ odds: Int) -> Bool { odds < 1_000 }
  }

  /// How codes are computed.
  struct Parameters: Sendable, Hashable {
    let algorithm: HashAlgorithm
    let digits: OTPCode.Digits
    let period: Int64

    init(_ secret: FactorSecret) {
      algorithm = secret.algorithm
      digits = secret.digits
      period = secret.timeStep.period
    }
  }

  /// Explains a code that does not confirm an enrollment, for the host or its operator, never for the client.
  ///
  /// The code is looked for with all three hash functions; TOTP also with periods of 30 and 60 seconds, and up to 12
  /// hours of clock error either way; HOTP up to 1,000 counters ahead. That is at most 13,500 codes, about half a
  /// millisecond; with another period under 30 seconds, 1,450 steps either way. The secret is new, and nothing is at
  /// stake yet; so an active record is refused.
  ///
  /// - Parameters:
  ///   - typed: What the user typed: a code of 6 to 8 digits.
  ///   - unixTime: The server's time, in seconds since 1970.
  /// - Returns: The likeliest explanation, or `nil` if there is none, which means that the secret is another one, or
  ///   the code was mistyped.
  /// - Throws: ``FactorRecordError`` with `notPending`, `anotherKind`, `invalidTime` or `cryptographyFailed`.
  ///
  /// Timing: depends on what explains the code.
  public func diagnose(_ typed: String, at unixTime: Int64) throws(FactorRecordError) -> Diagnosis? {
    try withUTF8(of: typed) { (typed) throws(FactorRecordError) in try diagnose(typedUTF8: typed, at: unixTime) }
  }

  /// The same for text given as UTF-8.
  package func diagnose(
    typedUTF8 typed: Span<UInt8>, at unixTime: Int64
  ) throws(FactorRecordError) -> Diagnosis? {
    _ = try Milliseconds.of(unixTime)
    guard let secret else { throw FactorRecordError(.anotherKind) }
    guard isPending else { throw FactorRecordError(.notPending) }
    guard let code = Self.code(typed) else { return nil }
    do throws(OTPError) {
      return try search(for: code, secret, at: unixTime, within: 12 * 3600).map { Diagnosis($0, secret) }
    } catch {
      throw FactorRecordError(.cryptographyFailed)
    }
  }
}

// The search that explains a code.
extension FactorRecord {
  /// A step or counter whose code was typed, and how an app computes it.
  struct Found {
    let algorithm: HashAlgorithm
    let digits: OTPCode.Digits
    let period: Int64
    /// The step or counter.
    let movingFactor: UInt64
    /// How many steps it is after the current one, or how many counters after the next expected one.
    let offset: Int64
    /// How many codes were compared up to here.
    let comparedCount: Int

    /// About one in this many wrong codes is found by accident.
    var odds: Int { (0..<digits.rawValue).reduce(1) { product, _ in product * 10 } / max(1, comparedCount) }
  }

  /// The typed code, of 6 to 8 digits.
  static func code(_ typed: Span<UInt8>) -> SubmittedCode? {
    for count in 6...8 {
      guard let digits = OTPCode.Digits(rawValue: count) else { continue }
      if let code = try? SubmittedCode(typedUTF8: typed, digits: digits) { return code }
    }
    return nil
  }

  /// Looks for a code nearby, computed in every way in which apps do.
  ///
  /// - Parameter seconds: How far the clock can be off, either way.
  func search(
    for code: SubmittedCode, _ secret: FactorSecret, at unixTime: Int64, within seconds: Int64
  ) throws(OTPError) -> Found? {
    secret.isTimeBased
      ? try Self.searchSteps(code, secret, at: unixTime, within: seconds)
      : try Self.searchCounters(code, secret, from: nextCounter ?? .max)
  }

  /// Looks for a TOTP code: first near the server's time with each hash and period, since an app that ignores a
  /// parameter is likelier than a clock that is hours off; then farther and farther away.
  private static func searchSteps(
    _ code: SubmittedCode, _ secret: FactorSecret, at unixTime: Int64, within seconds: Int64
  ) throws(OTPError) -> Found? {
    let window = try VerificationWindow.adjacent(10)
    var totps: [TOTP] = []
    for algorithm in algorithms(first: secret.algorithm) {
      let key = try HMACKey(secret.secret, algorithm: algorithm)
      for period in periods(first: secret.timeStep.period) {
        let timeStep = try TimeStep(period: period, t0: secret.timeStep.t0)
        totps.append(TOTP(key: key, digits: code.digits, timeStep: timeStep))
      }
    }
    var distance: Int64 = 0
    var comparedCount = 0
    while distance - 10 <= seconds / 30 {
      for totp in totps {
        for sign in distance == 0 ? [1] : [-1, 1] as [Int64] {
          let period = totp.timeStep.period
          guard distance - 10 <= seconds / period else { continue }
          let shift = (sign * distance).multipliedReportingOverflow(by: period)
          let time = unixTime.addingReportingOverflow(shift.partialValue)
          guard !shift.overflow, !time.overflow, time.partialValue >= totp.timeStep.t0 else { continue }
          comparedCount += 21
          guard
            case .accepted(let step, let offset) = try totp.verify(
              code, at: time.partialValue, window: window, after: nil)
          else { continue }
          return Found(
            algorithm: totp.key.algorithm, digits: code.digits, period: period, movingFactor: step,
            offset: sign * distance + Int64(offset), comparedCount: comparedCount)
        }
      }
      distance += 21
    }
    return nil
  }

  /// Looks for an HOTP code among the next 1,000 counters with each hash.
  private static func searchCounters(
    _ code: SubmittedCode, _ secret: FactorSecret, from counter: UInt64
  ) throws(OTPError) -> Found? {
    var comparedCount = 0
    for algorithm in algorithms(first: secret.algorithm) {
      let hotp = try HOTP(secret: secret.secret, algorithm: algorithm, digits: code.digits)
      if case .accepted(let found, let offset) = try hotp.verify(code, counter: counter, lookAhead: 1000) {
        return Found(
          algorithm: algorithm, digits: code.digits, period: secret.timeStep.period, movingFactor: found,
          offset: Int64(offset), comparedCount: comparedCount + offset + 1)
      }
      comparedCount += 1001
    }
    return nil
  }

  private static func algorithms(first: HashAlgorithm) -> [HashAlgorithm] {
    [first] + HashAlgorithm.allCases.filter { $0 != first }
  }

  private static func periods(first: Int64) -> [Int64] { [first] + [30, 60].filter { $0 != first } }
}

extension FactorRecord.Diagnosis {
  /// A step more or less is the time that it takes to type.
  init(_ found: FactorRecord.Found, _ secret: FactorSecret) {
    self.init(
      algorithm: found.algorithm, digits: found.digits, period: found.period,
      clockOffset: !secret.isTimeBased || -1...1 ~= found.offset ? 0 : found.offset &* found.period,
      counterOffset: secret.isTimeBased ? 0 : Int(found.offset), odds: found.odds,
      expected: FactorRecord.Parameters(secret))
  }
}

extension FactorRecord.Diagnosis: CustomStringConvertible {
  /// What is different, such as `the app computes SHA1 instead of SHA256; the app's clock is 3 min 30 s late`, after
  /// `perhaps` if ``odds`` are under 1,000. It contains neither code nor secret.
  public var description: String {
    var parts: [String] = []
    if algorithm != expected.algorithm {
      parts.append("the app computes \(algorithm.name) instead of \(expected.algorithm.name)")
    }
    if digits != expected.digits {
      parts.append("the app shows \(digits.rawValue) digits instead of \(expected.digits.rawValue)")
    }
    if period != expected.period {
      parts.append("the app's steps have \(period) s instead of \(expected.period) s")
    }
    if clockOffset != 0 {
      parts.append("the app's clock is \(Self.duration(clockOffset)) \(clockOffset < 0 ? "late" : "early")")
    }
    if counterOffset != 0 { parts.append("the token is \(counterOffset) codes ahead") }
    // The code is right: it was typed late, or again.
    if parts.isEmpty { return "the code is right" }
    return parts.dropFirst().reduce((Self.isGuess(odds) ? "perhaps " : "") + parts[0]) { "\($0); \($1)" }
  }

  private static func duration(_ offset: Int64) -> String {
    let seconds = offset.magnitude
    var text = ""
    for (count, unit) in [(seconds / 3600, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")] where count > 0 {
      text += "\(text.utf8.isEmpty ? "" : " ")\(count) \(unit)"
    }
    return text
  }
}
