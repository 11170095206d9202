import Foundation
import OTP

/// The kind of a second factor, by the text that claims and audit events have for it.
enum FactorKind: String, Sendable, Hashable, CaseIterable {
  /// Codes by time (RFC 6238).
  case totp
  /// Codes by counter (RFC 4226).
  case hotp
  /// Codes by text message.
  case phone
  /// Recovery codes, which stand in for a factor and are none.
  case recovery

  /// The kinds of which a user has factors.
  static let enrollable: Set<FactorKind> = [.totp, .hotp, .phone]
}

/// A second factor of a user.
struct Factor: Sendable, Equatable {
  /// What its codes are checked against.
  enum Content: Sendable, Equatable {
    case secret(FactorSecret)
    case phone(PhoneNumber)
  }

  /// The factor's name: random, unless another system has given it.
  let uid: String
  let content: Content
  /// What the user calls it.
  let displayName: String?
  let enrollmentDate: Date
  /// Until when the secret could be offered for enrolment; `nil` for a factor that was never offered so.
  var secretExpiry: Date?
  /// The step or counter accepted last: the next one accepted is above it.
  var lastAccepted: UInt64?
  /// How many steps the user's clock is ahead.
  var drift = Drift()
  var attempts = Attempts()

  var kind: FactorKind { content.kind }

  /// How many characters of a display name are kept.
  static let maximumNameCharacterCount = 100
  /// How many bytes of a display name are kept: one character can have any number of accents.
  static let maximumNameByteCount = 1024

  /// The most bytes that a factor's name can have.
  static let maximumUIDByteCount = 128

  /// Whether a text can be the name of a factor, or of what stands for recovery codes: up to 128 visible ASCII
  /// characters. One that cannot is looked for nowhere.
  static func isName(_ uid: String) -> Bool {
    let bytes = uid.utf8.prefix(maximumUIDByteCount + 1)
    return 1...maximumUIDByteCount ~= bytes.count && bytes.allSatisfy { (0x21...0x7E).contains($0) }
  }

  /// As much of a display name as is kept, cut between characters.
  static func keptName(_ displayName: String) -> String {
    var byteCount = 0
    // No more is looked at than could be kept: a scalar has a byte at least, and a name can have 10 MB.
    let start = String(String.UnicodeScalarView(displayName.unicodeScalars.prefix(maximumNameByteCount + 1)))
    let kept = start.prefix(maximumNameCharacterCount).prefix { character in
      byteCount += character.utf8.count
      return byteCount <= maximumNameByteCount
    }
    return String(kept)
  }
}

/// By how many steps the clock of a factor by time is ahead.
struct Drift: Sendable, Equatable {
  /// As codes in a row have found it.
  var found = 0
  /// As successes have taught since, beyond that.
  var learned = 0
}

/// A factor, or a set of recovery codes, that was bound to an account and is not any more: without its secret.
struct PastFactor: Sendable, Equatable {
  let uid: String
  let kind: FactorKind
  let enrollmentDate: Date
  let removalDate: Date

  /// How many are kept of one user, the latest: audit events have all.
  static let maximumCount = 100
}

extension PastFactor {
  /// A factor that is removed now.
  init(_ factor: Factor, until now: Date) {
    self.init(uid: factor.uid, kind: factor.kind, enrollmentDate: factor.enrollmentDate, removalDate: now)
  }
}

/// The secret of a factor by time or by counter, with its parameters.
struct FactorSecret: Sendable, Equatable {
  /// ``FactorKind/totp`` or ``FactorKind/hotp``.
  let kind: FactorKind
  let secret: OTPSecret
  let algorithm: HashAlgorithm
  let digits: OTPCode.Digits
  /// The steps; of no meaning for a factor by counter.
  let timeStep: TimeStep
}

extension Factor {
  /// The result of a look at a code.
  enum Match: Sendable, Equatable {
    /// It is that of a step or counter; and the drift that the factor has from then on.
    case accepted(position: UInt64, drift: Drift)
    /// It is not, and this is what the audit event says.
    case refused(AuditEvent.Reason)
    /// It could not be compared: the cryptographic library has failed.
    case failed
  }

  /// Looks at a code.
  ///
  /// Timing: depends on whether the code is accepted, not on why it is not: one that is not goes through a second scan.
  func match(_ text: String, at clock: Date, under configuration: MultiFactorConfiguration) -> Match {
    matching([text]) { secret, codes throws(OTPError) in
      secret.kind == .totp
        ? try matchSteps(codes[0], secret, at: clock.unixSeconds, under: configuration)
        : try matchCounters(codes[0], secret, lookAhead: configuration.hotpLookAhead)
    }
  }

  /// Looks at two or three codes in a row, of a factor that has run ahead by counter (RFC 4226, section 7.4) or whose
  /// clock has drifted (RFC 6238, section 6).
  func match(inARow texts: [String], at clock: Date, under configuration: MultiFactorConfiguration) -> Match {
    matching(texts) { secret, codes throws(OTPError) in
      guard 2...3 ~= codes.count else { return .refused(.malformed) }
      let third = codes.count == 3 ? codes[2] : nil
      let result: Verification
      if secret.kind == .totp {
        guard configuration.totpResynchronizationSteps > 0 else { return .refused(.disabled) }
        let key = try HMACKey(secret.secret, algorithm: secret.algorithm)
        result = try TOTP(key: key, digits: secret.digits, timeStep: secret.timeStep).resynchronize(
          codes[0], codes[1], third, at: clock.unixSeconds, steps: configuration.totpResynchronizationSteps,
          after: lastAccepted)
      } else {
        guard let next = nextCounter else { return .refused(.malformed) }
        let hotp = try HOTP(secret: secret.secret, algorithm: secret.algorithm, digits: secret.digits)
        result = try hotp.resynchronize(
          codes[0], codes[1], third, counter: next, lookAhead: configuration.hotpResynchronizationLookAhead)
      }
      switch result {
      case .accepted(let position, let offset):
        // A token shows the later code now: its offset is what the clock is ahead.
        return .accepted(position: position, drift: Drift(found: secret.kind == .totp ? offset : 0))
      case .replayed: return .refused(.replayed)
      case .rejected: return .refused(.wrong)
      }
    }
  }

