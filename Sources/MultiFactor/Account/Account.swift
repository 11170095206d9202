import FactorRecord
import Foundation

/// All of one user's data: a value, with every rule as a function on it, without store, clock, key or I/O.
///
/// A function that throws a ``Refusal`` may already have changed the account: what was counted stays counted. The
/// caller stores the changed account in one transaction, whether or not the function throws, and answers only after
/// that.
///
/// Its time never runs backward: `accountTime` is never before the latest time at which the account was changed, by any
/// machine's clock. A machine whose clock is behind cannot shorten a lock, delay or limit that another has imposed, nor
/// revive anything that has expired. ``unlock(_:at:)`` alone sets back a time that is over a day ahead, and revokes
/// what was handed out. Only TOTP codes are checked by the machine's own clock; accepted ones are spent by their step,
/// whatever the time.
package struct Account: Sendable, Equatable {
  /// The latest time that it has seen.
  package var latestTime = Date.distantPast
  /// The generation of the user's handles. A sign-in of an earlier generation is revoked.
  package var generation: UInt64 = 0
  /// In the order of their enrollment.
  package var factors: [Factor] = []
  /// The recovery codes, even if they are used up.
  package var recovery: FactorRecord?
  /// Which of the account's bindings the recovery codes are.
  var recoveryBinding: UInt64 = 0
  /// How many factors and sets of recovery codes were ever bound to the account. What was bound before something was
  /// verified, and what after, is known from these numbers: two times can be equal.
  package var bindingCount: UInt64 = 0
  /// How many attempts have failed since the last success, over all factors and recovery codes.
  var failures: UInt64 = 0
  /// What was spent of secrets that were removed, the latest removal last, so that none of their codes is accepted
  /// again if they are added again.
  var spentSecrets: [SpentSecret] = []
  /// The moment up to which the store may have lost changes, if it has: see ``spendAll(until:under:)``. Not stored.
  var lossDate: Date?
  /// Factors that are no longer bound to the account, in the order of removal.
  var pastFactors: [PastFactor] = []

  /// What was spent of a secret: the codes of all steps or counters up to one, however they are numbered in time.
  struct SpentSecret: Sendable, Equatable {
    /// See `FactorSecret.fingerprint(under:)`.
    let fingerprint: [UInt8]
    let lastAccepted: UInt64
  }

  /// How many are kept. For one more, the older half is forgotten and the generation raised, after which none of them
  /// can be offered for enrollment any more.
  static let maximumSpentSecretCount = 100

  /// How far apart the clocks of machines can be without reviving anything once an account is gone, in seconds: a day.
  package static let maximumClockDifference: TimeInterval = 86_400

  /// The account's time, by a clock.
  package func accountTime(at time: Date) -> Date { max(latestTime, time) }

  /// Notes the time of a change.
  @discardableResult
  mutating func advance(to time: Date) -> Date {
    latestTime = accountTime(at: time)
    return latestTime
  }

  /// The numbers of the unused recovery codes.
  var recoveryCodes: [Int] { recovery?.unusedRecoveryCodes ?? [] }

  /// When the recovery codes were made, even if they are used up; `nil` if there are none.
  var recoveryCodesDate: Date? { recovery.map { Date(unixMilliseconds: $0.enrollmentMilliseconds) } }

  /// Whether there is nothing for an administrator to see.
  package var isEmpty: Bool { generation == 0 && factors.isEmpty && recoveryCodes.isEmpty && pastFactors.isEmpty }
}

// Checks that several rules share.
extension Account {
  /// Checks that a sign-in is valid: neither expired nor revoked.
  ///
  /// - Parameter expired: The error code for the client if it has expired.
  package func admit(_ signIn: SignIn, at time: Date, expired: AuthError.Code = .userTokenExpired) throws(Refusal) {
    guard accountTime(at: time) < signIn.expiry else { throw Refusal(expired, .tokenRefused, .expired) }
    guard signIn.generation == generation else { throw .revoked }
  }

