import Foundation
import MultiFactor

// Custom tokens, session cookies and refreshed tokens.
extension Emulator {
  private static let audience =
    "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

  func signInWithCustomToken(_ call: Call) async throws -> JSON {
    try checkIsEnabled(call)
    let text = try call.body.text("token", or: "MISSING_CUSTOM_TOKEN")
    let content = try Self.content(ofCustomToken: text, tenant: call.tenant)
    guard let uid = content["uid"] ?? content["user_id"], let localID = (try? Kind.string.normalized(uid))?.string,
      Directory.isLocalID(localID)
    else { throw APIError("MISSING_IDENTIFIER") }
    let claims = content["claims"] ?? [:]
    try Self.check(claims)
    let now = now
    let isNew = try withDirectory(of: call) { (directory) throws(APIError) in
      let known = directory.account(localID)
      guard known?.isDisabled != true else { throw APIError("USER_DISABLED") }
      var account = known ?? Account(localID: localID, createdAt: now)
      account.isCustomAuth = true
      try directory.put(account)
      return known == nil
    }
    return JSON.object(["kind": "identitytoolkit#VerifyCustomTokenResponse", "isNewUser": .bool(isNew)])
      .adding(try await signIn(localID, provider: "custom", customClaims: claims, call))
  }

  /// The contents of a custom token: plain JSON, for any tenant, or a JWT, whose signature is not checked.
  private static func content(ofCustomToken text: String, tenant: String?) throws(APIError) -> JSON {
    if text.hasPrefix("{") {
      guard let content = try? JSON(parsing: Data(text.utf8)) else {
        throw APIError(
          "INVALID_CUSTOM_TOKEN", "((Auth Emulator only accepts strict JSON or JWTs as fake custom tokens.))")
      }
      return content
    }
    guard let (_, claims) = JWT.parts(of: text) else {
      throw APIError("INVALID_CUSTOM_TOKEN", "Invalid assertion format")
    }
    guard claims["aud"]?.string == audience else {
      throw APIError("INVALID_CUSTOM_TOKEN", "Invalid assertion audience")
    }
    guard claims["tenant_id"]?.string == tenant else { throw .tenantMismatch }
    return claims
  }

  func createSessionCookie(_ call: Call) async throws -> JSON {
    guard call.body["idToken"] != nil else { throw APIError("MISSING_ID_TOKEN") }
    // As in proto3, 0 is treated as absent.
    let asked = call.body["validDuration"]?.integer ?? 0
    let seconds = asked == 0 ? 1_209_600 : asked
    guard 300...1_209_600 ~= seconds else { throw APIError("INVALID_DURATION") }
    let (_, token) = try await account(of: call)
    let now = now.seconds
    let claims = token.claims.adding([
      "iat": .integer(now), "exp": .integer(now + seconds),
      "iss": .string("https://session.firebase.google.com/\(call.project)"),
    ])
    return ["sessionCookie": .string(IDToken(claims: claims, handle: nil).text)]
  }

  func token(_ call: Call) async throws -> JSON {
    let type = try call.body.text("grantType", or: "MISSING_GRANT_TYPE")
    guard type == "refresh_token" else { throw APIError("INVALID_GRANT_TYPE") }
    let text = try call.body.text("refreshToken", or: "MISSING_REFRESH_TOKEN")
    guard let token = RefreshToken(text: text), token.project == call.project, token.tenant == call.tenant else {
      throw APIError("INVALID_REFRESH_TOKEN")
    }
    try checkIsEnabled(call)
    let account = try account(token.localID, call)
    guard !account.isDisabled else { throw APIError("USER_DISABLED") }
    if let validSince = account.validSince, token.issuedAt < validSince.seconds { throw APIError.tokenExpired }
    let user = try await user(of: token.handle, account, provider: token.provider, call)
    // A removed factor no longer counts as verified.
    let tokens = try tokens(
      for: account.localID, provider: token.provider, secondFactor: user.proof, user,
      customClaims: token.customClaims, isSignIn: false, call)
    return [
      "id_token": tokens["idToken"], "access_token": tokens["idToken"], "expires_in": tokens["expiresIn"],
      "refresh_token": tokens["refreshToken"], "token_type": "Bearer", "user_id": .string(account.localID),
      // Fixed, as in Google's emulator.
      "project_id": "12345",
    ]
  }
}
