import Foundation
import OTP

/// Checks codes against a factor's secret. It decides nothing: the store does, by the position that it returns.
struct CodeCheck: Sendable {
  /// What came of a check.
  enum Result: Sendable {
    /// The code is that of a step or counter; and the drift that the factor has from then on.
    case accepted(position: UInt64, drift: Int)
    /// It is not, and this is what the audit event says.
    case refused(AuditEvent.Reason)
  }

  /// What is thrown where the secret, once opened, is not one.
  private static var unusable: AuthError { AuthError(.internalError, reason: .sealing) }

  let configuration: MultiFactorConfiguration
  let now: Date

  /// Checks one code, by time or by counter.
  ///
  /// Timing: depends on whether it is accepted, not on why it is not: a code that is not goes through a second scan,
  /// of the widest window, which is what tells late from wrong.
  static func scan(
    _ check: CodeCheck, _ codes: [String], _ opened: Opened, _ factor: FactorRecord
  ) throws(AuthError) -> Result {
    guard codes.count == 1 else { return .refused(.malformed) }
    return try opened.bytes.withBytes { (bytes) throws(AuthError) in
      guard let parameters = FactorSecretLayout.parameters(of: bytes), parameters.kind == factor.kind else {
        throw unusable
      }
      guard let code = try? SubmittedCode(codes[0], digits: parameters.digits) else { return .refused(.malformed) }
      let secret = bytes.extracting(FactorSecretLayout.headerByteCount..<bytes.count)
      do {
        return try check.check(code, secret, parameters, after: factor.lastAccepted, drift: factor.drift)
      } catch let error as OTPError {
        // A clock before the factor's t0: no code is right then.
        if error.code == .timeBeforeT0 { return .refused(.early) }
        throw AuthError(.internalError, reason: .cryptography)
      } catch {
        throw unusable
      }
    }
  }

  /// Checks a first code, against a secret that is being enrolled.
  func check(_ code: SubmittedCode, against secret: FactorSecret) throws -> Result {
    let parameters = FactorSecretLayout.Parameters(
      kind: secret.kind, algorithm: secret.algorithm, digits: secret.digits,
      timeStep: try TimeStep(period: secret.period, t0: secret.t0))
    return try secret.secret.withBytes { bytes in
      try check(code, bytes, parameters, after: nil, drift: 0)
    }
  }

  private func check(
    _ code: SubmittedCode, _ secret: Span<UInt8>, _ parameters: FactorSecretLayout.Parameters, after last: UInt64?,
    drift: Int
  ) throws -> Result {
    switch parameters.kind {
    case .totp: try scanSteps(code, secret, parameters, after: last, drift: drift)
    case .hotp: try scanCounters(code, secret, parameters, after: last)
    case .phone: throw Self.unusable
    }
  }

  private func scanSteps(
    _ code: SubmittedCode, _ secret: Span<UInt8>, _ parameters: FactorSecretLayout.Parameters, after last: UInt64?,
    drift: Int
  ) throws -> Result {
    let unixTime = now.unixSeconds
    let limit = configuration.driftLimit
    let drift = max(-limit, min(limit, drift))
    let time = shifted(unixTime, by: drift, parameters.timeStep)

    func verify(_ window: VerificationWindow) throws -> Verification {
      try TOTP.verify(
        code, secret: secret, algorithm: parameters.algorithm, timeStep: parameters.timeStep, at: time,
        window: window, after: last)
    }
    let result = try verify(.adjacent(configuration.adjacentIntervals))
    if case .accepted(let step, let offset) = result {
      return .accepted(position: step, drift: max(-limit, min(limit, drift + offset)))
    }
    let wide = try verify(.adjacent(10))
    if case .replayed = result { return .refused(.replayed) }
    return switch wide {
    case .accepted(_, let offset): .refused(offset < 0 ? .late : .early)
    case .replayed: .refused(.replayed)
    case .rejected: .refused(.wrong)
    }
  }

  /// A time by the clock of a user whose clock is some steps ahead.
  private func shifted(_ unixTime: Int64, by drift: Int, _ timeStep: TimeStep) -> Int64 {
    let (seconds, multiplied) = timeStep.period.multipliedReportingOverflow(by: Int64(drift))
    let (time, added) = unixTime.addingReportingOverflow(seconds)
    return multiplied || added || time < timeStep.t0 ? unixTime : time
  }

  private func scanCounters(
    _ code: SubmittedCode, _ secret: Span<UInt8>, _ parameters: FactorSecretLayout.Parameters, after last: UInt64?
  ) throws -> Result {
    let hotp = try HOTP(secret: OTPSecret(bytes: secret), algorithm: parameters.algorithm, digits: parameters.digits)
    if let counter = Self.counter(after: last),
      case .accepted(let counter, _) = try hotp.verify(code, counter: counter, lookAhead: configuration.hotpLookAhead)
    {
      return .accepted(position: counter, drift: 0)
    }
    // A counter of before is never accepted; it is looked for so that a replay can be told from a guess.
    guard let last else { return .refused(.wrong) }
    let past = min(last, Self.pastCounterCount)
    if case .accepted = try hotp.verify(code, counter: last - past, lookAhead: Int(past)) { return .refused(.replayed) }
    return .refused(.wrong)
  }

  /// How many counters before the one accepted last are looked at, to tell a replay from a guess.
  private static let pastCounterCount: UInt64 = 10

  /// The counter that is expected next; `nil` once the last one has been accepted.
  private static func counter(after last: UInt64?) -> UInt64? {
    guard let last else { return 0 }
    return last < .max ? last + 1 : nil
  }

  /// Finds a token by counter that has run ahead, by two or three codes in a row.
  static func resynchronize(
    _ check: CodeCheck, _ codes: [String], _ opened: Opened, _ factor: FactorRecord
  ) throws(AuthError) -> Result {
    guard 2...3 ~= codes.count, let next = counter(after: factor.lastAccepted) else { return .refused(.malformed) }
    guard let secret = opened.bytes.withBytes({ bytes in FactorSecretLayout.decode(bytes) }),
      secret.kind == .hotp, factor.kind == .hotp
    else { throw unusable }
    do {
      var submitted: [SubmittedCode] = []
      for code in codes {
        guard let code = try? SubmittedCode(code, digits: secret.digits) else { return .refused(.malformed) }
        submitted.append(code)
      }
      let hotp = try HOTP(secret: secret.secret, algorithm: secret.algorithm, digits: secret.digits)
      let result = try hotp.resynchronize(
        submitted[0], submitted[1], submitted.count == 3 ? submitted[2] : nil, counter: next,
        lookAhead: check.configuration.hotpResynchronizationLookAhead)
      guard case .accepted(let counter, _) = result else { return .refused(.wrong) }
      return .accepted(position: counter, drift: 0)
    } catch {
      throw AuthError(.internalError, reason: .cryptography)
    }
  }
}