  /// Checks that a sign-in may change factors: the first factor was verified recently and, if there are any, a second.
  func checkIsRecent(
    _ signIn: SignIn, at time: Date, under configuration: MultiFactorConfiguration
  ) throws(Refusal) {
    // A time in the future is no more recent than one as far in the past.
    let age = abs(accountTime(at: time).timeIntervalSince(signIn.firstFactorDate))
    guard age <= configuration.recentLoginInterval.timeInterval else {
      throw Refusal(.requiresRecentLogin, .operationRefused, .notRecent)
    }
    try checkIsProved(signIn, under: configuration)
  }

  /// Checks that a second factor was verified in a sign-in, if the user has any.
  private func checkIsProved(_ signIn: SignIn, under configuration: MultiFactorConfiguration) throws(Refusal) {
    guard factors.isEmpty || signIn.proof.map({ holds($0, under: configuration) }) ?? false else {
      throw Refusal(.requiresRecentLogin, .operationRefused, .notRecent)
    }
  }

  /// Checks that a factor was verified recently in a sign-in, however long ago the first factor was: what stands in for
  /// a factor later is handed out only then.
  ///
  /// A list of recovery codes is handed out only in a session at AAL2 (SP 800-63B-4, section 3.1.2.1). A sign-in by a
  /// recovery code is not one, but allows enrolling a factor in place of the lost one (section 4.2.2.2), which then
  /// counts as verified.
  package func checkHasVerifiedRecently(
    _ signIn: SignIn, at time: Date, under configuration: MultiFactorConfiguration
  ) throws(Refusal) {
    guard let proof = signIn.proof, proof.kind != .recovery, holds(proof, under: configuration),
      abs(accountTime(at: time).timeIntervalSince(proof.date)) <= configuration.recentLoginInterval.timeInterval
    else { throw Refusal(.requiresRecentLogin, .operationRefused, .notRecent) }
  }

  /// Checks that a sign-in may enroll a factor, except for how recent it is.
  func checkMayEnroll(_ signIn: SignIn, under configuration: MultiFactorConfiguration) throws(Refusal) {
    guard configuration.allowsEnrollment else { throw .disabled(nil) }
    guard signIn.firstFactor.supportsSecondFactor else {
      throw Refusal(.unsupportedFirstFactor, .enrollmentRefused, .unsupportedFirstFactor)
    }
    guard signIn.principal.email?.isEmpty == false, signIn.principal.isEmailVerified else {
      throw Refusal(.unverifiedEmail, .enrollmentRefused, .unverifiedEmail)
    }
    try checkIsProved(signIn, under: configuration)
  }

  /// Whether a proof still counts: its factor is still enrolled, and its kind is enabled. A remembered browser's proof
  /// signs in, and counts for nothing else.
  func holds(_ proof: Proof, under configuration: MultiFactorConfiguration) -> Bool {
    proof.kind != .remembered && configuration.allows(proof.kind) && keeps(proof)
  }

  /// Whether the verified factor is still enrolled. A recovery code stands in for the factors that existed when it was
  /// used: once they are all removed, or new codes are generated, it no longer counts.
  package func keeps(_ proof: Proof?) -> Bool {
    guard let proof else { return true }
    guard proof.kind == .recovery else { return factor(of: proof) != nil }
    return recovery != nil && recoveryBinding <= proof.binding && factors.contains { $0.binding <= proof.binding }
  }

  /// The factor that was verified, if it is still enrolled: not one that was imported later under the same name.
  package func factor(of proof: Proof) -> Factor? {
    factors.first { $0.binding == proof.binding && $0.uid.hasBytes(of: proof.uid) }
  }

  /// The index of a factor of a kind.
  func index(of uid: String, _ kind: FactorKind) throws(Refusal) -> Int {
    let index = factors.firstIndex { $0.uid.hasBytes(of: uid) && $0.kind == kind }
    guard let index else { throw Refusal(.multiFactorInfoNotFound, .codeRefused, .notFound, uid, kind) }
    return index
  }
}

/// Proof of a second factor: which one, and when.
package struct Proof: Sendable, Hashable {
  package let uid: String
  /// The factor's kind; or ``FactorKind/remembered`` if this browser was remembered after the factor was verified.
  package let kind: FactorKind
  /// Which of the account's bindings the factor is; for a recovery code, how many there were when it was used.
  package let binding: UInt64
  package let date: Date

  package init(uid: String, kind: FactorKind, binding: UInt64, date: Date) {
    self.uid = uid
    self.kind = kind
    self.binding = binding
    self.date = date
  }
}
