import FactorRecord
import Foundation
import OTP

/// What the user submits at a sign-in, in the form in which it is compared.
enum Offer: Sendable {
  /// A code from an app or a token, or a recovery code; or two or three consecutive codes, to resynchronize a token
  /// that has run ahead or drifted.
  case codes([String], factor: String, FactorKind)
  /// An external factor, as it was when its ``ExternalFactor`` was asked, and its details from now on.
  case external(FactorInfo, details: [UInt8])
}

extension Account {
  /// Counts an attempt, checks the code, and spends it: in that order, whatever the factor. An attempt on an external
  /// factor was counted by ``beginAttempt(on:_:in:at:under:)``, and checked by its ``ExternalFactor``.
  ///
  /// - Throws: ``Refusal``. An attempt that was admitted stays counted as a failure.
  ///
  /// Timing: what was wrong with a code does not show; see `FactorRecord.verify(_:at:under:)`.
  mutating func verify(
    _ offer: Offer, in signIn: SignIn, at time: Date, under configuration: MultiFactorConfiguration
  ) throws(Refusal) -> Proof {
    try admit(signIn, at: time, expired: .sessionExpired)
    let accountTime = accountTime(at: time)
    switch offer {
    case .codes(let codes, let uid, .recovery):
      // The client cannot tell a used-up list from a wrong code.
      guard var record = recovery, !recoveryCodes.isEmpty else { throw .code(.notFound, uid, .recovery) }
      defer { recovery = record }
      let accepted = try attempt(codes, on: &record, uid, .recovery, at: time, under: configuration)
      failures = 0
      return .recoveryCode(Int(clamping: accepted.movingFactor), bindings: bindingCount, accountTime)

    case .codes(let codes, let uid, let kind):
      let index = try index(of: uid, kind)
      guard var record = factors[index].record else { throw .code(.notFound, uid, kind) }
      // Also if it throws: a failure is counted.
      let result = Result { () throws(Refusal) in
        try attempt(codes, on: &record, uid, kind, at: time, under: configuration)
      }
      factors[index].content = .record(record)
      _ = try result.get()
      clearFailures(at: accountTime)
      return .factor(uid: uid, kind, binding: factors[index].binding, accountTime)

    case .external(let asked, let details):
      let index = try index(of: asked.uid, FactorKind(rawValue: asked.factorID))
      // It may have been replaced while its service was asked.
      guard case .external(let kind, asked.details, var attempts) = factors[index].content else {
        throw Refusal.notFound(asked.uid, FactorKind(rawValue: asked.factorID))
      }
      attempts.succeed()
      factors[index].content = .external(kind, details: details, attempts)
      latestTime = accountTime
      clearFailures(at: accountTime)
      return .factor(uid: asked.uid, kind, binding: factors[index].binding, accountTime)
    }
  }

  /// Counts an attempt on an external factor as a failure, of the factor and the account, before its service is asked.
  ///
  /// - Returns: The factor.
  /// - Throws: ``Refusal``, as ``verify(_:in:at:under:)``.
  mutating func beginAttempt(
    on uid: String, _ kind: FactorKind, in signIn: SignIn, at time: Date,
    under configuration: MultiFactorConfiguration
  ) throws(Refusal) -> FactorInfo {
    try admit(signIn, at: time, expired: .sessionExpired)
    let index = try index(of: uid, kind)
    try checkIsUnlocked(uid, kind, under: configuration)
    let accountTime = accountTime(at: time)
    var attempts = factors[index].attempts
    if case .refused(let end, let isLock) = attempts.begin(
      at: accountTime.unixMilliseconds, under: configuration.attemptLimit)
    {
      throw .wait(until: end.map(Date.init(unixMilliseconds:)), isLock: isLock, uid, kind)
    }
    factors[index].attempts = attempts
    failures += 1
    latestTime = accountTime
    return FactorInfo(factors[index])
  }

  /// Lets a record count an attempt and check it, and counts it on the account, too, if the account is not at its
  /// limit.
  private mutating func attempt(
    _ codes: [String], on record: inout FactorRecord, _ uid: String, _ kind: FactorKind, at time: Date,
    under configuration: MultiFactorConfiguration
  ) throws(Refusal) -> FactorRecord.Acceptance {
    try checkIsUnlocked(uid, kind, under: configuration)
    let (accountTime, policy) = (accountTime(at: time), configuration.policy)
    let answer: FactorRecord.Answer
    do {
      let clock = try FactorRecord.Clock(time.unixSeconds, notBefore: accountTime.unixMilliseconds)
      answer =
        codes.count == 1
        ? try withUTF8(of: codes[0]) { (code) throws(FactorRecordError) in
          try record.verify(typedUTF8: code, at: clock, under: policy)
        }
        : try record.resynchronize(
          codes.map { code in try? SubmittedCode(typed: code, digits: record.digits ?? .six) }, at: clock,
          under: policy)
    } catch {
      // It counts like any other failure: a failing server allows no more guesses. With an invalid time, the record
      // looks at nothing, and counts nothing.
      if error.kind != .invalidTime {
        failures += 1
        latestTime = accountTime
      }
      throw .uncompared(uid, kind, .init(error))
    }
    switch answer {
    case .accepted(let acceptance), .enrolled(let acceptance):
      latestTime = accountTime
      return acceptance
    case .rejected(let reason):
      if reason.isCounted {
        failures += 1
        latestTime = accountTime
      }
      throw .code(.init(reason), uid, kind)
    case .wait(let end):
      guard let milliseconds = end.milliseconds else { throw .spent(until: end.unixTime, uid, kind) }
      throw .wait(until: Date(unixMilliseconds: milliseconds), isLock: false, uid, kind)
    case .locked(let end):
      throw .wait(until: end?.milliseconds.map(Date.init(unixMilliseconds:)), isLock: true, uid, kind)
    }
  }

  private func checkIsUnlocked(
    _ uid: String, _ kind: FactorKind, under configuration: MultiFactorConfiguration
  ) throws(Refusal) {
    guard !isLocked(under: configuration) else { throw .wait(until: nil, isLock: true, uid, kind) }
  }

  /// Whether all of the account's factors and recovery codes are locked.
  package func isLocked(under configuration: MultiFactorConfiguration) -> Bool {
    failures >= UInt64(configuration.accountFailuresUntilLock)
  }

  /// Clears all failures after a factor was verified: also those of the other factors and the recovery codes, which are
  /// of no higher assurance level, so that a guesser cannot keep one of them locked (the article on the odds has what
  /// that costs; SP 800-63B-4, section 3.2.2, asks it only of the factor that was used).
  private mutating func clearFailures(at time: Date) {
    for index in factors.indices { factors[index].attempts.unlock(at: time.unixMilliseconds) }
    recovery?.attempts.unlock(at: time.unixMilliseconds)
    failures = 0
  }

  /// Spends whatever may have been spent up to a moment, with the record of it lost: each step that was in a window by
  /// then. Idempotent.
  ///
  /// A spent counter or recovery code cannot be distinguished from an unspent one.
  package mutating func spendAll(until date: Date, under configuration: MultiFactorConfiguration) {
    // A store that has lost changes earlier says so at each change.
    lossDate = max(lossDate ?? date, date)
    // This includes factors with a later date: that is by the account's time, which may be ahead, and a factor whose
    // enrollment was lost may have been enrolled again.
    for index in factors.indices {
      guard var record = factors[index].record else { continue }
      record.spendSteps(until: date.unixSeconds, under: configuration.policy)
      factors[index].content = .record(record)
    }
  }
}
