/// `otp enroll`
struct Enroll: StoreUsing {
  static let configuration = CommandConfiguration(
    commandName: "enroll", abstract: "Enroll a second factor: show its key, ask for a code.",
    discussion: """
      Prints the key URI, its QR code and 'secret=…' in base32, reads the code that an app shows for them from \
      standard input, and prints 'enrolled factor=UID type=…', or prints 'rejected' and exits 1. Nothing is stored \
      before a right code is given, and the key is never shown again. That code is spent: the first sign-in needs a \
      later one.

      With --json, the key is one JSON object on its own line, without the QR code, and the result is another.

      The user of this machine vouches for the account: there is no password. If the account already has factors, a \
      code of one of them is needed first, from --code or as the first line of standard input.

      EXAMPLE: otp enroll alice@example.com --issuer Example --name 'Phone app'
      """)

  @OptionGroup var account: AccountOptions

  @Option(help: ArgumentHelp("The issuer of the key, as the app shows it.", valueName: "name"))
  var issuer: String?

  @Option(
    help: ArgumentHelp("The type of codes. (default: totp)", valueName: "totp|hotp"),
    completion: .list(CodeType.allCases.map(\.rawValue)), transform: OptionValue.word(of: CodeType.self))
  var type: CodeType = .totp

  @Option(help: ArgumentHelp("The new factor's name, of which 100 characters are kept.", valueName: "display"))
  var name: String?

  @OptionGroup(title: "If the account already has factors") var secondFactor: SecondFactorOptions
  @OptionGroup var output: JSONOption

  func execute() async throws {
    let auth = try await account.open()
    let user =
      switch try await account.signIn(on: auth) {
      case .signedIn(let user, _): user
      case .secondFactorRequired(let resolver): try await secondFactor.signIn(by: resolver)
      }
    let key = try await NewKey(type, session: user.multiFactor.session(), account: account.account, issuer: issuer)
    let drawing = output.json ? nil : try TerminalQRCode(key.uri)
    // The only place where the tool shows an enrolled secret.
    try Report(
      fields: [Field("type", type.rawValue), Field("uri", key.uri), Field("secret", key.secret)],
      lines: [key.uri] + (drawing.map { [$0.text] } ?? []) + ["secret=\(key.secret)"]
    ).print(asJSON: output.json)

    let assertion = key.assertion(try Prompt.line("Code from the app: "))
    let factor = try await user.multiFactor.enroll(with: assertion, displayName: name).enrolledFactor
    try Line("enrolled", [Field("factor", factor?.uid), Field("type", type.rawValue)]).print(asJSON: output.json)
  }
}

/// A key that is being enrolled, of either type.
private struct NewKey {
  let uri: String
  let secret: String
  /// The claim that a code belongs to this key.
  let assertion: (_ code: String) -> MultiFactorAssertion

  init(_ type: CodeType, session: MultiFactorSession, account: String, issuer: String?) async throws {
    let issuer = issuer ?? ""
    switch type {
    case .totp:
      let key = try await TOTPMultiFactorGenerator.generateSecret(with: session)
      uri = key.generateQRCodeURL(withAccountName: account, issuer: issuer)
      secret = key.sharedSecretKey()
      assertion = { TOTPMultiFactorGenerator.assertionForEnrollment(with: key, oneTimePassword: $0) }
    case .hotp:
      let key = try await HOTPMultiFactorGenerator.generateSecret(with: session)
      uri = key.generateQRCodeURL(withAccountName: account, issuer: issuer)
      secret = key.sharedSecretKey()
      assertion = { HOTPMultiFactorGenerator.assertionForEnrollment(with: key, oneTimePassword: $0) }
    }
  }
}
