import ArgumentParser
import OTP

/// `otp secret`
struct Secret: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "secret", abstract: "Print a new secret in base32.",
    discussion: "EXAMPLE: (umask 077; otp secret --algorithm SHA256 > key.txt)")

  @OptionGroup var hash: AlgorithmOption
  @OptionGroup var output: JSONOption

  func run() throws {
    let algorithm = hash.algorithm ?? .sha1
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
