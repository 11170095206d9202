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
  /// A recovery code, as a keyed hash.
  case recoveryCode(hash: [UInt8])
}

extension Account {
  /// Counts an attempt, checks the code, and spends it: in that order, whatever the factor.
  ///
  /// - Returns: The proof and, for a recovery code, its number.
  /// - Throws: ``Refusal``. An attempt that was admitted stays counted as a failure.
  ///
  /// Timing: what was wrong with a code does not show; see ``Factor/match(_:at:under:)``.
  mutating func prove(
    _ offer: Offer, in signIn: SignIn, by clock: Date, under configuration: MultiFactorConfiguration
  ) throws(Refusal) -> (proof: Proof, recoveryCode: Int?) {
    try admit(signIn, by: clock, expired: .sessionExpired)
    let policy = configuration.attemptPolicy
    let now = now(by: clock)
    switch offer {
    case .code(let code, let uid, let kind):
      try checkIsAfterLoss(uid, kind, at: clock, under: configuration)
      return (
        try prove(uid, kind, at: now, under: policy) { $0.match(code, at: clock, under: configuration) }, nil
      )

    case .codesInARow(let codes, let uid, let kind):
      return (
        try prove(uid, kind, at: now, under: policy) { $0.match(inARow: codes, at: clock, under: configuration) }, nil
      )

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
      succeed(index)
      return (Proof(uid: uid, kind: .phone, date: now), nil)

    case .recoveryCode(let hash):
      let uid = FactorKind.recovery.rawValue
      // The client cannot tell a used-up list from a wrong code.
      guard !recoveryCodes.isEmpty else { throw .code(.notFound, uid, .recovery) }
      recoveryAttempts = try count(recoveryAttempts, at: now, under: policy, uid, .recovery)
      // The hashes are keyed, so the timing of the search reveals nothing about the codes.
      guard let index = recoveryCodes.firstIndex(where: { $0.hash == hash }) else {
        throw .code(.wrong, uid, .recovery)
      }
      let code = recoveryCodes.remove(at: index)
      recoveryAttempts.succeed()
      failures = 0
      return (Proof(uid: uid, kind: .recovery, date: now), Int(code.number))
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

  /// Counts an attempt on a factor with a secret, checks the code, and spends its step or counter.
  private mutating func prove(
    _ uid: String, _ kind: FactorKind, at now: Date, under policy: AttemptPolicy, match: (Factor) -> Factor.Match
  ) throws(Refusal) -> Proof {
    let index = try index(of: uid, kind)
    factors[index].attempts = try count(factors[index].attempts, at: now, under: policy, uid, kind)
    switch match(factors[index]) {
    case .refused(let reason): throw .code(reason, uid, kind)
    // Still counted: the failure may be in the second scan, after the first has found the code wrong.
    case .failed: throw .uncompared(uid, kind)
    case .accepted(let movingFactor, let drift):
      factors[index].spend(movingFactor)
      factors[index].drift = drift
      succeed(index)
    }
    return Proof(uid: uid, kind: kind, date: now)
  }

  /// Counts an attempt as a failure, both on the factor or recovery codes and on the account, if neither is at its
  /// limit.
  ///
  /// - Returns: The attempts on the factor or recovery codes, including this one.
  private mutating func count(
    _ attempts: Attempts, at now: Date, under policy: AttemptPolicy, _ uid: String, _ kind: FactorKind
  ) throws(Refusal) -> Attempts {
    guard !isLocked(under: policy) else { throw .wait(until: nil, isLock: true, uid, kind) }
    var attempts = attempts
    if case .refused(let end, let isLock) = attempts.begin(at: now, under: policy) {
      throw .wait(until: end, isLock: isLock, uid, kind)
    }
    failures += 1
    latestTime = now
    return attempts
  }

  /// Whether all of the account's factors and recovery codes are locked.
  func isLocked(under policy: AttemptPolicy) -> Bool { failures >= UInt64(policy.accountFailuresUntilLock) }

  /// Records that a factor was proved, and clears all failures: the other factors and the recovery codes are of the
  /// same assurance level (SP 800-63B-4, section 3.2.2).
  private mutating func succeed(_ index: Int) {
    factors[index].attempts.succeed()
    for other in factors.indices { factors[other].attempts.unlock() }
    recoveryAttempts.unlock()
    failures = 0
  }

  /// Refuses an attempt, uncounted and unread, as long as a loss of changes has spent the code that the user's app shows:
  /// otherwise a failover would lock users who type right codes.
  private func checkIsAfterLoss(
    _ uid: String, _ kind: FactorKind, at clock: Date, under configuration: MultiFactorConfiguration
  ) throws(Refusal) {
    guard let lossDate, let factor = factors.first(where: { $0.uid.hasBytes(of: uid) && $0.kind == kind }),
      let end = factor.endOfLoss(lossDate, at: clock, under: configuration)
    else { return }
    throw .wait(until: end, isLock: false, uid, kind)
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
      factors[index].spendAll(until: date, under: configuration)
    }
    // A challenge was sent this long before it expires.
    challenges.removeAll { $0.expiry <= date + configuration.phoneChallengeLifetime }
  }
}
