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
  package var failures: UInt64 = 0
  /// What was spent of secrets that were removed, the latest removal last, so that none of their codes is accepted
  /// again if they are added again.
  var spentSecrets: [SpentSecret] = []
  /// The moment up to which the store may have lost changes, if it has: see ``spendAll(until:under:)``. Not stored.
  var lossDate: Date?
  /// Factors that are no longer bound to the account, in the order of removal.
  package var pastFactors: [PastFactor] = []

  /// How many are kept. For one more, the older half is forgotten and the generation raised, after which none of them
  /// can be offered for enrollment any more.
  static let maximumSpentSecretCount = 100

  /// How far apart the clocks of machines can be without reviving anything once an account is gone, in seconds: a day.
  package static let maximumClockDifference: TimeInterval = 86_400

  /// The account's time, by a clock.
  package func accountTime(at time: Date) -> Date { max(latestTime, time) }

  /// Notes the time of a change.
  @discardableResult
  package mutating func advance(to time: Date) -> Date {
    latestTime = accountTime(at: time)
    return latestTime
  }

  /// The numbers of the unused recovery codes.
  package var recoveryCodes: [Int] { recovery?.unusedRecoveryCodes ?? [] }

  /// When the recovery codes were made, even if they are used up; `nil` if there are none.
  package var recoveryCodesDate: Date? { recovery.map { Date(unixMilliseconds: $0.enrollmentMilliseconds) } }

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
    try checkIsVerified(signIn, under: configuration)
  }

  /// Checks that a second factor was verified in a sign-in, if the user has any.
  private func checkIsVerified(_ signIn: SignIn, under configuration: MultiFactorConfiguration) throws(Refusal) {
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
    guard let proof = signIn.proof, case .factor = proof, holds(proof, under: configuration),
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
    try checkIsVerified(signIn, under: configuration)
  }

  /// Whether a proof counts for more than signing in: it still stands, and its kind is enabled.
  func holds(_ proof: Proof, under configuration: MultiFactorConfiguration) -> Bool {
    switch proof {
    case .factor(_, let kind, _, _): configuration.allows(kind) && keeps(proof)
    case .recoveryCode: configuration.allows(.recovery) && keeps(proof)
    case .rememberedBrowser: false
    }
  }

  /// Whether a proof still stands: nothing that it rests on was removed or replaced.
  package func keeps(_ proof: Proof?) -> Bool {
    switch proof {
    case nil: true
    case .factor(let uid, _, let binding, _)?, .rememberedBrowser(let uid, let binding, _)?:
      factor(uid, binding) != nil
    case .recoveryCode(_, let bindings, _)?:
      recovery != nil && recoveryBinding <= bindings && factors.contains { $0.binding <= bindings }
    }
  }

  /// The factor of a name and a binding: not one that was imported later under the same name.
  package func factor(_ uid: String, _ binding: UInt64) -> Factor? {
    factors.first { $0.binding == binding && $0.uid.hasBytes(of: uid) }
  }

  /// The index of a factor of a kind.
  func index(of uid: String, _ kind: FactorKind) throws(Refusal) -> Int {
    let index = factors.indices.first { factors[$0].uid.hasBytes(of: uid) && factors[$0].kind == kind }
    guard let index else { throw Refusal.notFound(uid, kind) }
    return index
  }
}
