/// The second factor that an enrollment requires, if the account has one.
struct SecondFactorOptions: ParsableArguments {
  @OptionGroup var code: CodeOption
  @OptionGroup var proof: ProofOptions

  /// Signs in with the second factor.
  func signIn(by resolver: MultiFactorResolver) async throws -> User {
    try await code.signIn(by: resolver, with: proof.proof(by: resolver))
  }
}

/// The code of a second factor.
struct CodeOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A code of one of the account's factors; prompted for if missing. Other users of the machine can see it.",
      valueName: "code"))
  var code: String?

  /// Signs in with the code of a chosen second factor.
  func signIn(by resolver: MultiFactorResolver, with proof: Proof) async throws -> User {
    let code = try code ?? Prompt.line(proof.prompt)
    return try await resolver.resolveSignIn(with: proof.assertion(code: code)).user
  }
}
