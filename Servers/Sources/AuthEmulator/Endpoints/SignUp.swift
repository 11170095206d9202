import Foundation
import MultiFactor

// `accounts:signUp`, and `projects/{project}/accounts`, with which administrators create users.
extension Emulator {
  func signUp(_ call: Call) async throws -> JSON {
    try checkIsEnabled(call)
    guard call.body["idToken"] == nil else { return try await link(call) }
    let body = call.body
    if !call.isPrivileged {
      guard body["localId"] == nil else { throw APIError("UNEXPECTED_PARAMETER", "User ID") }
      for name in ["disabled", "phoneNumber", "emailVerified"] where body[name] != nil {
        throw APIError("UNEXPECTED_PARAMETER", name)
      }
    }
    let isAnonymous = !call.isPrivileged && body["email"] == nil && body["password"] == nil
    try checkIsEnabled(
      call, isAnonymous ? "enableAnonymousUser" : call.isPrivileged ? nil : "allowPasswordSignup",
      otherwise: isAnonymous ? "ADMIN_ONLY_OPERATION" : "OPERATION_NOT_ALLOWED")
    if !call.isPrivileged && !isAnonymous {
      _ = try body.text("email", or: "MISSING_EMAIL")
      _ = try body.text("password", or: "MISSING_PASSWORD")
    }

    let localID = try localID(for: body)
    var account = Account(localID: localID, createdAt: now)
    try Self.setProfile(body, of: &account)
    if let email = body["email"]?.string {
      account.email = try Self.email(email)
      account.initialEmail = account.email
      account.isEmailVerified = call.isPrivileged && body["emailVerified"]?.bool ?? false
    }
    if let number = body["phoneNumber"]?.string {
      guard Directory.isPhoneNumber(number) else { throw APIError.invalidPhoneNumber }
      account.phoneNumber = number
    }
    account.isDisabled = body["disabled"]?.bool ?? false
    if let password = body["password"]?.string { try Self.set(password, of: &account, at: now) }

    let factors = try Self.factors(body["mfaInfo"]?.array ?? [], keepsNames: false)
    account.hadFactors = !factors.isEmpty
    func create(_ isLast: Bool) throws(APIError) {
      try withDirectory(of: call) { [account] (directory) throws(APIError) in
        guard directory.account(localID) == nil else { throw APIError("DUPLICATE_LOCAL_ID") }
        if isLast { try directory.put(account) }
      }
    }
    // The factors first, so that there is never a user without them.
    if !factors.isEmpty { try create(false) }
    for factor in factors { try await add(factor, to: account, call) }
    do { try create(true) } catch {
      try await forgetFactors(of: account, call)
      throw error
    }

    let answer: JSON = [
      "kind": "identitytoolkit#SignupNewUserResponse", "localId": .string(localID),
      "displayName": .text(account.displayName), "email": .text(account.email),
    ]
    guard !call.isPrivileged else { return answer }
    let provider = isAnonymous ? "anonymous" : "password"
    // A new user is signed in, even with second factors.
    guard account.hadFactors else { return answer.adding(try await signIn(localID, provider: provider, call)) }
    let user = try await userWithoutSecondFactor(account, provider: provider, call)
    return answer.adding(
      try tokens(for: localID, provider: provider, secondFactor: nil, user, isSignIn: true, call))
  }

  /// Links an address and a password to a signed-in user, who is then no longer anonymous.
  private func link(_ call: Call) async throws -> JSON {
    let (account, token) = try await account(of: call)
    let email = try call.body.text("email", or: "MISSING_EMAIL")
    let password = try call.body.text("password", or: "MISSING_PASSWORD")
    var changed = account
    changed.email = try Self.email(email)
    changed.isEmailVerified = account.email == changed.email && account.isEmailVerified
    try Self.setProfile(call.body, of: &changed)
    try Self.set(password, of: &changed, at: now)
    try withDirectory(of: call) { [changed] (directory) throws(APIError) in
      if let other = directory.account(email: email), other.localID != account.localID { throw .emailExists }
      try directory.put(changed)
    }
    let user = try await user(of: token, changed, call)
    return JSON.object([
      "kind": "identitytoolkit#SignupNewUserResponse", "localId": .string(account.localID),
      "displayName": .text(changed.displayName) ?? "", "email": .text(changed.email) ?? "",
    ]).adding(
      try tokens(
        for: account.localID, provider: "password", secondFactor: user.proof, user, isSignIn: false, call))
  }

  private func localID(for body: JSON) throws(APIError) -> String {
    guard let localID = body["localId"]?.string else { return Random.name(28) }
    guard Directory.isLocalID(localID) else { throw APIError("INVALID_LOCAL_ID") }
    return localID
  }

  static func email(_ text: String) throws(APIError) -> String {
    guard Directory.isEmail(text) else { throw .invalidEmail }
    return Directory.canonical(text)
  }

  static func set(_ password: String, of account: inout Account, at now: Date) throws(APIError) {
    guard password.count >= Account.shortestPassword else {
      throw APIError("WEAK_PASSWORD", "Password should be at least 6 characters")
    }
    account.setPassword(password, at: now)
  }

  static func setProfile(_ body: JSON, of account: inout Account) throws(APIError) {
    if let name = body["displayName"]?.string { account.displayName = name.isEmpty ? nil : name }
    if let address = body["photoUrl"]?.string { account.photoURL = address.isEmpty ? nil : address }
  }

  func signInWithPassword(_ call: Call) async throws -> JSON {
    try checkIsEnabled(call)
    try checkIsEnabled(call, "allowPasswordSignup", otherwise: "PASSWORD_LOGIN_DISABLED")
    guard let email = call.body["email"]?.string else { throw APIError("MISSING_EMAIL") }
    guard Directory.isEmail(email) else { throw APIError.invalidEmail }
    let password = try call.body.text("password", or: "MISSING_PASSWORD")
    let realm = try realm(of: call)
    let hides = realm.config.isImprovedEmailPrivacy
    guard let account = realm.directory.account(email: email) else {
      throw APIError(hides ? "INVALID_LOGIN_CREDENTIALS" : "EMAIL_NOT_FOUND")
    }
    guard !account.isDisabled else { throw APIError("USER_DISABLED") }
    guard account.hasPassword(password) else {
      throw APIError(hides ? "INVALID_LOGIN_CREDENTIALS" : "INVALID_PASSWORD")
    }
    let answer: JSON = [
      "kind": "identitytoolkit#VerifyPasswordResponse", "registered": true, "localId": .string(account.localID),
      "email": .text(account.email), "displayName": .text(account.displayName ?? ""),
      "profilePicture": .text(account.photoURL),
    ]
    return answer.adding(try await signIn(account.localID, provider: "password", call))
  }
}
