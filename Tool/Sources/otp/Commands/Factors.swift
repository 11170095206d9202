/// `otp factors`
struct Factors: StoreUsing {
  static let configuration = CommandConfiguration(
    commandName: "factors", abstract: "List an account's second factors.",
    discussion: """
      Each line is 'uid=… type=… state=active|waiting|spent|locked enrolled=TIME failures=N acceptances=N', then, \
      where there is one, 'until=TIME' (when that ends by itself) or 'needs=enrollment' (100 attempts in a row have \
      failed, and only a new enrollment helps), 'last-attempt=TIME algorithm=… digits=N period=N last-step=N' (or \
      'last-counter=N') 'drift=N weak-secret=yes', and at the end 'name=…'. Recovery codes have a line \
      'recovery-codes=N', then 'needs=enrollment' if they are locked by as many failures, and the user must make new \
      ones. Delays and locks are those of the default policy. A secret is shown only with --show-secret, as 'secret=…' \
      before the name, and that is logged as an export.

      EXAMPLE: otp factors alice@example.com
      """)

  @OptionGroup var account: AccountOptions

  @Flag(help: "Show the secrets in base32, too.")
  var showSecret = false

  @OptionGroup var output: JSONOption

  func execute() async throws {
    let admin = try await account.open().admin
    let user = try await admin.known(account.account)
    let exports = showSecret ? try await admin.exportSecrets(of: account.account) : []
    let secrets = Dictionary(exports.map { ($0.uid, $0.secret.base32String()) }) { first, _ in first }
    let factors = user.factors.map { Self.line(of: $0, secret: secrets[$0.info.uid]) }
    let count = Field("recoveryCodes", user.recoveryCodesRemaining)
    let need = FactorState.ofLostRecoveryCodes(of: user)?.needs
    try Report(
      fields: [Field("factors", factors, text: nil), count, Field("recoveryCodesNeed", need)],
      lines: factors.map(\.text) + (user.recoveryCodesRemaining > 0 ? [Line([count, Field("needs", need)]).text] : [])
    ).print(asJSON: output.json)
  }

  private static func line(of factor: AdministeredFactor, secret: String?) -> Line {
    let state = FactorState(factor)
    let name = factor.info.displayName
    return Line(
      [
        Field("uid", factor.info.uid), Field("type", factor.info.factorID), Field("state", state.name),
        Field("enrolled", Timestamp.past(factor.info.enrollmentDate)), Field("failures", factor.consecutiveFailures),
        Field("acceptances", factor.acceptances), Field("until", state.until), Field("needs", state.needs),
        Field("lastAttempt", factor.lastAttempt.map(Timestamp.past)), Field("algorithm", factor.algorithm?.name),
        Field("digits", factor.digits?.rawValue), Field("period", factor.timeStep?.period),
      ] + Field.lastAccepted(factor.lastAcceptedMovingFactor, isStep: factor.timeStep != nil) + [
        Field("drift", factor.driftSteps, text: factor.driftSteps.flatMap { $0 == 0 ? nil : "\($0)" }),
        Field("weakSecret", factor.hasWeakSecret, text: factor.hasWeakSecret == true ? "yes" : nil),
        Field("secret", secret), Field("name", name, text: name.map { DisplayText.escaped($0) }),
      ])
  }
}
