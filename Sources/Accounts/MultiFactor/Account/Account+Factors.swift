import FactorRecord
import Foundation
import Keyring
import OTP

/// A factor to be enrolled, with the evidence that the user can use it.
enum Candidate: Sendable {
  /// A secret and its first code.
  case secret(EnrollmentSecret.Content, code: String)
  /// An external factor by its name, kind and details, which its ``ExternalFactor`` has accepted.
  case external(uid: String, FactorKind, details: [UInt8])
}

extension Account {
  /// Enrolls a factor: checks that the user may, checks the code, and adds the factor with that code spent.
  mutating func enroll(
    _ candidate: Candidate, displayName: String?, by signIn: SignIn, at time: Date,
    under configuration: MultiFactorConfiguration
  ) throws(Refusal) -> Proof {
    try admit(signIn, at: time)
    // Whether the first factor was recent was checked when the session began; the candidate expires with that session.
    try checkMayEnroll(signIn, under: configuration)
    let accountTime = accountTime(at: time)
    let displayName = displayName.map(Factor.keptName)
    let factor: Factor
    switch candidate {
    case .secret(let secret, let code):
      guard accountTime < secret.expiry else { throw Refusal(.sessionExpired, .tokenRefused, .expired) }
      guard secret.generation == generation else { throw .revoked }
      var record = secret.record(at: accountTime)
      record.lastAccepted = try lastSpent(of: secret.secret)
      if let lossDate { record.spendSteps(until: lossDate.unixSeconds, under: configuration.policy) }
      try confirm(&record, of: secret, by: code, at: time, accountTime, under: configuration)
      factor = Factor(uid: secret.uid, content: .record(record), displayName: displayName, enrollmentDate: accountTime)
    case .external(let uid, let kind, let details):
      factor = Factor(
        uid: uid, content: .external(kind, details: details), displayName: displayName, enrollmentDate: accountTime)
    }
    try add(factor, atMost: configuration.maximumFactorCount, at: time)
    return .factor(uid: factor.uid, factor.kind, binding: bindingCount, accountTime)
  }

  /// Confirms an enrollment by its first code, which is spent.
  private func confirm(
    _ record: inout FactorRecord, of secret: EnrollmentSecret.Content, by code: String, at time: Date,
    _ accountTime: Date,
    under configuration: MultiFactorConfiguration
  ) throws(Refusal) {
    let kind = FactorKind(record.kind)
    let answer: FactorRecord.Answer
    var diagnosis: FactorRecord.Diagnosis?
    do {
      let clock = try FactorRecord.Clock(time.unixSeconds, notBefore: accountTime.unixMilliseconds)
      answer = try withUTF8(of: code) { (code) throws(FactorRecordError) in
        try record.confirm(typedUTF8: code, at: clock, under: configuration.policy)
      }
      if case .rejected = answer { diagnosis = try record.diagnose(code, at: time.unixSeconds) }
    } catch {
      throw .uncompared(secret.uid, kind, .init(error))
    }
    switch answer {
    case .enrolled, .accepted: return
    case .rejected(let reason): throw .enrollmentCode(.init(reason), secret.uid, kind, diagnosis)
    // Failures do not delay a confirmation.
    case .wait(let end), .locked(let end?): throw .spent(until: end.unixTime, secret.uid, kind)
    case .locked(nil): throw .wait(until: nil, isLock: true, secret.uid, kind)
    }
  }

  /// Adds a factor, unless the user already has it, has one of the same name, or has as many as are allowed. What was
  /// spent of its secret earlier stays spent.
  package mutating func add(_ factor: Factor, atMost limit: Int, at time: Date) throws(Refusal) {
    try checkRoom(for: factor.content, atMost: limit)
    guard !factors.contains(where: { $0.uid.hasBytes(of: factor.uid) }) else {
      throw Refusal(.secondFactorAlreadyEnrolled, .enrollmentRefused, .duplicate, nil, factor.kind)
    }
    var factor = factor
    if var record = factor.record, let secret = record.secret {
      // A record from a table of the host's own remembers the secrets before it.
      spentSecrets.keep(all: record.spentSecrets)
      record.spentSecrets = []
      if let last = try lastSpent(of: secret) { record.lastAccepted = max(record.lastAccepted ?? 0, last) }
      factor.content = .record(record)
      if !forgetOldestSpent() { revoke(at: time) }
    }
    advance(to: time)
    // One that stays in an overwriting keeps its number.
    if factor.binding == 0 { factor.binding = bind() }
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
    _ uid: String, by signIn: SignIn, at time: Date, under configuration: MultiFactorConfiguration
  ) throws(Refusal) -> (kind: FactorKind, isRevocation: Bool) {
    try admit(signIn, at: time)
    try checkIsRecent(signIn, at: time, under: configuration)
    return try remove(uid, at: time)
  }

