import Foundation
import Keyring
import OTP

/// The kind of a second factor. The raw value is the text that stands for it in claims and audit events.
enum FactorKind: String, Sendable, Hashable, CaseIterable {
  /// Codes by time (RFC 6238).
  case totp
  /// Codes by counter (RFC 4226).
  case hotp
  /// Codes by text message.
  case phone
  /// Recovery codes, which stand in for a factor but are not one.
  case recovery

  /// The kinds that can be enrolled.
  static let enrollable: Set<FactorKind> = [.totp, .hotp, .phone]
}

/// A second factor of a user.
struct Factor: Sendable, Equatable {
  /// What its codes are checked against.
  enum Content: Sendable, Equatable {
    case secret(FactorSecret)
    case phone(PhoneNumber)
  }

  /// The factor's name: random, unless it was given by another system.
  let uid: String
  let content: Content
  /// What the user calls it.
  let displayName: String?
  let enrollmentDate: Date
  /// The step or counter accepted last: only later ones are accepted.
  var lastAccepted: UInt64?
  /// Whether it was accepted here; otherwise, an import has stated it.
  var hasAccepted = false
  /// How many steps the user's clock is ahead.
  var drift = Drift()
  var attempts = Attempts()

  var kind: FactorKind { content.kind }

  /// Spends the codes of all steps or counters up to one.
  mutating func spend(_ movingFactor: UInt64) {
    lastAccepted = movingFactor
    hasAccepted = true
  }

  /// How many characters of a display name are kept.
  static let maximumNameCharacterCount = 100
  /// How many bytes of a display name are kept: a single character can have any number of combining marks.
  static let maximumNameByteCount = 1024

  /// The maximum length of a factor's name, in bytes.
  static let maximumUIDByteCount = 128

  /// Whether a text can be the name of a factor, or the one that stands for the recovery codes: 1 to 128 visible ASCII
  /// characters. Any other is rejected without a lookup.
  static func isName(_ uid: String) -> Bool {
    let bytes = uid.utf8.prefix(maximumUIDByteCount + 1)
    return 1...maximumUIDByteCount ~= bytes.count && bytes.allSatisfy { (0x21...0x7E).contains($0) }
  }

  /// The part of a display name that is kept, cut between characters.
  static func keptName(_ displayName: String) -> String {
    var byteCount = 0
    // Look at no more than could be kept: a scalar has at least one byte, and a name can have 10 MB.
    let start = String(String.UnicodeScalarView(displayName.unicodeScalars.prefix(maximumNameByteCount + 1)))
    let kept = start.prefix(maximumNameCharacterCount).prefix { character in
      byteCount += character.utf8.count
      return byteCount <= maximumNameByteCount
    }
    return String(kept)
  }
}

/// How many steps the clock of a TOTP factor is ahead.
struct Drift: Sendable, Equatable {
  /// As found by resynchronization with consecutive codes.
  var found = 0
  /// As learned from accepted codes since then, in addition.
  var learned = 0
}

/// A factor, or a set of recovery codes, that is no longer bound to an account: without its secret.
struct PastFactor: Sendable, Equatable {
  let uid: String
  let kind: FactorKind
  let enrollmentDate: Date
  let removalDate: Date

  /// How many are kept for one user, the latest ones; the audit events have them all.
  static let maximumCount = 100
}

extension PastFactor {
  /// The record of a factor that is being removed.
  init(_ factor: Factor, until now: Date) {
    self.init(uid: factor.uid, kind: factor.kind, enrollmentDate: factor.enrollmentDate, removalDate: now)
  }
}

/// The secret of a TOTP or HOTP factor, with its parameters.
struct FactorSecret: Sendable, Equatable {
  /// ``FactorKind/totp`` or ``FactorKind/hotp``.
  let kind: FactorKind
  let secret: OTPSecret
  let algorithm: HashAlgorithm
  let digits: OTPCode.Digits
  /// The steps; unused for an HOTP factor.
  let timeStep: TimeStep

  private static let fingerprintMessage = Array("swift-otp spent secret".utf8)

  /// The same for all secrets that HMAC with a hash function cannot tell apart, and different for all others: 16 bytes
  /// of a tag, which reveal neither the secret nor a code. An HMAC key is padded with zeros to the hash's block, and one
  /// longer than a block is hashed first (RFC 2104, section 2).
  ///
  /// Timing: depends on the secret's length.
  func fingerprint(under algorithm: HashAlgorithm) throws(Refusal) -> [UInt8] {
    do throws(OTPError) {
      return Array(try HMACKey(secret, algorithm: algorithm).tag(for: Self.fingerprintMessage.span).prefix(16))
    } catch {
      throw .uncompared(nil, kind)
    }
  }
}

extension Factor {
  /// The outcome of checking a code.
  enum Match: Sendable, Equatable {
    /// It is the code of this step or counter; `drift` is the factor's from now on.
    case accepted(movingFactor: UInt64, drift: Drift)
    /// It is not accepted, for the reason that the audit event gives.
    case refused(AuditEvent.Reason)
    /// It could not be compared: the cryptographic library failed.
    case failed
  }

