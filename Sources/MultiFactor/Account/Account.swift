import Foundation

/// All that is held of one user: a value, with every rule as a function of it, without store, clock, key or I/O.
///
/// A function that throws a ``Refusal`` may have changed the account before: what was counted stays counted. The caller
/// keeps what is changed, in one transaction, whether the function throws or not, and answers only after that.
///
/// Its time never runs backwards: `now` is the latest that any clock said when the account was changed. A machine whose
/// clock is behind shortens no lock, delay or limit that another has imposed, and makes nothing good again that has
/// expired. Only codes by time are compared by the machine's own clock; those that were accepted are spent by their
/// step, whatever the time.
struct Account: Sendable, Equatable {
  /// The latest time that it has seen.
  var latestTime = Date.distantPast
  /// The generation of the user's handles. A sign-in of an earlier one is revoked.
  var generation: UInt64 = 0
  /// In the order of their enrolment.
  var factors: [Factor] = []
  /// The recovery codes that are left, in the order of their numbers.
  var recoveryCodes: [RecoveryCode] = []
  /// When the set was made that they are of, used up or not; `nil` where there is none.
  var recoveryCodesDate: Date?
  /// The attempts on the recovery codes.
  var recoveryAttempts = Attempts()
  /// How many attempts have failed since the last success, over all factors and recovery codes.
  var failures: UInt64 = 0
  /// Codes that were sent by text message, the latest last.
  var challenges: [Challenge] = []
  /// The text messages sent for the user.
  var messages = MessageLog()
  /// The names of secrets that were enrolled and removed while they could still be offered: none is enrolled twice.
  var spentSecrets: [SpentSecret] = []
  /// What was bound to the account and is not any more, in the order of its removal.
  var pastFactors: [PastFactor] = []

  /// A recovery code, by its number on the user's list and its keyed hash.
  struct RecoveryCode: Sendable, Equatable {
    let number: UInt8
    let hash: [UInt8]
  }

  /// A secret that was enrolled and removed.
  struct SpentSecret: Sendable, Equatable {
    let uid: String
    let expiry: Date
  }

  /// How many of them are kept. One more raises the generation instead, after which none can be offered any more.
  static let maximumSpentSecretCount = 32

  /// The account's time, by a clock.
  func now(by clock: Date) -> Date { max(latestTime, clock) }

  /// Notes the time of a change.
  @discardableResult
  mutating func advance(to clock: Date) -> Date {
    latestTime = now(by: clock)
    return latestTime
  }

  /// Whether the user has anything that an administrator would see.
  var isEmpty: Bool { generation == 0 && factors.isEmpty && recoveryCodes.isEmpty && pastFactors.isEmpty }
}

// What several rules ask.
extension Account {
  /// Checks that a sign-in is good: not expired, not revoked.
  ///
  /// - Parameter expired: What the client is told otherwise.
  func admit(_ signIn: SignIn, by clock: Date, expired: AuthError.Code = .userTokenExpired) throws(Refusal) {
    guard now(by: clock) < signIn.expiry else { throw Refusal(expired, .tokenRefused, .expired) }
    guard signIn.generation == generation else { throw .revoked }
  }

  /// Checks that a sign-in may change factors: the first factor was proved recently and, if there are any, a second.
  func checkIsRecent(
    _ signIn: SignIn, by clock: Date, under configuration: MultiFactorConfiguration
  ) throws(Refusal) {
    // How recent a time in the future is cannot be known.
    let age = abs(now(by: clock).timeIntervalSince(signIn.firstFactorDate))
    guard age <= configuration.recentLoginInterval else {
      throw Refusal(.requiresRecentLogin, .operationRefused, .notRecent)
    }
    try checkIsProved(signIn, under: configuration)
  }

  /// Checks that a second factor was proved in a sign-in, if the user has any.
  private func checkIsProved(_ signIn: SignIn, under configuration: MultiFactorConfiguration) throws(Refusal) {
    guard factors.isEmpty || signIn.proof.map({ holds($0, under: configuration) }) ?? false else {
      throw Refusal(.requiresRecentLogin, .operationRefused, .notRecent)
    }
  }

  /// Checks that a sign-in may make recovery codes: a factor was proved recently, whenever the first one was.
  ///
  /// A list of codes is handed out in a session of the second level (SP 800-63B-4, section 3.1.2.1). A sign-in by a
  /// recovery code is none, but is good for enrolling a factor in the place of the lost one (section 4.2.2.2), which then
  /// has been proved.
  func checkMayReplaceRecoveryCodes(
    _ signIn: SignIn, by clock: Date, under configuration: MultiFactorConfiguration
  ) throws(Refusal) {
    guard let proof = signIn.proof, proof.kind != .recovery, holds(proof, under: configuration),
      abs(now(by: clock).timeIntervalSince(proof.date)) <= configuration.recentLoginInterval
    else { throw Refusal(.requiresRecentLogin, .operationRefused, .notRecent) }
  }

  /// Checks that a sign-in may enrol a factor, but for how recent it is.
  func checkMayEnroll(_ signIn: SignIn, under configuration: MultiFactorConfiguration) throws(Refusal) {
    guard FactorKind.enrollable.contains(where: configuration.allows) else { throw .disabled(nil) }
    guard signIn.firstFactor.supportsSecondFactor else {
      throw Refusal(.unsupportedFirstFactor, .enrollmentRefused, .unsupportedFirstFactor)
    }
    guard signIn.principal.email?.isEmpty == false, signIn.principal.isEmailVerified else {
      throw Refusal(.unverifiedEmail, .enrollmentRefused, .unverifiedEmail)
    }
    try checkIsProved(signIn, under: configuration)
  }

  /// Whether a proof still counts: its factor is there, and its kind is enabled.
  func holds(_ proof: Proof, under configuration: MultiFactorConfiguration) -> Bool {
    configuration.allows(proof.kind) && keeps(proof)
  }

  /// Whether what was proved is still there. A recovery code stands in for the factors of its time: once they are all
  /// removed, or other codes made, it proves nothing. Nor does a factor that was removed of an imported one of its name.
  func keeps(_ proof: Proof?) -> Bool {
    guard let proof else { return true }
    let isThere = factors.contains { factor in
      proof.kind == .recovery
        ? factor.enrollmentDate <= proof.date : factor.uid.hasBytes(of: proof.uid) && factor.kind == proof.kind
    }
    return isThere && !pastFactors.contains { $0.uid.hasBytes(of: proof.uid) && proof.date < $0.removalDate }
  }

  /// The place of a factor of a kind.
  func index(of uid: String, _ kind: FactorKind) throws(Refusal) -> Int {
    let index = factors.firstIndex { $0.uid.hasBytes(of: uid) && $0.kind == kind }
    guard let index else { throw Refusal(.multiFactorInfoNotFound, .codeRefused, .notFound, uid, kind) }
    return index
  }
}

/// That a second factor was proved: which, and when.
struct Proof: Sendable, Hashable {
  let uid: String
  let kind: FactorKind
  let date: Date
}
