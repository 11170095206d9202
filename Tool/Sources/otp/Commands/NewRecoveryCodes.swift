import ArgumentParser
import MultiFactor

/// `otp recovery-codes`
struct NewRecoveryCodes: FactorCommand {
  static let configuration = CommandConfiguration(
    commandName: "recovery-codes",
    abstract: "Make new recovery codes for an account, and show them once.",
    discussion: """
      Prints ten codes, one a line. Each is good for one 'otp authenticate --recovery-code'; any that the account had \
      before are gone. A code of one of the account's factors comes first, by --code or on standard input; a recovery \
      code is not enough. If it is refused, the line is 'rejected' or 'locked until=TIME', and the exit status 1.

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
    try ShownRecoveryCodes(codes: codes).print(asJSON: output.json)
  }
}

/// What `otp recovery-codes` prints.
private struct ShownRecoveryCodes: Report {
  let codes: [String]

  var lines: [String] { codes }
}