  /// Checks a code.
  ///
  /// Timing: depends on whether the code is accepted, not on why it is refused: a refused one goes through a second
  /// scan.
  func match(_ text: String, at clock: Date, under configuration: MultiFactorConfiguration) -> Match {
    matching([text]) { secret, codes throws(OTPError) in
      secret.kind == .totp
        ? try matchSteps(codes[0], secret, at: clock.unixSeconds, under: configuration)
        : try matchCounters(codes[0], secret, lookAhead: configuration.hotpLookAhead)
    }
  }

  /// Checks two or three consecutive codes of a factor whose counter has run ahead (RFC 4226, section 7.4) or whose
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
      case .accepted(let movingFactor, let offset):
        // The token now shows the last of the codes, so its offset is how far the clock is ahead.
        return .accepted(movingFactor: movingFactor, drift: Drift(found: secret.kind == .totp ? offset : 0))
      case .replayed: return .refused(.replayed)
      case .rejected: return .refused(.wrong)
      }
    }
  }

  /// Checks codes, if each has the factor's number of digits.
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
      // If the clock is before the factor's t0, no code is right. Any other error is the server's failure.
      return error.code == .timeBeforeT0 ? .refused(.early) : .failed
    }
  }

  private func matchSteps(
    _ code: SubmittedCode, _ secret: FactorSecret, at unixTime: Int64, under configuration: MultiFactorConfiguration
  ) throws(OTPError) -> Match {
    let limit = configuration.driftLimit
    let learned = max(-limit, min(limit, drift.learned))
    let time = Self.shifted(unixTime, by: drift.found &+ learned, secret.timeStep)

    func verify(_ adjacentIntervals: Int) throws(OTPError) -> Verification {
      let window = try VerificationWindow.adjacent(adjacentIntervals)
      return try secret.secret.withBytes { (bytes) throws(OTPError) in
        try TOTP.verify(
          code, secret: bytes, algorithm: secret.algorithm, timeStep: secret.timeStep, at: time, window: window,
          after: lastAccepted)
      }
    }
    let result = try verify(configuration.adjacentIntervals)
    if case .accepted(let step, let offset) = result {
      let drift = Drift(found: drift.found, learned: max(-limit, min(limit, learned + offset)))
      return .accepted(movingFactor: step, drift: drift)
    }
    // Whatever is wrong with the code, scan the widest window, which distinguishes a late or early code from a wrong
    // one.
    let wide = try verify(10)
    switch (result, wide) {
    case (.replayed, _), (_, .replayed): return .refused(.replayed)
    case (_, .accepted(_, let offset)): return .refused(offset < 0 ? .late : .early)
    default: return .refused(.wrong)
    }
  }

  /// The last step whose code can be accepted at a moment, whatever drift was learned by then; `nil` for factors other
  /// than TOTP.
  func lastStep(at date: Date, under configuration: MultiFactorConfiguration) -> UInt64? {
    guard case .secret(let secret) = content, secret.kind == .totp else { return nil }
    let ahead = drift.found &+ configuration.driftLimit &+ configuration.adjacentIntervals
    return try? secret.timeStep.number(at: Self.shifted(date.unixSeconds, by: ahead, secret.timeStep))
  }

  /// Spends each step that was in the window at a moment, whatever drift was learned by then.
  mutating func spendAll(until date: Date, under configuration: MultiFactorConfiguration) {
    guard let last = lastStep(at: date, under: configuration) else { return }
    if lastAccepted.map({ $0 < last }) ?? true { spend(last) }
  }

  /// When the user's app shows the first code that a loss of changes has not spent; `nil` if it has, for factors other
  /// than TOTP, and long after the loss.
  ///
  /// Another process may have dated the loss up to an hour later, and spent more.
  func endOfLoss(_ date: Date, at clock: Date, under configuration: MultiFactorConfiguration) -> Date? {
    guard case .secret(let secret) = content, let lost = lastStep(at: date, under: configuration),
      let spent = lastAccepted, spent >= lost, clock < date.addingTimeInterval(2 * 3600)
    else { return nil }
    let limit = configuration.driftLimit
    let time = Self.shifted(
      clock.unixSeconds, by: drift.found &+ max(-limit, min(limit, drift.learned)), secret.timeStep)
    guard let current = try? secret.timeStep.number(at: time), current <= spent else { return nil }
    let wait = secret.timeStep.period.multipliedReportingOverflow(by: Int64(clamping: spent - current + 1))
    let passed = (time &- secret.timeStep.t0) % secret.timeStep.period
    return wait.overflow ? nil : clock.addingTimeInterval(TimeInterval(wait.partialValue &- passed))
  }

  /// The time on a user's clock that is some steps ahead.
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
      return .accepted(movingFactor: counter, drift: Drift())
    }
    // An earlier counter is never accepted; it is looked for only to distinguish a replay from a guess.
    guard let last = lastAccepted else { return .refused(.wrong) }
    let past = min(last, Self.pastCounterCount)
    if case .accepted = try hotp.verify(code, counter: last - past, lookAhead: Int(past)) { return .refused(.replayed) }
    return .refused(.wrong)
  }

  /// How many counters before the last accepted one are checked, to distinguish a replay from a guess.
  private static let pastCounterCount: UInt64 = 10

  /// The next expected counter; `nil` once the highest has been accepted.
  var nextCounter: UInt64? {
    guard let lastAccepted else { return 0 }
    return lastAccepted < .max ? lastAccepted + 1 : nil
  }
}
