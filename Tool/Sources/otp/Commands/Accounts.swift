/// `otp accounts`
struct AccountsCommand: StoreUsing {
  static let configuration = CommandConfiguration(
    commandName: "accounts", abstract: "List all accounts of a store.",
    discussion: """
      Each line is 'account=… factors=N recovery-codes=N failures=N state=active|waiting|spent|locked', then, where \
      there is one, 'until=TIME' or 'needs=enrollment': how many attempts have failed in a row over all of the \
      account's factors, and whether one of them, or the recovery codes, waits, is spent or is locked, and until when, \
      or until the user enrolls again. Each name is escaped, so that it is one word.

      EXAMPLE: otp accounts
      """)

  @OptionGroup var location: StoreOptions
  @OptionGroup var output: JSONOption

  func execute() async throws {
    let admin = try await location.location().open().admin
    var accounts: [Line] = []
    var last: String?
    while true {
      let page = try await admin.users(after: last, limit: 500)
      guard let end = page.last else { break }
      accounts += page.map(Self.line)
      last = end.userID
    }
    try Report(fields: [Field("accounts", accounts, text: nil)], lines: accounts.map(\.text)).print(asJSON: output.json)
  }

  private static func line(of user: AdministeredUser) -> Line {
    let states = user.factors.map(FactorState.init) + [FactorState.ofLostRecoveryCodes(of: user)].compactMap(\.self)
    let worst =
      states.first { $0.needs != nil }
      ?? ["locked", "spent", "waiting"].lazy.compactMap { name in states.first { $0.name == name } }.first
    return Line([
      Field("account", user.userID, text: DisplayText.escaped(user.userID, reserved: [" "])),
      Field("factors", user.factors.count), Field("recoveryCodes", user.recoveryCodesRemaining),
      Field("failures", user.consecutiveFailures),
      Field("state", worst?.name ?? (user.isLocked ? "locked" : "active")), Field("until", worst?.until),
      Field("needs", worst?.needs),
    ])
  }
}
