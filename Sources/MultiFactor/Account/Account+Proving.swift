import FactorRecord
import Foundation

/// What the user submits to prove a second factor, in the form in which it is compared.
enum Offer: Sendable {
  /// A code from an app or a token: ASCII digits.
  case code(String, factor: String, FactorKind)
  /// Two or three consecutive codes, to resynchronize a token that has run ahead or drifted.
  case codesInARow([String], factor: String, FactorKind)
  /// The code from a text message, as a keyed hash; `nil` if the provider has accepted it and the attempt is already
  /// counted.
  case message(codeHash: [UInt8]?, challenge: String, factor: String)
  /// A recovery code, as typed.
  case recoveryCode(String)
}

extension Account {
  /// Counts an attempt, checks the code, and spends it: in that order, whatever the factor.
  ///
  /// - Returns: The proof and, for a recovery code, its number.
  /// - Throws: ``Refusal``. An attempt that was admitted stays counted as a failure.
  ///
  /// Timing: what was wrong with a code does not show; see `FactorRecord.verify(_:at:under:)`.
  mutating func prove(
    _ offer: Offer, in signIn: SignIn, by clock: Date, under configuration: MultiFactorConfiguration
  ) throws(Refusal) -> (proof: Proof, recoveryCode: Int?) {
    try admit(signIn, by: clock, expired: .sessionExpired)
    let policy = configuration.attemptPolicy
    let now = now(by: clock)
    switch offer {
    case .code(let code, let uid, let kind):
      let proof = try prove(uid, kind, at: now, under: policy) { (record) throws(FactorRecordError) in
        try record.verify(code, at: clock.unixSeconds, notBefore: now.unixMilliseconds, under: configuration.policy)
      }
      return (proof, nil)

    case .codesInARow(let codes, let uid, let kind):
      let proof = try prove(uid, kind, at: now, under: policy) { (record) throws(FactorRecordError) in
        try record.resynchronize(
          codes, at: clock.unixSeconds, notBefore: now.unixMilliseconds, under: configuration.policy)
      }
      return (proof, nil)

    case .message(let hash, let id, let uid):
      let index = try index(of: uid, .phone)
      if hash != nil {
        factors[index].attempts = try count(factors[index].attempts, at: now, under: policy, uid, .phone)
      }
      latestTime = now
      switch answer(hash, to: id, for: .signIn(factorUID: uid), at: now) {
      case .refused(let reason): throw .code(reason, uid, .phone)
      case .right(let index): challenges.remove(at: index)
      }
      factors[index].attempts.succeed()
      clearFailures()
      return (Proof(uid: uid, kind: .phone, date: now), nil)

    case .recoveryCode(let code):
      let uid = FactorKind.recovery.rawValue
      // The client cannot tell a used-up list from a wrong code.
      guard var record = recovery, !recoveryCodes.isEmpty else { throw .code(.notFound, uid, .recovery) }
      defer { recovery = record }
      let accepted = try attempt(on: &record, uid, .recovery, at: now, under: policy) {
        (record) throws(FactorRecordError) in
        try record.verify(code, at: clock.unixSeconds, notBefore: now.unixMilliseconds, under: configuration.policy)
      }
      failures = 0
      return (Proof(uid: uid, kind: .recovery, date: now), Int(clamping: accepted.movingFactor))
    }
  }

  /// Counts an attempt on a code that only its provider knows, before asking the provider: always as one of the
  /// challenge's tries, and at a sign-in also as a failure of the factor.
  ///
  /// - Returns: The challenge.
  /// - Throws: ``Refusal``, as ``prove(_:in:by:under:)`` and ``enroll(_:displayName:by:at:under:)``.
  mutating func beginCheck(
    of id: String, for purpose: Challenge.Purpose, in signIn: SignIn, by clock: Date,
    under configuration: MultiFactorConfiguration
  ) throws(Refusal) -> Challenge {
    let now = now(by: clock)
    if case .signIn(let uid) = purpose {
      try admit(signIn, by: clock, expired: .sessionExpired)
      let index = try index(of: uid, .phone)
      factors[index].attempts = try count(
        factors[index].attempts, at: now, under: configuration.attemptPolicy, uid, .phone)
    } else {
      try admit(signIn, by: clock)
      try checkMayEnroll(signIn, under: configuration)
    }
    latestTime = now
    switch countTry(of: id, for: purpose, isByProvider: true, at: now) {
    case .right(let index): return challenges[index]
    case .refused(let reason): throw .message(reason, for: purpose)
    }
  }

