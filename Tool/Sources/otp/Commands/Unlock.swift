/// `otp unlock`
struct Unlock: StoreUsing {
  static let configuration = CommandConfiguration(
    commandName: "unlock", abstract: "Clear failures, which ends delays and locks.",
    discussion: """
      Prints 'unlocked factor=UID' for each factor that had failures, or for the given one; 'recovery' stands for the \
      recovery codes, which any of them locks. First make sure of who is asking: failures are what stops an attacker \
      who guesses. What unlocking does not change is printed too: 'locked factor=UID needs=enrollment' if 100 attempts \
      in a row have failed, so that the factor must be removed and enrolled again, and 'spent factor=UID until=TIME' \
      if its codes are spent until then, after a loss of changes or a restored backup.

      EXAMPLE: otp unlock alice@example.com
      """)

  @OptionGroup var account: AccountOptions

  @Argument(help: "The factor's uid, as listed by 'otp factors'. (default: all)")
  var uid: String?

  @OptionGroup var output: JSONOption

  func execute() async throws {
    let admin = try await account.open().admin
    let user = try await admin.known(account.account)
    let hasRecoveryFailures =
      user.recoveryCodesRemaining > 0 && (user.consecutiveFailures > 0 || user.needsNewRecoveryCodes)
    let uids =
      uid.map { [$0] } ?? user.factors.filter { $0.consecutiveFailures > 0 || $0.isLocked }.map(\.info.uid)
      + (hasRecoveryFailures ? [RecoveryCodeMultiFactorID] : [])
    // The account's own failures are cleared also if those of a factor stay.
    for uid in uids { try await admin.unlock(uid, of: account.account) }
    let factors = try await admin.user(account.account).factors.filter { uid == nil || $0.info.uid == uid }
    var kept = factors.filter { $0.isSpent || $0.needsNewEnrollment }.map { ($0.info.uid, FactorState($0)) }
    if uids.contains(RecoveryCodeMultiFactorID), let state = FactorState.ofLostRecoveryCodes(of: user) {
      kept.append((RecoveryCodeMultiFactorID, state))
    }
    let idle = user.factors.filter { $0.isSpent && $0.consecutiveFailures == 0 }.map(\.info.uid)
    let unlocked = uids.filter { uid in !idle.contains(uid) && !kept.contains { $0 == uid && $1.needs != nil } }
    let keptLines = kept.map { uid, state in
      Line(state.name, as: "state", [Field("factor", uid), Field("until", state.until), Field("needs", state.needs)])
    }
    try Report(
      fields: [
        Field("result", "unlocked"), Field("factors", unlocked, text: nil), Field("kept", keptLines, text: nil),
      ],
      lines: unlocked.map { "unlocked factor=\($0)" } + keptLines.map(\.text)
    ).print(asJSON: output.json)
  }
}

/// `otp revoke`
struct Revoke: StoreUsing {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke handles: the user must sign in again.",
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
    try await admin.revokeTokens(of: account.account)
    try Line("revoked", []).print(asJSON: output.json)
  }
}