  /// Removes a factor. Removing the most recently enrolled of several revokes the handles; removing the only one also
  /// deletes the recovery codes.
  package mutating func remove(_ uid: String, at time: Date) throws(Refusal) -> (kind: FactorKind, isRevocation: Bool) {
    guard let index = factors.firstIndex(where: { $0.uid.hasBytes(of: uid) }) else {
      throw Refusal(.multiFactorInfoNotFound)
    }
    let keepsAll = try keepSpent(of: factors[index])
    let factor = factors.remove(at: index)
    note(PastFactor(factor, until: advance(to: time)))
    let isRevocation = index == factors.endIndex && !factors.isEmpty || !keepsAll
    if isRevocation { revoke(at: time) }
    if factors.isEmpty {
      dropRecoveryCodes(at: time)
      // Nothing is left that an administrator could unlock.
      failures = 0
    }
    return (factor.kind, isRevocation)
  }

  /// Replaces the recovery codes of a signed-in user.
  mutating func replaceRecoveryCodes(
    with codes: FactorRecord, by signIn: SignIn, at time: Date, under configuration: MultiFactorConfiguration
  ) throws(Refusal) {
    try admit(signIn, at: time)
    guard !factors.isEmpty else { throw Refusal(.multiFactorInfoNotFound) }
    try checkHasVerifiedRecently(signIn, at: time, under: configuration)
    dropRecoveryCodes(at: time)
    var codes = codes
    codes.enrollmentMilliseconds = advance(to: time).unixMilliseconds
    (recovery, recoveryBinding) = (codes, bind())
  }

  /// The number of a new binding.
  private mutating func bind() -> UInt64 {
    bindingCount &+= 1
    return bindingCount
  }

  /// Deletes the recovery codes and the count of attempts on them.
  package mutating func dropRecoveryCodes(at time: Date) {
    if let date = recoveryCodesDate {
      note(
        PastFactor(
          uid: FactorKind.recovery.rawValue, kind: .recovery, enrollmentDate: date, removalDate: accountTime(at: time)))
    }
    (recovery, recoveryBinding) = (nil, 0)
  }

  /// The user's factor with the same secret, or of the same kind and details.
  func factor(like content: Factor.Content) throws(Refusal) -> Factor? {
    for factor in factors where try factor.content.isSame(as: content) { return factor }
    return nil
  }

  /// The last step or counter whose code is spent, of a secret that was removed.
  private func lastSpent(of secret: FactorSecret) throws(Refusal) -> UInt64? {
    do { return try spentSecrets.last(of: secret) } catch { throw .uncompared(nil, secret.kind) }
  }

  /// Keeps what was spent of a factor's secret.
  ///
  /// - Returns: Whether what was spent of all others is kept, too.
  mutating func keepSpent(of factor: Factor) throws(Refusal) -> Bool {
    guard let record = factor.record else { return true }
    do { try spentSecrets.keep(of: record) } catch { throw .uncompared(nil, factor.kind) }
    return forgetOldestSpent()
  }

  private mutating func forgetOldestSpent() -> Bool {
    guard spentSecrets.count > Self.maximumSpentSecretCount else { return true }
    spentSecrets.removeFirst(Self.maximumSpentSecretCount / 2)
    return false
  }

  /// Adds a factor that is no longer bound to the account's record.
  mutating func note(_ past: PastFactor) {
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

  /// Whether both are of one external kind and have the same details, or are the same secret to HMAC with the hash
  /// function of one of them, whatever their other parameters.
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
