import MultiFactor
import MultiFactorOperations
import MultiFactorPhone

// `v2/accounts/mfaSignIn`: continuing a sign-in with a second factor.
extension Emulator {
  /// The sign-in that a pending credential belongs to, and its user.
  ///
  /// - Parameter expired: The error for a credential that has expired.
  private func resolver(
    _ credential: String, expired: APIError = .expiredPendingCredential, _ call: Call
  ) async throws -> (MultiFactorResolver, Account) {
    let resolver: MultiFactorResolver
    do { resolver = try await auth(for: call).resolver(from: credential) } catch let error as AuthError {
      switch error.code {
      case .internalError: throw error
      case .sessionExpired: throw expired
      default: throw APIError.invalidPendingCredential
      }
    }
    let prefix = userID("", call)
    guard resolver.uid.hasPrefix(prefix) else { throw APIError.invalidPendingCredential }
    let account = try account(String(resolver.uid.dropFirst(prefix.count)), call)
    guard !account.isDisabled else { throw APIError("USER_DISABLED") }
    return (resolver, account)
  }

  func startSecondFactor(_ call: Call) async throws -> JSON {
    try checkAllows(call, totp: false)
    let credential = try call.body.text(
      "mfaPendingCredential", or: "MISSING_MFA_PENDING_CREDENTIAL", "Request does not have MFA pending credential.")
    let uid = try call.body.text(
      "mfaEnrollmentId", or: "MISSING_MFA_ENROLLMENT_ID", "No second factor identifier is provided.")
    let (resolver, _) = try await resolver(credential, call)
    // All of the user's factors, including those whose provider is disabled.
    let factors = try await auth(for: call).admin.user(resolver.uid).factors.map(\.info)
    guard let factor = factors.first(where: { $0.uid == uid }) else { throw APIError("MFA_ENROLLMENT_NOT_FOUND") }
    guard factor.factorID == PhoneMultiFactorID else {
      throw APIError("INVALID_ARGUMENT", "MFA provider not supported!")
    }
    let sessionInfo = try await PhoneAuthProvider.provider(auth: try await auth(for: call)).verifyPhoneNumber(
      with: factor, multiFactorSession: resolver.session)
    return ["phoneResponseInfo": ["sessionInfo": .string(sessionInfo)]]
  }

  func finalizeSecondFactor(_ call: Call) async throws -> JSON {
    let totp = call.body["totpVerificationInfo"]
    try checkAllows(call, totp: totp != nil)
    let credential = try call.body.text(
      "mfaPendingCredential", or: "MISSING_CREDENTIAL", "Please set MFA Pending Credential.")
    let assertion: MultiFactorAssertion
    if let totp {
      let uid = try call.body.text(
        "mfaEnrollmentId", or: "MISSING_MFA_ENROLLMENT_ID", "No second factor identifier is provided.")
      let code = try Self.code(in: totp, "verificationCode")
      assertion = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: code)
    } else {
      guard let info = call.body["phoneVerificationInfo"] else {
        throw APIError("INVALID_ARGUMENT", "MFA provider not supported!")
      }
      assertion = try Self.phoneAssertion(info, try await auth(for: call))
    }
    let (resolver, account) = try await resolver(
      credential, expired: totp == nil ? .expiredPendingCredential : .totpTimeout, call)
    let result = try await resolve(resolver, by: assertion, call)
    let number = try withDirectory(of: call) { (directory) throws(APIError) in Self.spendMessage(call, &directory) }
    let user = result.user
    // In tokens, an e-mail link counts as a password.
    let provider =
      user.claims.signInProvider == FirstFactor.emailLink.providerID ? "password" : user.claims.signInProvider
    var tokens = try tokens(
      for: account.localID, provider: provider, secondFactor: user.proof, user, isSignIn: true, call)
    tokens["expiresIn"] = nil
    return tokens.adding(totp == nil ? ["phoneAuthInfo": ["phoneNumber": .text(number)]] : [:])
  }

  private func resolve(
    _ resolver: MultiFactorResolver, by assertion: MultiFactorAssertion, _ call: Call
  ) async throws -> AuthDataResult {
    do {
      return try await resolver.resolveSignIn(with: assertion)
    } catch let error as AuthError where error.code == .userTokenExpired {
      throw APIError.invalidPendingCredential
    } catch let error as AuthError where error.code == .invalidVerificationCode {
      throw try refusal(of: call)
    }
  }
}