  /// Looks at codes that have the factor's number of digits.
  private func matching(
    _ texts: [String], _ look: (FactorSecret, [SubmittedCode]) throws(OTPError) -> Match
  ) -> Match {
    guard case .secret(let secret) = content else { return .refused(.notFound) }
    let codes = texts.compactMap { text in
      var text = text
      return text.withUTF8 { utf8 in try? SubmittedCode(utf8: unsafe utf8.span, digits: secret.digits) }
    }
    guard codes.count == texts.count, !codes.isEmpty else { return .refused(.malformed) }
    do throws(OTPError) { return try look(secret, codes) } catch {
      // A clock before the factor's t0: no code is right then. All else is the server's failure.
      return error.code == .timeBeforeT0 ? .refused(.early) : .failed
    }
  }

  private func matchSteps(
    _ code: SubmittedCode, _ secret: FactorSecret, at unixTime: Int64, under configuration: MultiFactorConfiguration
  ) throws(OTPError) -> Match {
    let limit = configuration.driftLimit
    let learned = max(-limit, min(limit, drift.learned))
    let time = Self.shifted(unixTime, by: drift.found &+ learned, secret.timeStep)

    func verify(_ intervals: Int) throws(OTPError) -> Verification {
      let window = try VerificationWindow.adjacent(intervals)
      return try secret.secret.withBytes { (bytes) throws(OTPError) in
        try TOTP.verify(
          code, secret: bytes, algorithm: secret.algorithm, timeStep: secret.timeStep, at: time, window: window,
          after: lastAccepted)
      }
    }
    let result = try verify(configuration.adjacentIntervals)
    if case .accepted(let step, let offset) = result {
      let drift = Drift(found: drift.found, learned: max(-limit, min(limit, learned + offset)))
      return .accepted(position: step, drift: drift)
    }
    // Whatever was wrong with the code: the widest window tells late from wrong.
    let wide = try verify(10)
    switch (result, wide) {
    case (.replayed, _), (_, .replayed): return .refused(.replayed)
    case (_, .accepted(_, let offset)): return .refused(offset < 0 ? .late : .early)
    default: return .refused(.wrong)
    }
  }

  /// The last step whose code was accepted at a moment, whatever drift was learned before it; `nil` for other factors.
  func lastStep(at date: Date, under configuration: MultiFactorConfiguration) -> UInt64? {
    guard case .secret(let secret) = content, secret.kind == .totp else { return nil }
    let ahead = drift.found &+ configuration.driftLimit &+ configuration.adjacentIntervals
    return try? secret.timeStep.number(at: Self.shifted(date.unixSeconds, by: ahead, secret.timeStep))
  }

  /// A time by the clock of a user whose clock is some steps ahead.
  private static func shifted(_ unixTime: Int64, by drift: Int, _ timeStep: TimeStep) -> Int64 {
    let (seconds, multiplied) = timeStep.period.multipliedReportingOverflow(by: Int64(drift))
    let (time, added) = unixTime.addingReportingOverflow(seconds)
    return multiplied || added || time < timeStep.t0 ? unixTime : time
  }

  private func matchCounters(
    _ code: SubmittedCode, _ secret: FactorSecret, lookAhead: Int
  ) throws(OTPError) -> Match {
    let hotp = try HOTP(secret: secret.secret, algorithm: secret.algorithm, digits: secret.digits)
    if let next = nextCounter,
      case .accepted(let counter, _) = try hotp.verify(code, counter: next, lookAhead: lookAhead)
    {
      return .accepted(position: counter, drift: Drift())
    }
    // A counter of before is never accepted; it is looked for so that a replay can be told from a guess.
    guard let last = lastAccepted else { return .refused(.wrong) }
    let past = min(last, Self.pastCounterCount)
    if case .accepted = try hotp.verify(code, counter: last - past, lookAhead: Int(past)) { return .refused(.replayed) }
    return .refused(.wrong)
  }

  /// How many counters before the one accepted last are looked at, to tell a replay from a guess.
  private static let pastCounterCount: UInt64 = 10

  /// The counter that is expected next; `nil` once the last one has been accepted.
  var nextCounter: UInt64? {
    guard let lastAccepted else { return 0 }
    return lastAccepted < .max ? lastAccepted + 1 : nil
  }
}

extension Date {
  /// Whole seconds since 1970, rounded down: the nearest that `Int64` has, and the earliest for what is not a number.
  ///
  /// `Int64(_:)` would trap on a time that a stranger wrote into JSON.
  var unixSeconds: Int64 {
    let seconds = timeIntervalSince1970.rounded(.down)
    // 2^63, exactly.
    let limit = 0x1p63
    if seconds >= limit { return .max }
    return seconds >= -limit ? Int64(seconds) : .min
  }
}
