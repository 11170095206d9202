import FactorRecord
import Foundation

/// A factor to be enrolled, with the evidence that the user can use it.
enum Candidate: Sendable {
  /// A secret and its first code.
  case secret(EnrollmentSecret, code: String)
  /// An external factor by its name, kind and details, which its ``ExternalFactor`` has accepted.
  case external(uid: String, FactorKind, details: [UInt8])
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
    let factor: Factor
    switch candidate {
    case .secret(let secret, let code):
      guard now < secret.expiry else { throw Refusal(.sessionExpired, .tokenRefused, .expired) }
      guard secret.generation == generation else { throw .revoked }
      var record = secret.record(at: now)
      record.lastAccepted = try lastSpent(of: secret.secret)
      if let lossDate { record.spend(until: lossDate.unixSeconds, under: configuration.policy) }
      try confirm(&record, of: secret, by: code, at: clock, now, under: configuration)
      factor = Factor(uid: secret.uid, content: .record(record), displayName: displayName, enrollmentDate: now)
    case .external(let uid, let kind, let details):
      factor = Factor(
        uid: uid, content: .external(kind, details: details), displayName: displayName, enrollmentDate: now)
    }
    try add(factor, atMost: configuration.maximumFactorCount, by: clock)
    return Proof(uid: factor.uid, kind: factor.kind, date: now)
  }

  /// Confirms an enrollment by its first code, which is spent.
  private func confirm(
    _ record: inout FactorRecord, of secret: EnrollmentSecret, by code: String, at clock: Date, _ now: Date,
    under configuration: MultiFactorConfiguration
  ) throws(Refusal) {
    let kind = FactorKind(record.kind)
    let answer: FactorRecord.Answer
    var diagnosis: FactorRecord.Diagnosis?
    do {
      answer = try record.confirm(
        code, at: clock.unixSeconds, notBefore: now.unixMilliseconds, under: configuration.policy)
      if case .rejected = answer { diagnosis = try record.diagnose(code, at: clock.unixSeconds) }
    } catch {
      throw .uncompared(secret.uid, kind)
    }
    switch answer {
    case .enrolled, .accepted: return
    case .rejected(let reason): throw .enrollmentCode(.init(reason), secret.uid, kind, diagnosis)
    case .wait(let end), .locked(let end?):
      throw .wait(until: Date(timeIntervalSince1970: TimeInterval(end)), isLock: false, secret.uid, kind)
    case .locked(nil): throw .wait(until: nil, isLock: true, secret.uid, kind)
    }
  }

  /// Adds a factor, unless the user already has it, has one of the same name, or has as many as are allowed. What was
  /// spent of its secret earlier stays spent.
  package mutating func add(_ factor: Factor, atMost limit: Int, by clock: Date) throws(Refusal) {
    try checkRoom(for: factor.content, atMost: limit)
    guard !factors.contains(where: { $0.uid.hasBytes(of: factor.uid) }) else {
      throw Refusal(.secondFactorAlreadyEnrolled, .enrollmentRefused, .duplicate, nil, factor.kind)
    }
    var factor = factor
    if var record = factor.record, let secret = record.secret, let last = try lastSpent(of: secret) {
      record.lastAccepted = max(record.lastAccepted ?? 0, last)
      factor.content = .record(record)
    }
    advance(to: clock)
    factors.append(factor)
  }

  /// Checks that the user does not already have the secret or details, and may have another factor.
  ///
  /// If one secret were two factors, each of its codes could be spent twice.
  package func checkRoom(for content: Factor.Content, atMost limit: Int) throws(Refusal) {
    guard try factor(like: content) == nil else {
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
    let keepsAll = try keepSpent(of: factors[index])
    let factor = factors.remove(at: index)
    note(PastFactor(factor, until: advance(to: clock)))
    let isRevocation = index == factors.endIndex && !factors.isEmpty || !keepsAll
    if isRevocation { revoke(by: clock) }
    if factors.isEmpty {
      dropRecoveryCodes(by: clock)
      // Nothing is left that an administrator could unlock.
      failures = 0
    }
    return (factor.kind, isRevocation)
  }

  /// Replaces all of the user's factors and revokes the handles. What was spent of a secret that stays, stays spent, and
  /// its failures stay counted.
  package mutating func replace(with new: [Factor], by clock: Date) throws(Refusal) {
    let before = self
    do {
      for factor in before.factors { _ = try keepSpent(of: factor) }
      factors = []
      for var factor in new {
        if let old = try before.factor(like: factor.content) { factor.attempts = old.attempts }
        try add(factor, atMost: .max, by: clock)
      }
      for factor in before.factors where try self.factor(like: factor.content)?.uid != factor.uid {
        note(PastFactor(factor, until: now(by: clock)))
      }
    } catch {
      // This also restores the account's time, which adding the first factor has advanced.
      self = before
      throw error
    }
    // Otherwise, an account that is locked stays locked.
    if factors.isEmpty { failures = 0 }
    dropRecoveryCodes(by: clock)
    revoke(by: clock)
  }

  /// Revokes all handles and pending sign-ins, along with secrets and external factors that are being enrolled.
  mutating func revoke(by clock: Date) {
    advance(to: clock)
    generation &+= 1
  }

  /// Clears the failures of a factor or, by the name ``FactorKind/recovery``, of the recovery codes; and those of the
  /// account.
  mutating func unlock(_ uid: String, by clock: Date) throws(Refusal) {
    if uid == FactorKind.recovery.rawValue {
      guard !recoveryCodes.isEmpty else { throw Refusal(.multiFactorInfoNotFound) }
      recovery?.unlock()
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
    with codes: FactorRecord, by signIn: SignIn, at clock: Date, under configuration: MultiFactorConfiguration
  ) throws(Refusal) {
    try admit(signIn, by: clock)
    guard !factors.isEmpty else { throw Refusal(.multiFactorInfoNotFound) }
    try checkMayReplaceRecoveryCodes(signIn, by: clock, under: configuration)
    dropRecoveryCodes(by: clock)
    var codes = codes
    codes.enrollmentMilliseconds = advance(to: clock).unixMilliseconds
    recovery = codes
  }

  /// Deletes everything held about the user except what was spent, and revokes what was handed out.
  ///
  /// - Parameters:
  ///   - lifetime: The longest that anything handed out can be valid, in seconds, by a clock of its own.
  ///   - stride: How much to add to the generation, drawn at random: once an account is gone, a new one of the same
  ///     name counts from 0 again, and must not reach a generation that was handed out before.
  /// - Returns: Whether everything handed out has already expired, so that nothing need be kept.
  mutating func delete(by clock: Date, after lifetime: TimeInterval, raisingBy stride: UInt64) -> Bool {
    // If a secret cannot be hashed, the deletion matters more than what was spent.
    for factor in factors { _ = try? keepSpent(of: factor) }
    let remainder = Account(
      latestTime: latestTime, generation: generation, spentSecrets: spentSecrets, lossDate: lossDate)
    // What the machine with the fastest clock has handed out may be used on the one with the slowest; this one and that
    // of the first call can be any between them.
    let end = latestTime.addingTimeInterval(lifetime + 2 * Self.maximumClockDifference)
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
    recovery = nil
  }

  /// The user's factor with the same secret, or of the same kind and details.
  private func factor(like content: Factor.Content) throws(Refusal) -> Factor? {
    for factor in factors where try factor.content.isSame(as: content) { return factor }
    return nil
  }

  /// The last step or counter whose code is spent, of a secret that was removed.
  private func lastSpent(of secret: FactorSecret) throws(Refusal) -> UInt64? {
    guard !spentSecrets.isEmpty else { return nil }
    let fingerprint = try fingerprint(of: secret)
    return spentSecrets.first { equalInConstantTime($0.fingerprint, fingerprint) }?.lastAccepted
  }

  /// Keeps what was spent of a factor's secret, if the factor has accepted any code. What an import has stated is not
  /// kept, so that a mistake can be corrected by another import.
  ///
  /// - Returns: Whether what was spent of all others is kept, too.
  private mutating func keepSpent(of factor: Factor) throws(Refusal) -> Bool {
    guard let record = factor.record, let secret = record.secret, record.hasAccepted, let last = record.lastAccepted
    else { return true }
    let fingerprint = try fingerprint(of: secret)
    spentSecrets.removeAll { equalInConstantTime($0.fingerprint, fingerprint) }
    spentSecrets.append(SpentSecret(fingerprint: fingerprint, lastAccepted: last))
    guard spentSecrets.count > Self.maximumSpentSecretCount else { return true }
    spentSecrets.removeFirst(Self.maximumSpentSecretCount / 2)
    return false
  }

  private func fingerprint(of secret: FactorSecret) throws(Refusal) -> [UInt8] {
    do { return try secret.fingerprint(under: secret.algorithm) } catch { throw .uncompared(nil, secret.kind) }
  }

  /// Adds a factor that is no longer bound to the account's record.
  private mutating func note(_ past: PastFactor) {
    pastFactors.append(past)
    if pastFactors.count > PastFactor.maximumCount { pastFactors.removeFirst() }
  }
}

extension FactorSecret {
  var kind: FactorKind { isTimeBased ? .totp : .hotp }
}

extension Factor.Content {
  var kind: FactorKind {
    switch self {
    case .record(let record): FactorKind(record.kind)
    case .external(let kind, _, _): kind
    }
  }

  /// Whether both are of one external kind and have the same details, or are the same secret to HMAC with the hash function of one of them, whatever
  /// their other parameters.
  func isSame(as other: Factor.Content) throws(Refusal) -> Bool {
    switch (self, other) {
    case (.record(let record), .record(let other)):
      guard let secret = record.secret, let other = other.secret else { return false }
      do { return try secret.isSame(as: other) } catch { throw .uncompared(nil, secret.kind) }
    case (.external(let kind, let details, _), .external(let otherKind, let other, _)):
      return kind == otherKind && details == other
    default: return false
    }
  }
}
