import ArgumentParser
import OTP

/// The root command.
struct OTPTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "otp",
    abstract:
      "One-time passwords: HOTP (RFC 4226), TOTP (RFC 6238), their secrets and otpauth:// URIs, and second factors.",
    discussion: """
      Exits 0 on success, 64 if the command line is wrong, 65 if the data is wrong (a base32 text, a URI, a file, an \
      argument that is not UTF-8, except for the path of a file other than a store or keyring), 70 if the machine \
      fails, 74 if the output cannot be written; 'verify', 'authenticate', 'vectors', 'import', 'export' and 'store \
      check' exit 1 for a negative result. An error is one line on standard error and never repeats a secret, a code or a URI.

      The environment variable OTP_BACKEND (\(HMACBackend.allNames)) forces an HMAC implementation.
      """,
    version: OTPEngine.version,
    subcommands: [
      Generate.self, Verify.self, Secret.self, URI.self, Vectors.self, Info.self, Enroll.self, Authenticate.self,
      Factors.self, Unenroll.self, NewRecoveryCodes.self, Import.self, Export.self, StoreCommand.self,
      KeyringCommand.self, RecordCommand.self,
    ])

  func run() throws {
    throw ToolError.usage("a command is missing; see 'otp --help'")
  }
}
