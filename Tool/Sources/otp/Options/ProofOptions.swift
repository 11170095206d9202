/// What a code is for: one of an account's factors, or a recovery code.
struct ProofOptions: ParsableArguments {
  @OptionGroup var factor: FactorOption

  @Flag(help: "The code is one of the account's recovery codes.")
  var recoveryCode = false

  /// Finds the factor or recovery code to verify among those that a sign-in offers.
  func proof(by resolver: MultiFactorResolver) throws(ToolError) -> Proof {
    guard recoveryCode else { return try factor.proof(by: resolver) }
    guard factor.factor == nil else { throw .usage("--factor and --recovery-code cannot be combined") }
    guard resolver.hasRecoveryCodes else { throw .data("the account has no recovery codes") }
    return .recoveryCode
  }
}

/// Which of an account's factors a code belongs to.
struct FactorOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The factor, by its uid or name; required if the account has several.", valueName: "uid|name"))
  var factor: String?

  /// Finds the factor among those that a sign-in offers.
  func proof(by resolver: MultiFactorResolver) throws(ToolError) -> Proof {
    let hint = try hint(among: resolver.hints)
    return hint.factorID == HOTPMultiFactorID ? .hotp(uid: hint.uid) : .totp(uid: hint.uid)
  }

  private func hint(among hints: [any MultiFactorInfo]) throws(ToolError) -> any MultiFactorInfo {
    // A store shared with a server can have factors that only the server can ask about.
    let hints = hints.filter { [TOTPMultiFactorID, HOTPMultiFactorID].contains($0.factorID) }
    guard let factor else {
      guard let hint = hints.first else { throw .data("the account has no TOTP or HOTP factor") }
      guard hints.count == 1 else { throw .usage("the account has several factors: choose one with --factor") }
      return hint
    }
    if let hint = hints.first(where: { $0.uid == factor }) { return hint }
    let named = hints.filter { $0.displayName == factor }
    guard let hint = named.first else { throw .data("--factor: the account has no such factor") }
    guard named.count == 1 else { throw .usage("--factor: several factors have this name; give the uid") }
    return hint
  }
}

/// A chosen factor, before its code is known.
enum Proof {
  case totp(uid: String)
  case hotp(uid: String)
  case recoveryCode

  /// The prompt for the user.
  var prompt: String {
    switch self {
    case .totp, .hotp: "Code: "
    case .recoveryCode: "Recovery code: "
    }
  }

  /// The claim that a code belongs to the factor.
  func assertion(code: String) -> MultiFactorAssertion {
    switch self {
    case .totp(let uid):
      TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: code)
    case .hotp(let uid):
      HOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: code)
    case .recoveryCode:
      RecoveryCodeMultiFactorGenerator.assertionForSignIn(recoveryCode: code)
    }
  }
}
