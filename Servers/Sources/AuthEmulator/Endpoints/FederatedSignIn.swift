import Foundation
import MultiFactor

// `accounts:signInWithIdp`, with the tokens that Google's emulator accepts as those of identity providers: claims as
// JSON, or a JWT whose signature is not checked.
extension Emulator {
  /// What a provider says about its user.
  private struct Assertion: Sendable {
    let provider: String
    let rawID: String
    let email: String?
    let isEmailVerified: Bool
    let displayName: String?
    let photoURL: String?
    /// The fields of the response for it.
    let answer: JSON

    var entry: Account.Provider {
      Account.Provider(id: provider, rawID: rawID, email: email, displayName: displayName, photoURL: photoURL)
    }
  }

  /// The outcome in the directory.
  private enum Outcome: Sendable {
    case signedIn(String, isNew: Bool, isRecycled: Bool)
    /// The address belongs to another account, and the provider has not verified it.
    case unconfirmed(String, otherProviders: [String])
  }

  func signInWithIdp(_ call: Call) async throws -> JSON {
    try checkIsEnabled(call)
    let body = call.body
    guard body["pendingIdToken"] == nil, body["returnRefreshToken"]?.bool != true else {
      throw APIError.notImplemented("pendingIdToken or returnRefreshToken")
    }
    let assertion = try Self.assertion(in: body)
    let linked = body["idToken"] == nil ? nil : try await account(of: call).account
    let outcome: Outcome
    do {
      outcome = try settle(assertion, linked, call)
    } catch {
      guard body["returnIdpCredential"]?.bool == true else { throw error }
      return assertion.answer.adding(["errorMessage": .string(error.message)])
    }
    switch outcome {
    case .unconfirmed(let localID, let providers):
      return assertion.answer.adding([
        "needConfirmation": true, "localId": .string(localID),
        "verifiedProvider": .array(providers.map(JSON.string)),
      ])
    case .signedIn(let localID, let isNew, let isRecycled):
      let answer = assertion.answer.adding([
        "localId": .string(localID), "isNewUser": isNew ? true : nil, "emailRecycled": isRecycled ? true : nil,
        "tenantId": .text(call.tenant),
      ])
      return answer.adding(try await signIn(localID, provider: assertion.provider, call))
    }
  }

  /// Finds or creates the account for an assertion.
  private func settle(_ assertion: Assertion, _ linked: Account?, _ call: Call) throws(APIError) -> Outcome {
    let now = now
    return try withRealm(of: call) { (realm) throws(APIError) -> Outcome in
      let isOnePerEmail = realm.config.isOneAccountPerEmail
      let known = realm.directory.account(provider: assertion.provider, rawID: assertion.rawID)
      let ofEmail = assertion.email.flatMap { isOnePerEmail ? realm.directory.account(email: $0) : nil }
      var account: Account
      var isRecycled = false
      if let linked {
        guard known == nil else { throw APIError("FEDERATED_USER_ID_ALREADY_LINKED") }
        guard ofEmail == nil || ofEmail?.localID == linked.localID else { throw .emailExists }
        account = linked
        if isOnePerEmail, account.email == nil { account.email = assertion.email }
        if assertion.isEmailVerified, account.email == assertion.email { account.isEmailVerified = true }
      } else if let known {
        account = known
      } else if let ofEmail {
        guard assertion.isEmailVerified else {
          return .unconfirmed(ofEmail.localID, otherProviders: ofEmail.providers.map(\.id))
        }
        isRecycled = ofEmail.providers.contains { $0.id == assertion.provider }
        account = ofEmail
        if !account.isEmailVerified {
          // The existing account may not belong to the owner of the address.
          (account.passwordHash, account.salt, account.phoneNumber) = (nil, nil, nil)
          (account.providers, account.validSince) = ([], now)
        }
        (account.displayName, account.photoURL) = (assertion.displayName, assertion.photoURL)
        account.isEmailVerified = true
      } else {
        account = Account(localID: Random.name(28), createdAt: now)
        (account.displayName, account.photoURL) = (assertion.displayName, assertion.photoURL)
        if isOnePerEmail {
          account.email = assertion.email
          account.initialEmail = assertion.email
          account.isEmailVerified = assertion.email != nil && assertion.isEmailVerified
        }
      }
      account.providers.removeAll { $0.id == assertion.provider }
      account.providers.append(assertion.entry)
      try realm.directory.put(account)
      return .signedIn(
        account.localID, isNew: linked == nil && known == nil && ofEmail == nil, isRecycled: isRecycled)
    }
  }
}

// Parsing.
extension Emulator {
  private static func assertion(in body: JSON) throws(APIError) -> Assertion {
    let address = body["requestUri"]?.string ?? ""
    let fields = Query.pairs(of: address.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init) ?? "")
      .merging(Query.pairs(of: body["postBody"]?.string ?? "")) { _, last in last }
    guard let provider = fields["providerId"]?.lowercased(), !provider.isEmpty else {
      throw APIError("INVALID_CREDENTIAL_OR_PROVIDER_ID", "Invalid IdP response/credential.")
    }
    guard !provider.hasPrefix("saml."), !["password", "phone", "anonymous", "custom"].contains(provider) else {
      throw .notImplemented("Sign-in by \(provider.prefix(100))")
    }
    let (idToken, accessToken) = (fields["id_token"] ?? "", fields["access_token"] ?? "")
    guard let claims = claims(of: idToken) ?? claims(of: accessToken) else {
      guard idToken.isEmpty else {
        throw APIError(
          "INVALID_IDP_RESPONSE",
          "Unable to parse id_token. ((Auth Emulator only accepts strict JSON or JWTs as fake id_tokens.))")
      }
      throw .notImplemented("Sign-in by \(provider.prefix(100)) without an id_token that is JSON or a JWT")
    }
    guard let rawID = claims["sub"]?.string, Directory.isLocalID(rawID) else {
      throw APIError(
        "INVALID_IDP_RESPONSE", "Invalid Idp Response: id_token missing required fields. ((Missing \"sub\" field.))")
    }
    let email = try claims["email"]?.string.map { (text) throws(APIError) in try Self.email(text) }
    let isVerified = claims["email_verified"]?.bool ?? false
    let isGoogle = provider == "google.com"
    let answer: JSON = [
      "kind": "identitytoolkit#VerifyAssertionResponse", "context": "", "providerId": .string(provider),
      "federatedId": .string(isGoogle ? "https://accounts.google.com/\(rawID)" : rawID), "email": .text(email),
      "emailVerified": .bool(isVerified), "displayName": claims["name"], "fullName": claims["name"],
      "firstName": claims["given_name"], "lastName": claims["family_name"], "screenName": claims["screen_name"],
      "photoUrl": claims["picture"],
      "rawUserInfo": .string(String(decoding: claims.adding(["id": .string(rawID)]).text, as: UTF8.self)),
      "oauthIdToken": idToken.isEmpty ? nil : .string(idToken),
      // The JS SDK makes its credential from this.
      "oauthAccessToken": .string(
        accessToken.isEmpty ? "FirebaseAuthEmulatorFakeAccessToken_\(provider)" : accessToken),
    ]
    return Assertion(
      provider: provider, rawID: rawID, email: email, isEmailVerified: isVerified,
      displayName: claims["name"]?.string, photoURL: claims["picture"]?.string, answer: answer)
  }

  private static func claims(of token: String) -> JSON? {
    guard token.hasPrefix("{") else { return JWT.parts(of: token)?.claims }
    return try? JSON(parsing: Data(token.utf8))
  }
}
