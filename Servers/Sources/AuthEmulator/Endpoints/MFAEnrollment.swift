import Foundation
@_spi(Emulator) import MultiFactor
import MultiFactorOperations
import MultiFactorPhone

// `v2/accounts/mfaEnrollment`: adding and removing second factors of a signed-in user.
extension Emulator {
  /// Checks first that the provider of the factor is enabled.
  func checkAllows(_ call: Call, totp: Bool) throws {
    try checkIsEnabled(call)
    guard try config(of: call).allowsSecondFactor(totp: totp) else {
      throw totp ? APIError("OPERATION_NOT_ALLOWED", "TOTP based MFA not enabled.") : .secondFactorDisabled
    }
  }

  /// The account, token and handle of the user who enrolls.
  private func enrollingUser(_ call: Call) async throws -> (Account, IDToken, User) {
    let (account, token) = try await account(of: call)
    guard FirstFactor(providerID: token.provider).supportsSecondFactor else {
      throw APIError.unsupportedFirstFactor
    }
    guard account.isEmailVerified else { throw APIError.unverifiedEmail }
    return (account, token, try await user(of: token, account, call))
  }

  func startEnrollment(_ call: Call) async throws -> JSON {
    let isTOTP = call.body["totpEnrollmentInfo"] != nil
    try checkAllows(call, totp: isTOTP)
    let (_, _, user) = try await enrollingUser(call)
    if isTOTP {
      let secret = try await TOTPMultiFactorGenerator.generateSecret(
        with: user.multiFactor.session(), t0: Clock.lead)
      return [
        "totpSessionInfo": [
          "sharedSecretKey": .string(secret.sharedSecretKey()),
          "verificationCodeLength": .integer(Int64(secret.codeLength)),
          "hashingAlgorithm": .string(secret.hashingAlgorithm),
          "periodSec": .integer(Int64(secret.codeIntervalSeconds)), "sessionInfo": .string(try secret.token()),
          "finalizeEnrollmentTime": .string(secret.enrollmentCompletionDeadline.fromSecondFactors.rfc3339),
        ]
      ]
    }
    guard let info = call.body["phoneEnrollmentInfo"] else {
      throw APIError("INVALID_ARGUMENT", "((Missing phoneEnrollmentInfo.))")
    }
    guard let number = info["phoneNumber"]?.string, Directory.isPhoneNumber(number) else {
      throw APIError.invalidPhoneNumber
    }
    let provider = PhoneAuthProvider.provider(auth: try await auth(for: call))
    let sessionInfo = try await provider.verifyPhoneNumber(
      number, multiFactorSession: user.multiFactor.session())
    return ["phoneSessionInfo": ["sessionInfo": .string(sessionInfo)]]
  }

  func finalizeEnrollment(_ call: Call) async throws -> JSON {
    let totp = call.body["totpVerificationInfo"]
    try checkAllows(call, totp: totp != nil)
    let (account, token, user) = try await enrollingUser(call)
    let auth = try await auth(for: call)
    let assertion: MultiFactorAssertion
    if let totp {
      let code = try Self.code(in: totp, "verificationCode")
      let secret = try auth.secret(from: try Self.sessionInfo(in: totp), for: user.uid)
      assertion = TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: code)
    } else {
      guard let info = call.body["phoneVerificationInfo"] else {
        throw APIError("INVALID_ARGUMENT", "((Missing phoneVerificationInfo.))")
      }
      assertion = try Self.phoneAssertion(info, auth)
    }
    do {
      _ = try await user.multiFactor.enroll(with: assertion, displayName: call.body["displayName"]?.string)
    } catch let error as AuthError where error.code == .invalidVerificationCode {
      throw try refusal(of: call)
    } catch let error as AuthError where error.code == .secondFactorAlreadyEnrolled && totp != nil {
      // Each secret has its own session, which is over.
      throw APIError("INVALID_SESSION_INFO")
    }
    let number = try withDirectory(of: call) { (directory) throws(APIError) -> String? in
      try directory.change(account.localID) { $0.hadFactors = true }
      return Self.spendMessage(call, &directory)
    }
    var tokens = try tokens(
      for: account.localID, provider: token.provider, secondFactor: user.proof, user,
      customClaims: token.customClaims, isSignIn: false, call)
    // Here, clients read in the token when it expires.
    tokens["expiresIn"] = nil
    return tokens.adding(
      totp != nil ? ["totpAuthInfo": [:]] : ["phoneAuthInfo": ["phoneNumber": .text(number)]])
  }

  func withdrawEnrollment(_ call: Call) async throws -> JSON {
    try checkIsEnabled(call)
    let (account, token) = try await account(of: call)
    let uid = call.body["mfaEnrollmentId"]?.string ?? ""
    let auth = try await auth(for: call)
    guard try await auth.admin.user(userID(account.localID, call)).factors.contains(where: { $0.info.uid == uid })
    else { throw APIError("MFA_ENROLLMENT_NOT_FOUND") }
    let user = try await user(of: token, account, call)
    do { try await user.multiFactor.unenroll(withFactorUID: uid) } catch let error as AuthError
      where error.code == .invalidUserToken
    {
      // The most recently enrolled of several was removed, which ended all sign-ins.
      return [:]
    }
    return try tokens(
      for: account.localID, provider: token.provider, secondFactor: nil, user, customClaims: token.customClaims,
      isSignIn: false, call)
  }
}

// Shared by enrollment and sign-in.
extension Emulator {
  static func sessionInfo(in info: JSON) throws(APIError) -> String {
    try info.text("sessionInfo", or: "MISSING_SESSION_INFO")
  }

  static func code(in info: JSON, _ name: String) throws(APIError) -> String {
    try info.text(name, or: "MISSING_CODE")
  }

  static func phoneAssertion(_ info: JSON, _ auth: MultiFactorAuth) throws(APIError) -> MultiFactorAssertion {
    guard info["androidVerificationProof"] == nil else { throw .notImplemented("Instant verification on Android") }
    let code = try code(in: info, "code")
    let credential = PhoneAuthProvider.provider(auth: auth).credential(
      withVerificationID: try sessionInfo(in: info), verificationCode: code)
    return PhoneMultiFactorGenerator.assertion(with: credential)
  }

  /// The error for a code that `MultiFactor` refuses. `MultiFactor` does not reveal whether a code is late, used or
  /// wrong, but this protocol does, and the emulator knows its messages.
  func refusal(of call: Call) throws(APIError) -> APIError {
    guard let sessionInfo = call.body["phoneVerificationInfo"]?["sessionInfo"]?.string else {
      return APIError("INVALID_CODE")
    }
    let code = try directory(of: call).verificationCode(sessionInfo)
    guard let code else { return APIError("INVALID_SESSION_INFO") }
    return APIError(code.isGood(at: now) ? "INVALID_CODE" : "SESSION_EXPIRED")
  }

  /// Removes the message that a request has answered from the list of messages.
  ///
  /// - Returns: The number that it was sent to.
  static func spendMessage(_ call: Call, _ directory: inout Directory) -> String? {
    guard let sessionInfo = call.body["phoneVerificationInfo"]?["sessionInfo"]?.string else { return nil }
    let number = directory.verificationCode(sessionInfo)?.phoneNumber
    directory.removeVerificationCode(sessionInfo)
    return number
  }
}

extension User {
  /// The second factor that was verified, in the tokens' terms.
  var proof: SecondFactorProof? {
    let claims = claims
    guard let kind = claims.secondFactor, let uid = claims.secondFactorIdentifier else { return nil }
    return SecondFactorProof(kind: kind, uid: uid)
  }
}
