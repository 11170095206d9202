import ArgumentParser
import FactorRecord
import MultiFactor

/// `otp unlock`
struct Unlock: FactorCommand {
  static let configuration = CommandConfiguration(
    abstract: "Clear failures, which ends delays and locks.",
    discussion: """
      Prints 'unlocked factor=UID' for each factor that had failures, or for the given one; 'recovery' stands for the \
      recovery codes, which any of them locks. A factor with 100 failures in a row stays locked: unenroll it, and have \
      the user enroll again. First make sure of who is asking: failures are what stops an attacker who guesses. Prints \
      'spent factor=UID until=TIME' for a factor whose codes are spent until then, after a loss of changes or a restored \
      backup: only waiting helps.

      EXAMPLE: otp unlock alice@example.com
      """)

  @OptionGroup var account: AccountOptions

  @Argument(help: "The factor's uid, as listed by 'otp factors'. (default: all)")
  var uid: String?

  @OptionGroup var output: JSONOption

  func execute() async throws {
    let admin = try await account.open().admin
    let user = try await admin.known(account.account)
    let failed = user.factors.filter { $0.consecutiveFailures > 0 || $0.isLocked }.map(\.info.uid)
    let recovery = user.recoveryCodesRemaining > 0 && user.consecutiveFailures > 0 ? [RecoveryCodeMultiFactorID] : []
    let spent = user.factors.filter { $0.isSpent && (uid == nil || $0.info.uid == uid) }
    let lost = user.factors.filter { $0.consecutiveFailures >= AttemptLimit.maximumFailuresUntilLock }.map(\.info.uid)
    let idle = spent.map(\.info.uid).filter { !failed.contains($0) }
    let uids = uid.map { [$0] } ?? failed + recovery
    // The account's own failures are cleared all the same.
    for uid in uids { try await admin.unlock(uid, of: account.account) }
    try UnlockedFactors(
      factors: uids.filter { !(lost + idle).contains($0) }, spent: spent.map(UnlockedFactors.Spent.init)
    ).print(asJSON: output.json)
  }
}

/// `otp revoke`
struct Revoke: FactorCommand {
  static let configuration = CommandConfiguration(
    abstract: "Revoke handles: the user must sign in again.",
    discussion: """
      Prints 'revoked'. Its factors stay. Servers notice at the next use of a handle; their own web sessions are theirs \
      to end.

      EXAMPLE: otp revoke alice@example.com
      """)

  @OptionGroup var account: AccountOptions
  @OptionGroup var output: JSONOption

  func execute() async throws {
    let admin = try await account.open().admin
    _ = try await admin.known(account.account)
    try await admin.revokeHandles(of: account.account)
    try Revoked().print(asJSON: output.json)
  }
}

/// What `otp unlock` prints.
private struct UnlockedFactors: Report {
  struct Spent: Encodable {
    let factor: String
    let until: String?

    init(_ factor: AdministeredFactor) { (self.factor, until) = (factor.info.uid, FactorState(factor).until) }
  }

  let result = "unlocked"
  let factors: [String]
  let spent: [Spent]

  var lines: [String] {
    factors.map { "unlocked factor=\($0)" } + spent.map { "spent factor=\($0.factor) until=\($0.until ?? "")" }
  }
}

/// What `otp revoke` prints.
private struct Revoked: Report {
  let result = "revoked"

  var lines: [String] { [result] }
}
