/// What a user claims: that a code proves a factor. Whether it does is for `enroll` or `resolveSignIn` to say.
public struct MultiFactorAssertion: Sendable {
  enum Content: Sendable {
    case enrollment(EnrollmentSecret, code: String)
    case oneTimePassword(uid: String, kind: FactorRecord.Kind, code: String)
    case resynchronization(uid: String, codes: [String])
    case phone(PhoneAuthCredential)
    case recoveryCode(String)
  }

  let content: Content

  /// The kind of factor: ``TOTPMultiFactorID`` and the like.
  public var factorID: String {
    switch content {
    case .enrollment(let secret, _): secret.secret.kind.factorID
    case .oneTimePassword(_, let kind, _): kind.factorID
    case .resynchronization: HOTPMultiFactorID
    case .phone: PhoneMultiFactorID
    case .recoveryCode: RecoveryCodeMultiFactorID
    }
  }
}

extension MultiFactorAssertion: Redacted {}
