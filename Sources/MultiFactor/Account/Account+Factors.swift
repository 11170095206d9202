import Foundation

/// A factor to be enrolled, with the evidence that the user can use it.
enum Candidate: Sendable {
  /// A secret and its first code.
  case secret(EnrollmentSecret, code: String)
  /// The challenge sent to a phone, the factor's name, and the keyed hash of the code that was entered; `nil` if the
  /// provider has already accepted the code.
  case phone(challenge: String, codeHash: [UInt8]?, uid: String)
}

extension Account {
  /// Enrols a factor: checks that the user may, checks the code, and adds the factor with that code spent.
  mutating func enroll(
    _ candidate: Candidate, displayName: String?, by signIn: SignIn, at clock: Date,
    under configuration: MultiFactorConfiguration
  ) throws(Refusal) -> Proof {
    try admit(signIn, by: clock)
    // Whether the first factor was recent was checked when the session began; the candidate expires with that session.
    try checkMayEnroll(signIn, under: configuration)
    let now = now(by: clock)
    let displayName = displayName.map(Factor.keptName)
    var factor: Factor
    var answered: Int?
    switch candidate {
    case .secret(let secret, let code):
      guard now < secret.expiry else { throw Refusal(.sessionExpired, .tokenRefused, .expired) }
      guard secret.generation == generation else { throw .revoked }
      factor = Factor(
        uid: secret.uid, content: .secret(secret.secret), displayName: displayName, enrollmentDate: now,
        secretExpiry: secret.expiry)
      switch factor.match(code, at: clock, under: configuration) {
      case .refused(let reason): throw .enrollmentCode(reason, secret.uid, factor.kind)
      case .failed: throw .uncompared(secret.uid, factor.kind)
      // Enrolment spends this step or counter.
      case .accepted(let movingFactor, _): factor.lastAccepted = movingFactor
      }
    case .phone(let id, let hash, let uid):
      latestTime = now
      switch answer(hash, to: id, for: .enrollment, at: now) {
      case .refused(let reason): throw .enrollmentCode(reason, nil, .phone)
      case .right(let index):
        answered = index
        factor = Factor(
          uid: uid, content: .phone(challenges[index].number), displayName: displayName, enrollmentDate: now)
      }
    }
    try add(factor, atMost: configuration.maximumFactorCount, by: clock)
    if let answered { challenges.remove(at: answered) }
    return Proof(uid: factor.uid, kind: factor.kind, date: now)
  }

  /// Adds a factor, unless the user already has it, has one of the same name, or has as many as are allowed.
  mutating func add(_ factor: Factor, atMost limit: Int, by clock: Date) throws(Refusal) {
    try checkRoom(for: factor.content, atMost: limit)
    let now = now(by: clock)
    let names = factors.map(\.uid) + spentSecrets.filter { now < $0.expiry }.map(\.uid)
    guard !names.contains(where: { $0.hasBytes(of: factor.uid) }) else {
      throw Refusal(.secondFactorAlreadyEnrolled, .enrollmentRefused, .duplicate, nil, factor.kind)
    }
    advance(to: clock)
    factors.append(factor)
  }

  /// Checks that the user does not already have the secret or number, and may have another factor.
  ///
  /// If one secret were two factors, each of its codes could be spent twice.
  func checkRoom(for content: Factor.Content, atMost limit: Int) throws(Refusal) {
    guard !factors.contains(where: { $0.content.isSame(as: content) }) else {
      throw Refusal(.secondFactorAlreadyEnrolled, .enrollmentRefused, .duplicate, nil, content.kind)
    }
    guard factors.count < limit else {
      throw Refusal(.maximumSecondFactorCountExceeded, .enrollmentRefused, .tooMany, nil, content.kind)
    }
  }

  /// Removes a factor, for a signed-in user.
  ///
  /// - Returns: Its kind, and whether the removal revoked the user's handles.
  mutating func remove(
    _ uid: String, by signIn: SignIn, at clock: Date, under configuration: MultiFactorConfiguration
  ) throws(Refusal) -> (kind: FactorKind, isRevocation: Bool) {
    try admit(signIn, by: clock)
    try checkIsRecent(signIn, by: clock, under: configuration)
    return try remove(uid, by: clock)
  }

  /// Removes a factor. Removing the most recently enrolled of several revokes the handles; removing the only one also
  /// deletes the recovery codes.
  mutating func remove(_ uid: String, by clock: Date) throws(Refusal) -> (kind: FactorKind, isRevocation: Bool) {
    guard let index = factors.firstIndex(where: { $0.uid.hasBytes(of: uid) }) else {
      throw Refusal(.multiFactorInfoNotFound)
    }
    let now = advance(to: clock)
    let factor = factors.remove(at: index)
    note(PastFactor(factor, until: now))
    challenges.removeAll { $0.purpose == .signIn(factorUID: factor.uid) }
    spentSecrets.removeAll { $0.expiry <= now }
    if let expiry = factor.secretExpiry, now < expiry {
      spentSecrets.append(SpentSecret(uid: factor.uid, expiry: expiry))
    }
    let isRevocation =
      index == factors.endIndex && !factors.isEmpty || spentSecrets.count > Self.maximumSpentSecretCount
    if isRevocation { revoke(by: clock) }
    if factors.isEmpty {
      dropRecoveryCodes(by: clock)
      // Nothing is left that an administrator could unlock.
      failures = 0
    }
    return (factor.kind, isRevocation)
  }

