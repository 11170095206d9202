import ArgumentParser
import MultiFactor
import MultiFactorOperations

/// `otp factors`
struct Factors: FactorCommand {
  static let configuration = CommandConfiguration(
    abstract: "List an account's second factors.",
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
    try FactorList(
      factors: user.factors.map { FactorList.Factor($0, secret: secrets[$0.info.uid]) },
      recoveryCodes: user.recoveryCodesRemaining,
      recoveryCodesNeed: FactorState.ofLostRecoveryCodes(of: user)?.needs
    ).print(asJSON: output.json)
  }
}

/// What `otp factors` prints.
private struct FactorList: Report {
  struct Factor: Encodable {
    let uid: String
    let type: String
    let state: String
    let until: String?
    let needs: String?
    let enrolled: String
    let failures: Int
    let acceptances: Int
    let lastAttempt: String?
    let algorithm: String?
    let digits: Int?
    let period: Int64?
    /// The step or counter, as a text, since JSON's numbers are not exact beyond 2^53.
    let lastAccepted: String?
    let drift: Int?
    let weakSecret: Bool?
    let secret: String?
    let name: String?

    init(_ factor: AdministeredFactor, secret: String?) {
      let state = FactorState(factor)
      (self.state, until, needs) = (state.name, state.until, state.needs)
      uid = factor.info.uid
      type = factor.info.factorID
      enrolled = Timestamp.past(factor.info.enrollmentDate)
      failures = factor.consecutiveFailures
      acceptances = factor.acceptances
      lastAttempt = factor.lastAttempt.map(Timestamp.past)
      algorithm = factor.algorithm?.name
      digits = factor.digits?.rawValue
      period = factor.timeStep?.period
      lastAccepted = factor.lastAcceptedMovingFactor.map(String.init)
      drift = factor.driftSteps
      weakSecret = factor.hasWeakSecret
      self.secret = secret
      name = factor.info.displayName
    }

    var line: String {
      let values: [(String, String?)] = [
        ("uid", uid), ("type", type), ("state", state), ("enrolled", enrolled), ("failures", "\(failures)"),
        ("acceptances", "\(acceptances)"), ("until", until), ("needs", needs), ("last-attempt", lastAttempt),
        ("algorithm", algorithm),
        ("digits", digits.map(String.init)), ("period", period.map(String.init)),
        (period == nil ? "last-counter" : "last-step", lastAccepted),
        ("drift", drift.flatMap { $0 == 0 ? nil : "\($0)" }), ("weak-secret", weakSecret == true ? "yes" : nil),
        ("secret", secret), ("name", name.map { DisplayText.escaped($0) }),
      ]
      return values.compactMap { name, value in value.map { "\(name)=\($0)" } }.joined(separator: " ")
    }
  }

  let factors: [Factor]
  let recoveryCodes: Int
  let recoveryCodesNeed: String?

  var lines: [String] {
    let codes = "recovery-codes=\(recoveryCodes)" + (recoveryCodesNeed.map { " needs=\($0)" } ?? "")
    return factors.map(\.line) + (recoveryCodes > 0 ? [codes] : [])
  }
}
