/// The root command.
struct OTPTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "otp",
    abstract:
      "One-time passwords: HOTP (RFC 4226), TOTP (RFC 6238), their secrets and otpauth:// URIs, and second factors.",
    version: OTPEngine.version,
    groupedSubcommands: [
      CommandGroup(
        name: "Code", subcommands: [Generate.self, Verify.self, Secret.self, URI.self, Vectors.self, Info.self]),
      CommandGroup(
        name: "Account",
        subcommands: [
          Enroll.self, Authenticate.self, Factors.self, Unenroll.self, NewRecoveryCodes.self,
        ]),
      CommandGroup(
        name: "Administration", subcommands: [Explain.self, Unlock.self, Revoke.self, AccountsCommand.self]),
      CommandGroup(
        name: "Store",
        subcommands: [StoreCommand.self, KeyringCommand.self, Import.self, Export.self, RecordCommand.self]),
    ])

  /// What follows the commands in the help.
  static let remarks = """
    EXIT STATUS:
      0   done, or accepted
      1   a negative result: of verify, authenticate, explain, vectors, import, export, store check or store reseal
      64  the command line, OTP_BACKEND or OTP_STORE is wrong
      65  the data is wrong: a base32 text, a URI, a file, a store, an argument that is not UTF-8
      70  the machine fails
      74  the output cannot be written

    An error is one line on standard error and never repeats a secret, a code or a URI. The environment variable
    OTP_STORE names the store if --store does not; OTP_BACKEND forces an HMAC implementation: \(HMACBackend.allNames).

    """

  func run() throws { throw ToolError.usage("a command is missing; see 'otp --help'") }
}
