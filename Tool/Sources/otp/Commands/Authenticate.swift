import ArgumentParser
import MultiFactor

/// `otp authenticate`
struct Authenticate: FactorCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check a code of an account's second factor. Exits 0 where it is accepted, 1 otherwise.",
    discussion: """
      Prints 'accepted factor=UID type=totp|hotp|recovery', 'rejected' where the code is wrong, late or used before, or \
      'locked until=TIME' where the factor takes no code for now. A code is accepted once. Every try counts against \
      the factor before the code is looked at; from the fourth failure in a row the next one waits, and the tenth \
      locks the factor for an hour.

      The code is read from standard input where it is not given. A script writes it after '--', so that nothing in it \
      is read as an option.

      EXAMPLE: otp authenticate alice@example.com -- 287082
      """)

  @OptionGroup var account: AccountOptions

  @Argument(
    help: ArgumentHelp(
      "The code as it was typed; two or three in a row with --resync. Other users of the machine can see it.",
      valueName: "code"))
  var codes: [String] = []

  @OptionGroup var proof: ProofOptions

  @Flag(help: "Find a token again that has run ahead or whose clock is off, by two or three codes in a row.")
  var resync = false

  @OptionGroup var output: JSONOption

  func execute() async throws {
    try checkCodeCount()
    let auth = try await account.open()
    let resolver = try await account.signIn(on: auth).resolver()
    let assertion = try assertion(for: proof.proof(by: resolver))
    let claims = try await resolver.resolveSignIn(with: assertion).user.claims
    try AcceptedCode(factor: claims.secondFactorIdentifier, type: claims.secondFactor).print(asJSON: output.json)
  }

  private static let mixture = ToolError.usage("--resync and --recovery-code do not go together")

  private func checkCodeCount() throws(ToolError) {
    guard resync else {
      guard codes.count <= 1 else { throw .usage("there is one code, without --resync") }
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

/// What `otp authenticate` prints of an accepted code.
private struct AcceptedCode: Report {
  let result = "accepted"
  let factor: String?
  let type: String?

  var lines: [String] { ["accepted factor=\(factor ?? "") type=\(type ?? "")"] }
}
