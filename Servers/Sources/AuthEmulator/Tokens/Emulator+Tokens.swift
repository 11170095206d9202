import Foundation
import MultiFactor
import MultiFactorOperations

// Creating tokens, and finding their accounts.
extension Emulator {
  /// The account of an ID token.
  ///
  /// - Throws: ``APIError`` with `MISSING_ID_TOKEN`, `INVALID_ID_TOKEN`, `USER_NOT_FOUND`, `TOKEN_EXPIRED`,
  ///   `USER_DISABLED` or `TENANT_ID_MISMATCH`.
  func account(of call: Call) async throws -> (account: Account, token: IDToken) {
    let text = try call.body.text("idToken", or: "MISSING_ID_TOKEN")
    guard let token = IDToken(unchecked: text), let localID = token.localID,
      token.project == nil || token.project == call.project
    else { throw APIError.invalidIDToken }
    guard token.tenant == call.tenant else { throw APIError.tenantMismatch }
    let account = try account(localID, call)
    if let validSince = account.validSince, token.issuedAt < validSince.seconds { throw APIError.tokenExpired }
    guard !account.isDisabled else { throw APIError("USER_DISABLED") }
    // Check that the sign-in was not revoked by a change of second factors.
    if account.hadFactors, token.handle != nil { _ = try await user(of: token, account, call) }
    return (account, token)
  }

  func user(of token: IDToken, _ account: Account, _ call: Call) async throws -> User {
    try await user(of: token.handle, account, provider: token.provider, call)
  }

  func account(_ localID: String, _ call: Call) throws(APIError) -> Account {
    let account = try directory(of: call).account(localID)
    guard let account else { throw .userNotFound }
    return account
  }

  /// Signs in a user whose first factor is verified: returns tokens, or a pending credential for a second factor.
  ///
  /// - Parameters:
  ///   - provider: The first factor, as named in tokens.
  ///   - firstFactor: The first factor for `MultiFactor`, if its name there differs.
  ///   - customClaims: The claims of a custom token.
  func signIn(
    _ localID: String, provider: String, firstFactor: FirstFactor? = nil, customClaims: JSON = [:], _ call: Call
  ) async throws -> JSON {
    let account = try account(localID, call)
    guard !account.isDisabled else { throw APIError("USER_DISABLED") }
    let user: User
    do {
      let firstFactor = firstFactor ?? FirstFactor(providerID: provider)
      user = try await auth(for: call).signIn(principal(account, call), firstFactor: firstFactor).user
    } catch let error as AuthError where error.code == .secondFactorRequired {
      guard let resolver = error.resolver else { throw APIError.internal }
      guard resolver.hints.isEmpty, try !config(of: call).isRequiringAllFactors else {
        // If no provider is enabled, all factors, as in Google's emulator.
        let hints =
          try resolver.hints.isEmpty
          ? await auth(for: call).admin.user(resolver.uid).factors.map(\.info) : resolver.hints
        return [
          "mfaPendingCredential": .string(try resolver.token()),
          "mfaInfo": .array(hints.map { Self.enrollment($0, isMasked: true) }),
        ]
      }
      user = try await userWithoutSecondFactor(account, provider: provider, call)
    } catch let error as AuthError where error.code == .unsupportedFirstFactor {
      user = try await userWithoutSecondFactor(account, provider: provider, call)
    }
    return try tokens(
      for: localID, provider: provider, secondFactor: nil, user, customClaims: customClaims, isSignIn: true, call)
  }

  /// New tokens.
  ///
  /// - Parameters:
  ///   - user: The handle of the sign-in.
  ///   - isSignIn: Whether the user has just signed in.
  func tokens(
    for localID: String, provider: String, secondFactor: SecondFactorProof?, _ user: User, customClaims: JSON = [:],
    isSignIn: Bool, _ call: Call
  ) throws -> JSON {
    let now = now
    let account = try withDirectory(of: call) { (directory) throws(APIError) in
      try directory.change(localID) { account in
        if isSignIn { account.lastLoginAt = now }
        account.lastRefreshAt = now
      }
    }
    let handle = try user.token()
    let claims = claims(
      of: account, provider: provider, secondFactor: secondFactor, customClaims: customClaims, at: now, call)
    let refresh: JSON = [
      "_AuthEmulatorRefreshToken": "DO NOT MODIFY", "localId": .string(localID), "provider": .string(provider),
      "projectId": .string(call.project), "tenantId": .text(call.tenant), "extraClaims": customClaims,
      "secondFactor": secondFactor.map { ["identifier": .string($0.uid), "provider": .string($0.kind)] },
      "issuedAt": .integer(now.seconds), "multiFactor": .string(handle),
    ]
    return [
      "idToken": .string(IDToken(claims: claims, handle: handle).text),
      "refreshToken": .string(RefreshToken(content: refresh).text),
      "expiresIn": .string(String(IDToken.lifetime)),
    ]
  }

  private func claims(
    of account: Account, provider: String, secondFactor: SecondFactorProof?, customClaims: JSON, at now: Date,
    _ call: Call
  ) -> JSON {
    // Custom claims replace only these two.
    var claims: JSON = ["name": .text(account.displayName), "picture": .text(account.photoURL)]
    if let text = account.customAttributes, let attributes = try? JSON(parsing: Data(text.utf8)) {
      claims = claims.adding(attributes)
    }
    let firebase: JSON = [
      "identities": account.identities, "sign_in_provider": .string(provider),
      "sign_in_second_factor": .text(secondFactor?.kind), "second_factor_identifier": .text(secondFactor?.uid),
      "tenant": .text(call.tenant),
    ]
    return claims.adding(customClaims).adding([
      "iss": .string("https://securetoken.google.com/\(call.project)"), "aud": .string(call.project),
      "sub": .string(account.localID),
      "user_id": .string(account.localID), "iat": .integer(now.seconds),
      "exp": .integer(now.seconds + IDToken.lifetime),
      "auth_time": .integer((account.lastLoginAt ?? now).seconds), "email": .text(account.email),
      "email_verified": account.email == nil ? nil : .bool(account.isEmailVerified),
      "phone_number": .text(account.phoneNumber), "provider_id": provider == "anonymous" ? "anonymous" : nil,
      "firebase": firebase,
    ])
  }
}

// Custom claims.
extension Emulator {
  /// The maximum length of custom claims, in characters.
  private static let largestClaims = 1000

  /// Checks custom claims in the form of JSON text.
  static func checkClaims(_ text: String) throws(APIError) {
    guard text.count <= largestClaims else { throw APIError("CLAIMS_TOO_LARGE") }
    guard !text.isEmpty else { return }
    try check((try? JSON(parsing: Data(text.utf8))) ?? .null)
  }

  static func check(_ claims: JSON) throws(APIError) {
    guard case .object(let members) = claims else { throw APIError("INVALID_CLAIMS") }
    for name in members.keys.sorted() where IDToken.reservedClaims.contains(name) {
      throw APIError("FORBIDDEN_CLAIM", name)
    }
  }
}
