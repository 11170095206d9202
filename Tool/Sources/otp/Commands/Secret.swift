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
    let text = secret.base32String()
    let fields = [
      Field("algorithm", algorithm.name), Field("byteCount", secret.byteCount), Field("secret", text),
    ]
    try Report(fields: fields, lines: [text]).print(asJSON: output.json)
  }
}
