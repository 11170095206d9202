/// `otp generate`
struct Generate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate", abstract: "Print the code for a time or a counter.",
    discussion: """
      A key URI sets the defaults, which options override.

      EXAMPLE: otp generate --secret-file key.txt --at 59 --digits 8
      """)

  @OptionGroup(title: "Secret (exactly one)") var source: KeySourceOptions
  @OptionGroup(title: "Code") var options: CodeOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How many codes of consecutive steps or counters to print, 1 to 1000.", valueName: "n"),
    transform: OptionValue.number(in: 1...1000))
  var count = 1

  @OptionGroup var output: JSONOption

  func run() throws {
    switch try options.key(from: source.read()) {
    case .totp(let totp, let time):
      let first = try calling(blaming: .usage) { () throws(OTPError) in try totp.timeStep.number(at: time) }
      let codes = try codes(from: first, called: "step") { (step) throws(OTPError) in try totp.code(forStep: step) }
      try print(.totp, totp.key, totp.digits, totp.timeStep, codes)
    case .hotp(let hotp, let first):
      let codes = try codes(from: first, called: "counter") { (counter) throws(OTPError) in
        try hotp.code(counter: counter)
      }
      try print(.hotp, hotp.key, hotp.digits, nil, codes)
    }
  }

  private func print(
    _ type: CodeType, _ key: HMACKey, _ digits: OTPCode.Digits, _ timeStep: TimeStep?, _ codes: [Line]
  ) throws {
    let fields = [
      Field("type", type.rawValue), Field("algorithm", key.algorithm.name), Field("digits", digits.rawValue),
      Field("period", timeStep?.period), Field("t0", timeStep.map { String($0.t0) }), Field("codes", codes, text: nil),
    ]
    try Report(fields: fields, lines: codes.map(\.text)).print(asJSON: output.json)
  }

  /// The codes of consecutive steps or counters. There are none after 2^64-1.
  private func codes(
    from first: UInt64, called name: String, _ code: (UInt64) throws(OTPError) -> OTPCode
  ) throws(ToolError) -> [Line] {
    let (last, overflow) = first.addingReportingOverflow(UInt64(count - 1))
    guard !overflow else { throw .usage("--count: exceeds \(name) 2^64-1") }
    return try calling(blaming: .usage) { () throws(OTPError) in
      try (first...last).map { (number) throws(OTPError) in
        Line(try code(number).description, as: "code", [Field(name, String(number), text: nil)])
      }
    }
  }
}

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
