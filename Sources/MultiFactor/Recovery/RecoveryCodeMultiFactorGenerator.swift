/// Makes assertions of recovery codes. The SDK has none.
public enum RecoveryCodeMultiFactorGenerator {
  /// The claim that a recovery code stands in for a second factor.
  ///
  /// - Parameter recoveryCode: What the user typed, in any case, with or without hyphens and spaces.
  public static func assertionForSignIn(recoveryCode: String) -> MultiFactorAssertion {
    MultiFactorAssertion(content: .recoveryCode(recoveryCode))
  }
}
