/// `otp authenticate`
struct Authenticate: StoreUsing {
  static let configuration = CommandConfiguration(
    commandName: "authenticate", abstract: "Check a code of an account's second factor.",
    discussion: """
      Prints 'accepted factor=UID type=totp|hotp|recovery'; 'rejected' if the code is wrong, late or already used; \
      'locked until=TIME' if failures keep the factor from accepting any code for now, or 'spent until=TIME' if the \
      store has lost changes, or a backup of it was restored. Each code is accepted at most once. Every attempt is \
      counted before its code is checked: after four consecutive failures the next attempt is delayed, and ten lock \
      the factor for an hour.

      If no code is given, it is read from standard input. Scripts should put the code after '--', so that it cannot \
      be taken for an option.

      EXAMPLE: otp authenticate alice@example.com -- 287082
      """)

  @OptionGroup var account: AccountOptions

  @Argument(
    help: ArgumentHelp(
      "The code as typed; with --resync, two or three consecutive ones. Other users of the machine can see it.",
      valueName: "code"))
  var codes: [String] = []

  @OptionGroup var proof: ProofOptions

  @Flag(help: "Resynchronize a token that has run ahead or whose clock is off, with two or three consecutive codes.")
  var resync = false

  @OptionGroup var output: JSONOption

  func execute() async throws {
    try checkCodeCount()
    let auth = try await account.open()
    let resolver = try await account.signIn(on: auth).resolver()
    let assertion = try assertion(for: proof.proof(by: resolver))
    let claims = try await resolver.resolveSignIn(with: assertion).user.claims
    try Line("accepted", [Field("factor", claims.secondFactorIdentifier), Field("type", claims.secondFactor)])
      .print(asJSON: output.json)
  }

  private static let mixture = ToolError.usage("--resync and --recovery-code cannot be combined")

  private func checkCodeCount() throws(ToolError) {
    guard resync else {
      guard codes.count <= 1 else { throw .usage("only one code can be given without --resync") }
      return
    }
    guard !proof.recoveryCode else { throw Self.mixture }
    guard [0, 2, 3].contains(codes.count) else { throw .usage("--resync takes two or three codes") }
  }

  private func assertion(for proof: Proof) throws -> MultiFactorAssertion {
    guard resync else { return proof.assertion(code: try codes.first ?? Prompt.line(proof.prompt)) }
    let codes = codes.isEmpty ? [try Prompt.line("Code: "), try Prompt.line("Next code: ")] : codes
    return switch proof {
    case .totp(let uid):
      TOTPMultiFactorGenerator.assertionForResynchronization(withEnrollmentID: uid, oneTimePasswords: codes)
    case .hotp(let uid):
      HOTPMultiFactorGenerator.assertionForResynchronization(withEnrollmentID: uid, oneTimePasswords: codes)
    case .recoveryCode: throw Self.mixture
    }
  }
}
