import ArgumentParser
import MultiFactor

/// The second factor that a change to an account's factors asks for, where the account has one.
struct SecondFactorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A code of a factor that the account has; asked for where it is not given. Other users of the machine can see it.",
      valueName: "code"))
  var code: String?

  @OptionGroup var proof: ProofOptions

  /// Signs in by the second factor.
  func signIn(by resolver: MultiFactorResolver) async throws -> User {
    let proof = try proof.proof(by: resolver)
    let code = try code ?? Prompt.line(proof.prompt)
    return try await resolver.resolveSignIn(with: proof.assertion(code: code)).user
  }
}
