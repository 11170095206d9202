/// `otp recovery-codes`
struct NewRecoveryCodes: StoreUsing {
  static let configuration = CommandConfiguration(
    commandName: "recovery-codes", abstract: "Generate new recovery codes, and show them once.",
    discussion: """
      Prints ten codes, one per line. Each is valid for one 'otp authenticate --recovery-code'; they replace any \
      earlier ones. A code of one of the account's factors is needed first, from --code or standard input; a recovery \
      code is not enough. If it is refused, prints what 'otp authenticate' does, and exits 1.

      EXAMPLE: otp recovery-codes alice@example.com
      """)

  @OptionGroup var account: AccountOptions
  @OptionGroup var code: CodeOption
  @OptionGroup var factor: FactorOption
  @OptionGroup var output: JSONOption

  func execute() async throws {
    let auth = try await account.open()
    let resolver = try await account.signIn(on: auth).resolver()
    let user = try await code.signIn(by: resolver, with: factor.proof(by: resolver))
    let codes = try await user.multiFactor.generateRecoveryCodes().codes
    try Report(fields: [Field("codes", codes, text: nil)], lines: codes).print(asJSON: output.json)
  }
}
