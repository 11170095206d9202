import OTP
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

// Users' operations that several suites need.
extension Host {
  var phones: PhoneAuthProvider { PhoneAuthProvider.provider(auth: auth) }

  /// Has a message sent to an enrolled phone, in a new sign-in.
  func challenge(
    _ uid: String, _ principal: Principal = alice
  ) async throws -> (resolver: MultiFactorResolver, id: String) {
    let resolver = try await resolver(principal)
    let hint = try #require(resolver.hints.first { $0.uid == uid })
    return (resolver, try await phones.verifyPhoneNumber(with: hint, multiFactorSession: resolver.session))
  }

  /// Enrolls a phone with the code of a message.
  func enroll(_ user: User, _ id: String, _ code: String) async throws {
    let credential = phones.credential(withVerificationID: id, verificationCode: code)
    try await user.multiFactor.enroll(
      with: PhoneMultiFactorGenerator.assertion(with: credential), displayName: "Mobile")
  }

  /// Signs in with the code of a message.
  func answer(_ id: String, _ code: String, _ resolver: MultiFactorResolver) async throws -> AuthDataResult {
    let credential = phones.credential(withVerificationID: id, verificationCode: code)
    return try await resolver.resolveSignIn(with: PhoneMultiFactorGenerator.assertion(with: credential))
  }

  /// Signs in with one code of a HOTP token, or with several to resynchronize it.
  func resolve(hotp uid: String, codes: [String], by principal: Principal = alice) async throws -> AuthDataResult {
    let assertion =
      codes.count == 1
      ? HOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: codes[0])
      : HOTPMultiFactorGenerator.assertionForResynchronization(withEnrollmentID: uid, oneTimePasswords: codes)
    return try await resolver(principal).resolveSignIn(with: assertion)
  }

  /// Signs in with a recovery code.
  func recover(_ code: String, by principal: Principal = alice) async throws -> AuthDataResult {
    try await resolver(principal).resolveSignIn(
      with: RecoveryCodeMultiFactorGenerator.assertionForSignIn(recoveryCode: code))
  }
}

extension OTPSecret {
  /// A secret of the RFCs' test vectors.
  static var vector: OTPSecret { get throws { try OTPSecret(bytes: "12345678901234567890".utf8) } }
}

/// A six-digit text different from the given one.
func otherCode(than code: String) -> String { code == "000000" ? "000001" : "000000" }