  /// Verifies a factor by its record.
  private mutating func prove(
    _ uid: String, _ kind: FactorKind, at now: Date, under policy: AttemptPolicy,
    _ verify: (inout FactorRecord) throws(FactorRecordError) -> FactorRecord.Answer
  ) throws(Refusal) -> Proof {
    let index = try index(of: uid, kind)
    guard var record = factors[index].record else { throw .code(.notFound, uid, kind) }
    // Also if it throws: a failure is counted.
    let result = Result { () throws(Refusal) in try attempt(on: &record, uid, kind, at: now, under: policy, verify) }
    factors[index].content = .record(record)
    _ = try result.get()
    clearFailures()
    return Proof(uid: uid, kind: kind, date: now)
  }

  /// Lets a record count an attempt and check it, and counts it on the account, too, if the account is not at its limit.
  private mutating func attempt(
    on record: inout FactorRecord, _ uid: String, _ kind: FactorKind, at now: Date, under policy: AttemptPolicy,
    _ verify: (inout FactorRecord) throws(FactorRecordError) -> FactorRecord.Answer
  ) throws(Refusal) -> FactorRecord.Acceptance {
    guard !isLocked(under: policy) else { throw .wait(until: nil, isLock: true, uid, kind) }
    let answer: FactorRecord.Answer
    do { answer = try verify(&record) } catch {
      // As many as with any other failure: a failing server allows no more guesses.
      failures += 1
      latestTime = now
      throw .uncompared(uid, kind)
    }
    switch answer {
    case .accepted(let acceptance), .enrolled(let acceptance):
      latestTime = now
      return acceptance
    case .rejected(let reason):
      if reason.isCounted {
        failures += 1
        latestTime = now
      }
      throw .code(.init(reason), uid, kind)
    case .wait(let end), .locked(let end?):
      // The record knows the end to the millisecond, if it is that of a delay or lock.
      if case .refused(let end, let isLock) = record.attempts.admission(at: now.unixMilliseconds, under: policy.limit) {
        throw .wait(until: end.map(Date.init(unixMilliseconds:)), isLock: isLock, uid, kind)
      }
      throw .wait(until: Date(timeIntervalSince1970: TimeInterval(end)), isLock: false, uid, kind)
    case .locked(nil): throw .wait(until: nil, isLock: true, uid, kind)
    }
  }

  /// Counts an attempt as a failure, both on a phone and on the account, if neither is at its limit.
  ///
  /// - Returns: The attempts on the phone, including this one.
  private mutating func count(
    _ attempts: Attempts, at now: Date, under policy: AttemptPolicy, _ uid: String, _ kind: FactorKind
  ) throws(Refusal) -> Attempts {
    guard !isLocked(under: policy) else { throw .wait(until: nil, isLock: true, uid, kind) }
    var attempts = attempts
    if case .refused(let end, let isLock) = attempts.begin(at: now.unixMilliseconds, under: policy.limit) {
      throw .wait(until: end.map(Date.init(unixMilliseconds:)), isLock: isLock, uid, kind)
    }
    failures += 1
    latestTime = now
    return attempts
  }

  /// Whether all of the account's factors and recovery codes are locked.
  func isLocked(under policy: AttemptPolicy) -> Bool { failures >= UInt64(policy.accountFailuresUntilLock) }

  /// Clears all failures after a factor was verified: the other factors and the recovery codes are of the same assurance
  /// level (SP 800-63B-4, section 3.2.2).
  private mutating func clearFailures() {
    for index in factors.indices { factors[index].attempts.unlock() }
    recovery?.unlock()
    failures = 0
  }

  /// Spends whatever may have been spent up to a moment, with the record of it lost: each step that was in a window by
  /// then, and the code of each text message. Idempotent.
  ///
  /// A spent counter or recovery code cannot be distinguished from an unspent one.
  mutating func spendAll(until date: Date, under configuration: MultiFactorConfiguration) {
    lossDate = date
    // Also of factors that are newer by their own date: that is the account's, which may be ahead, and a factor whose
    // enrollment was lost may have been enrolled again.
    for index in factors.indices {
      guard var record = factors[index].record else { continue }
      record.spend(until: date.unixSeconds, under: configuration.policy)
      factors[index].content = .record(record)
    }
    // A challenge was sent this long before it expires.
    challenges.removeAll { $0.expiry <= date + configuration.phoneChallengeLifetime }
  }
}
