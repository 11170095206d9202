import ArgumentParser
import OTP

/// `otp uri build`
struct URIBuild: EngineCommand, PathTaking {
  static let configuration = CommandConfiguration(
    commandName: "build",
    abstract: "Print the key URI of a secret, and its QR code.",
    discussion: "EXAMPLE: otp uri build --new-secret --issuer Example --account alice@example.com --qr")

  @Option(
    help: ArgumentHelp(
      "The file with the secret in base32. '-' is standard input. \(PathArgument.warningHelp)", valueName: "path"),
    completion: .file())
  var secretFile: PathArgument?

  @Option(help: ArgumentHelp("The secret. Other users of the machine can see it.", valueName: "base32"))
  var secret: String?

  @Flag(help: "Generate a new secret, as long as the hash function's tag.")
  var newSecret = false

  @Option(help: ArgumentHelp("The issuer of the key.", valueName: "name"))
  var issuer: String?

  @Option(help: ArgumentHelp("The account's name.", valueName: "name"))
  var account: String

  @OptionGroup var key: KeyOptions

  @Option(
    parsing: .unconditional, help: ArgumentHelp("hotp: the first counter. (default: 0)", valueName: "n"),
    transform: OptionValue.counter)
  var counter: UInt64?

  @Option(
    help: ArgumentHelp("An additional parameter, such as image=https://example.com/a.png.", valueName: "name=value"),
    transform: parameter)
  var parameter: [OTPAuthURI.Parameter] = []

  @Flag(help: "Write algorithm, digits and period even if they have their default values.")
  var allParameters = false

  @Flag(help: "Draw the URI's QR code below it, unless --json is given.")
  var qr = false

  @OptionGroup var output: JSONOption

  var paths: [PathArgument] { secretFile.map { [$0] } ?? [] }

  func execute() throws {
    let kind = try kind()
    let secret = try readSecret()
    let text = try calling(blaming: .usage) { () throws(OTPError) in
      let uri = try OTPAuthURI(
        kind, secret: secret, issuer: issuer, account: account, algorithm: key.hash.algorithm ?? .sha1,
        digits: key.digits ?? .six,
        additionalParameters: parameter)
      return try uri.uriString(writingDefaults: allParameters)
    }
    let drawing = qr && !output.json ? try TerminalQRCode(text) : nil
    try BuiltURI(uri: text, drawing: drawing).print(asJSON: output.json)
  }

  private func kind() throws(ToolError) -> OTPAuthURI.Kind {
    switch key.type ?? .totp {
    case .totp:
      guard counter == nil else { throw .usage("--counter is only for --type hotp") }
      return .totp(period: key.period ?? 30)
    case .hotp:
      guard key.period == nil else { throw .usage("--period is only for --type totp") }
      return .hotp(counter: counter ?? 0)
    }
  }

  private func readSecret() throws(ToolError) -> OTPSecret {
    switch (secretFile, secret, newSecret) {
    case (let path?, nil, false):
      return try BoundedInput.readSecret(path) { (bytes) throws(OTPError) in try OTPSecret(base32UTF8: bytes.span) }
    case (nil, let text?, false):
      return try calling(for: "--secret", blaming: .data) { () throws(OTPError) in try OTPSecret(base32: text) }
    case (nil, nil, true):
      return try calling(blaming: .software) { () throws(OTPError) in
        try OTPSecret.random(for: key.hash.algorithm ?? .sha1)
      }
    default: throw .usage("exactly one of --secret-file, --secret and --new-secret is required")
    }
  }

  @Sendable private static func parameter(_ text: String) throws -> OTPAuthURI.Parameter {
    guard let separator = text.firstIndex(of: "=") else { throw OptionValue.Invalid(description: "must be name=value") }
    return OTPAuthURI.Parameter(
      name: String(text[..<separator]), value: String(text[text.index(after: separator)...]))
  }
}

/// What `otp uri build` prints.
private struct BuiltURI: Report {
  let uri: String
  let drawing: TerminalQRCode?

  var lines: [String] { [uri] + (drawing.map { [$0.text] } ?? []) }

  private enum CodingKeys: CodingKey {
    case uri
  }
}
