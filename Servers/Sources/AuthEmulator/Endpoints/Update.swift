import Foundation
import MultiFactor
import MultiFactorOperations

// `accounts:update`: by a user with a token, with a code from an e-mail, or by an administrator.
extension Emulator {
  func update(_ call: Call) async throws -> JSON {
    try checkIsEnabled(call)
    guard call.body["deletePasskey"] == nil else { throw APIError.notImplemented("deletePasskey") }
    if let code = call.body["oobCode"]?.string { return try await apply(code, call) }
    let body = call.body
    let account: Account
    var token: IDToken?
    if body["idToken"] != nil {
      let (ofToken, given) = try await self.account(of: call)
      (account, token) = (ofToken, given)
      for name in ["disableUser", "customAttributes", "mfa", "phoneNumber", "emailVerified"]
      where body[name] != nil && !call.isPrivileged {
        throw APIError("INVALID_REQ_TYPE", "Unsupported request parameter: \(name)")
      }
    } else {
      guard call.isPrivileged else {
        throw body["localId"] == nil
          ? APIError("INVALID_REQ_TYPE", "Unsupported request parameters.")
          : APIError("INSUFFICIENT_PERMISSION", "Only authenticated requests can specify localId.")
      }
      let localID = try body.text("localId", or: "MISSING_LOCAL_ID")
      account = try self.account(localID, call)
    }

    var changed = account
    let isRevoked = try change(&changed, by: body, isPrivileged: call.isPrivileged)
    if token == nil, isRevoked, account.hadFactors {
      try await auth(for: call).admin.revokeTokens(of: userID(account.localID, call))
    }
    if let mfa = body["mfa"] {
      try await replaceFactors(of: account, with: mfa["enrollments"]?.array ?? [], call)
      changed.hadFactors = changed.hadFactors || mfa["enrollments"]?.array?.isEmpty == false
    }
    var recovery: Directory.OOBCode?
    if let old = account.email, let new = changed.email, old != new, token != nil {
      recovery = oobCode(.recoverEmail, email: old, newEmail: new, call)
    }
    try withDirectory(of: call) { [changed, recovery] (directory) throws(APIError) in
      guard directory.account(account.localID) != nil else { throw .userNotFound }
      try directory.put(changed)
      if let recovery { directory.add(recovery) }
    }
    if let recovery { Console.print("To \(recovery.email) (RECOVER_EMAIL): \(recovery.link)") }
    let answer = Self.updateAnswer(changed)
    guard let token, isRevoked else { return answer }
    let provider = body["password"] == nil ? token.provider : "password"
    let user = try await user(of: token, changed, call)
    return answer.adding(
      try tokens(
        for: account.localID, provider: provider, secondFactor: user.proof, user,
        customClaims: token.customClaims, isSignIn: false, call))
  }

  private static func updateAnswer(_ account: Account) -> JSON {
    [
      "kind": "identitytoolkit#SetAccountInfoResponse", "localId": .string(account.localID),
      "email": .text(account.email), "emailVerified": .bool(account.isEmailVerified),
      "displayName": .text(account.displayName), "photoUrl": .text(account.photoURL),
      "passwordHash": .text(account.passwordHash), "providerUserInfo": .array(account.providerUserInfo),
    ]
  }

  /// Changes an account.
  ///
  /// - Returns: Whether earlier tokens are no longer valid, even if the clock stands still.
  private func change(_ account: inout Account, by body: JSON, isPrivileged: Bool) throws(APIError) -> Bool {
    var isRevoked = body["password"] != nil || body["validSince"] != nil
    try Self.setProfile(body, of: &account)
    if let text = body["email"]?.string {
      let email = try Self.email(text)
      if email != account.email {
        account.email = email
        account.isEmailVerified = false
        account.validSince = now
        isRevoked = true
      }
    }
    if let isVerified = body["emailVerified"]?.bool { account.isEmailVerified = isVerified }
    if let password = body["password"]?.string { try Self.set(password, of: &account, at: now) }
    if let number = body["phoneNumber"]?.string {
      guard number.isEmpty || Directory.isPhoneNumber(number) else { throw .invalidPhoneNumber }
      account.phoneNumber = number.isEmpty ? nil : number
    }
    if let isDisabled = body["disableUser"]?.bool { account.isDisabled = isDisabled }
    if let claims = body["customAttributes"]?.string {
      try Self.checkClaims(claims)
      account.customAttributes = claims.isEmpty ? nil : claims
    }
    if let seconds = body["validSince"]?.integer {
      let date = try Date(seconds: TimeInterval(seconds))
      account.validSince = isPrivileged ? date : now
    }
    if isPrivileged {
      account.createdAt = try body.date("createdAt") ?? account.createdAt
      account.lastLoginAt = try body.date("lastLoginAt") ?? account.lastLoginAt
    }
    if let provider = body["linkProviderUserInfo"].flatMap(Account.Provider.init) {
      account.providers.removeAll { $0.id == provider.id }
      account.providers.append(provider)
    }
    Self.delete(body, from: &account)
    return isRevoked
  }

  private static func delete(_ body: JSON, from account: inout Account) {
    for attribute in (body["deleteAttribute"]?.array ?? []).compactMap(\.string) {
      switch attribute {
      case "DISPLAY_NAME": account.displayName = nil
      case "PHOTO_URL": account.photoURL = nil
      case "EMAIL": (account.email, account.isEmailVerified) = (nil, false)
      case "PASSWORD": (account.passwordHash, account.salt) = (nil, nil)
      case "PROVIDER": account.providers = []
      default: break
      }
    }
    for provider in (body["deleteProvider"]?.array ?? []).compactMap(\.string) {
      switch provider {
      case "phone": account.phoneNumber = nil
      case "password":
        (account.passwordHash, account.salt, account.isEmailLinkUser) = (nil, nil, false)
        (account.email, account.isEmailVerified) = (nil, false)
      default: account.providers.removeAll { $0.id == provider }
      }
    }
  }

  /// Applies a code from an e-mail: verifies an address, changes it, or reverts a change.
  func apply(_ text: String, _ call: Call) async throws -> JSON {
    let now = now
    let (account, code) = try withDirectory(of: call) { (directory) throws(APIError) in
      let code = try directory.oobCode(text, at: now)
      let email = code.purpose == .recoverEmail ? code.newEmail ?? code.email : code.email
      guard var account = directory.account(email: email) else { throw APIError("INVALID_OOB_CODE") }
      switch code.purpose {
      case .verifyEmail: account.isEmailVerified = true
      case .verifyAndChangeEmail, .recoverEmail:
        account.email = code.purpose == .recoverEmail ? code.email : code.newEmail
        account.isEmailVerified = true
        account.validSince = now
      case .passwordReset, .emailSignIn: throw APIError("INVALID_OOB_CODE")
      }
      try directory.put(account)
      directory.removeOOBCode(text)
      return (account, code)
    }
    return Self.updateAnswer(account).adding(["newEmail": .text(code.newEmail)])
  }
}
