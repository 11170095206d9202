/// `otp unenroll`
struct Unenroll: StoreUsing {
  static let configuration = CommandConfiguration(
    commandName: "unenroll", abstract: "Remove a second factor, as the administrator.",
    discussion: """
      Anyone who can read the store and its keyring is its administrator, so no code is needed: use this also for a \
      lost factor. Removing the last factor also deletes the recovery codes.

      EXAMPLE: otp unenroll alice@example.com 0b5a1f6be3c84d1d9c5d0c4f5d1f9a77
      """)

  @OptionGroup var account: AccountOptions

  @Argument(help: "The factor's uid, as listed by 'otp factors'.")
  var uid: String

  @OptionGroup var output: JSONOption

  func execute() async throws {
    let admin = try await account.open().admin
    _ = try await admin.known(account.account)
    try await admin.removeFactor(uid, of: account.account)
    try Line("unenrolled", [Field("factor", uid)]).print(asJSON: output.json)
  }
}
