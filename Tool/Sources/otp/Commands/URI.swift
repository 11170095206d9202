/// `otp uri`
struct URI: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uri", abstract: "Write and read otpauth:// key URIs.", subcommands: [URIBuild.self, URIParse.self])

  func run() throws { throw ToolError.usage("a command is missing: build or parse; see 'otp uri --help'") }
}

/// `otp uri build`
struct URIBuild: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "build", abstract: "Print the key URI of a secret, and its QR code.",
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

  func run() throws {
    let kind = try kind()
    let secret = try readSecret()
    let text = try calling(blaming: .usage) { () throws(OTPError) in
      let uri = try OTPAuthURI(
        kind, secret: secret, issuer: issuer, account: account, algorithm: key.hash.algorithm ?? .sha1,
        digits: key.digits ?? .six, additionalParameters: parameter)
      return try uri.uriString(writingDefaults: allParameters)
    }
    let drawing = qr && !output.json ? try TerminalQRCode(text) : nil
    try Report(fields: [Field("uri", text)], lines: [text] + (drawing.map { [$0.text] } ?? [])).print(
      asJSON: output.json)
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
    return OTPAuthURI.Parameter(name: String(text[..<separator]), value: String(text[text.index(after: separator)...]))
  }
}

/// `otp uri parse`
struct URIParse: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "parse", abstract: "Print a key URI's fields, one name=value per line.",
    discussion: """
      The secret is omitted unless requested. In values, control and format characters are written as \
      \\u{hexadecimal} and a backslash as \\\\, so that no value can forge another line.

      EXAMPLE: otp uri parse - < uri.txt
      """)

  @Argument(help: "The URI, which other users of the machine can see; or '-' for standard input.")
  var uri: String

  @Flag(help: "Print the secret too.")
  var showSecret = false

  @Flag(help: "Read '+' in a parameter as a space.")
  var plusIsSpace = false

  @Flag(help: "Accept an hotp URI without a counter, starting at 0.")
  var missingCounterIsZero = false

  @Flag(help: "Read the secret strictly by RFC 4648.")
  var strictBase32 = false

  @OptionGroup var output: JSONOption

  func run() throws {
    let bytes = uri == "-" ? try BoundedInput.readStandardInput() : Array(uri.utf8)
    let uri = try calling(for: "the URI", blaming: .data) { () throws(OTPError) in
      try OTPAuthURI(utf8: bytes.span, options: parsingOptions)
    }
    try report(on: uri).print(asJSON: output.json)
  }

  private var parsingOptions: OTPAuthURI.ParsingOptions {
    var options: OTPAuthURI.ParsingOptions = []
    if plusIsSpace { options.insert(.plusIsSpace) }
    if missingCounterIsZero { options.insert(.missingCounterIsZero) }
    if strictBase32 { options.insert(.strictBase32) }
    return options
  }

  private func report(on uri: OTPAuthURI) -> Report {
    // Byte by byte, because canonically equivalent texts differ.
    let labelIssuer = uri.labelIssuer.flatMap { label in
      label.utf8.elementsEqual((uri.issuer ?? "").utf8) ? nil : label
    }
    let (type, period, counter): (CodeType, Int64?, UInt64?) =
      switch uri.kind {
      case .totp(let seconds): (.totp, seconds, nil)
      case .hotp(let number): (.hotp, nil, number)
      }
    let fields = [
      Field("type", type.rawValue), Field("issuer", uri.issuer), Field("labelIssuer", labelIssuer),
      Field("account", uri.account), Field("secret", showSecret ? uri.secret.base32String() : nil),
      Field("algorithm", uri.algorithm.name), Field("digits", uri.digits.rawValue), Field("period", period),
      Field("counter", counter.map(String.init)),
    ]
    let parameters = uri.additionalParameters
    let list = parameters.map { Line([Field("name", $0.name), Field("value", $0.value)]) }
    let lines =
      fields.compactMap { field in field.text.map { "\(field.name)=\(DisplayText.escaped($0))" } }
      + parameters.map { parameter in
        // A `=` in a name must not be mistaken for the one after it.
        let name = DisplayText.escaped(parameter.name, reserved: ["="])
        return "parameter.\(name)=\(DisplayText.escaped(parameter.value ?? ""))"
      }
    return Report(fields: fields + [Field("parameters", list, text: nil)], lines: lines)
  }
}
