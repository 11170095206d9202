import ArgumentParser
import OTP

/// `otp secret`
struct Secret: EngineCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print a new secret in base32, as long as the hash function's tag.",
    discussion: "EXAMPLE: (umask 077; otp secret --algorithm SHA256 > key.txt)")

  @Option(
    help: ArgumentHelp("The hash function: SHA1, SHA256 or SHA512. (default: SHA1)", valueName: "name"),
    completion: .list(HashAlgorithm.allCases.map(\.name)), transform: OptionValue.algorithm)
  var algorithm: HashAlgorithm?

  @OptionGroup var output: JSONOption

  func execute() throws {
    let algorithm = algorithm ?? .sha1
    let secret = try calling(blaming: .software) { () throws(OTPError) in try OTPSecret.random(for: algorithm) }
    try NewSecret(algorithm: algorithm.name, byteCount: secret.byteCount, secret: secret.base32String())
      .print(asJSON: output.json)
  }
}

/// What `otp secret` prints.
private struct NewSecret: Report {
  let algorithm: String
  let byteCount: Int
  let secret: String

  var lines: [String] { [secret] }
}