  /// Replaces all of the user's factors and revokes the handles. A secret that stays keeps its last accepted step or
  /// counter.
  mutating func replace(with new: [Factor], by clock: Date) throws(Refusal) {
    let before = self
    let old = factors
    factors = []
    do {
      for var factor in new {
        if let same = old.first(where: { $0.content.hasSameMovingFactors(as: factor.content) }) {
          factor.lastAccepted = [factor.lastAccepted, same.lastAccepted].compactMap(\.self).max()
        }
        try add(factor, atMost: .max, by: clock)
      }
    } catch {
      // This also restores the account's time, which adding the first factor has advanced.
      self = before
      throw error
    }
    for factor in old
    where !factors.contains(where: { $0.uid == factor.uid && $0.content.isSame(as: factor.content) }) {
      note(PastFactor(factor, until: now(by: clock)))
    }
    failures = 0
    dropRecoveryCodes(by: clock)
    revoke(by: clock)
  }

  /// Revokes all handles and pending sign-ins, along with secrets that are being enrolled and text messages that were
  /// requested.
  mutating func revoke(by clock: Date) {
    advance(to: clock)
    generation &+= 1
    spentSecrets = []
    challenges = []
  }

  /// Clears the failures of a factor or, by the name ``FactorKind/recovery``, of the recovery codes; and those of the
  /// account.
  mutating func unlock(_ uid: String, by clock: Date) throws(Refusal) {
    if uid == FactorKind.recovery.rawValue {
      guard !recoveryCodes.isEmpty else { throw Refusal(.multiFactorInfoNotFound) }
      recoveryAttempts.unlock()
    } else {
      guard let index = factors.firstIndex(where: { $0.uid.hasBytes(of: uid) }) else {
        throw Refusal(.multiFactorInfoNotFound)
      }
      factors[index].attempts.unlock()
    }
    failures = 0
    advance(to: clock)
  }

  /// Replaces the recovery codes of a signed-in user.
  mutating func replaceRecoveryCodes(
    with codes: [RecoveryCode], by signIn: SignIn, at clock: Date, under configuration: MultiFactorConfiguration
  ) throws(Refusal) {
    try admit(signIn, by: clock)
    guard !factors.isEmpty else { throw Refusal(.multiFactorInfoNotFound) }
    try checkMayReplaceRecoveryCodes(signIn, by: clock, under: configuration)
    dropRecoveryCodes(by: clock)
    recoveryCodes = codes
    recoveryCodesDate = advance(to: clock)
  }

  /// Deletes everything held about the user, and revokes what was handed out.
  ///
  /// - Parameters:
  ///   - lifetime: The longest that anything handed out can be valid, in seconds.
  ///   - stride: How much to add to the generation, drawn at random: once an account is gone, a new one of the same
  ///     name counts from 0 again, and must not reach a generation that was handed out before.
  /// - Returns: Whether everything handed out has already expired, so that nothing need be kept.
  mutating func delete(by clock: Date, after lifetime: TimeInterval, raisingBy stride: UInt64) -> Bool {
    let remainder = Account(latestTime: latestTime, generation: generation)
    let end = latestTime.addingTimeInterval(lifetime)
    if self == remainder, generation != 0, now(by: clock) >= end { return true }
    self = remainder
    generation &+= max(1, stride)
    advance(to: clock)
    return false
  }

  /// Deletes the recovery codes and the count of attempts on them.
  mutating func dropRecoveryCodes(by clock: Date) {
    if let date = recoveryCodesDate {
      note(
        PastFactor(
          uid: FactorKind.recovery.rawValue, kind: .recovery, enrollmentDate: date, removalDate: now(by: clock)))
    }
    recoveryCodes = []
    recoveryCodesDate = nil
    recoveryAttempts = Attempts()
  }

  /// Adds a factor that is no longer bound to the account's record.
  private mutating func note(_ past: PastFactor) {
    pastFactors.append(past)
    if pastFactors.count > PastFactor.maximumCount { pastFactors.removeFirst() }
  }
}

extension Factor.Content {
  var kind: FactorKind {
    switch self {
    case .secret(let secret): secret.kind
    case .phone: .phone
    }
  }

  /// Whether a code spent for one is spent for the other: they have the same secret and number their steps or counters
  /// alike, or have the same phone number.
  func hasSameMovingFactors(as other: Factor.Content) -> Bool {
    guard case .secret(let secret) = self, case .secret(let other) = other else { return isSame(as: other) }
    return secret.kind == other.kind && secret.timeStep == other.timeStep && secret.secret == other.secret
  }

  /// Whether both are the same secret, whatever its parameters, or the same phone number.
  func isSame(as other: Factor.Content) -> Bool {
    switch (self, other) {
    case (.secret(let secret), .secret(let other)): secret.secret == other.secret
    case (.phone(let number), .phone(let other)): number == other
    default: false
    }
  }
}
