import Foundation
import Keyring
import MultiFactor
import MultiFactorOperations

// Codes in e-mails: generating, checking and using them.
extension Emulator {
  /// A new code, with the link for an e-mail.
  func oobCode(_ purpose: Directory.OOBCode.Purpose, email: String, newEmail: String? = nil, _ call: Call)
    -> Directory.OOBCode
  {
    let code = Random.name(54)
    var query = ["mode": purpose.mode, "lang": "en", "oobCode": code, "apiKey": "fake-api-key"]
    query["continueUrl"] = call.body["continueUrl"]?.string
    query["tenantId"] = call.tenant
    // A link belongs to the project of its request, which need not be the default one.
    if call.project != defaultProject { query["projectId"] = call.project }
    let text = query.sorted { $0.key < $1.key }.map { "\($0.key)=\(Query.encoded($0.value))" }
    return Directory.OOBCode(
      code: code, purpose: purpose, email: email, newEmail: newEmail,
      link: "\(call.origin)/emulator/action?\(text.joined(separator: "&"))", createdAt: now)
  }

  func sendOOBCode(_ call: Call) async throws -> JSON {
    try checkIsEnabled(call)
    let body = call.body
    guard let type = body["requestType"]?.string, let purpose = Directory.OOBCode.Purpose(rawValue: type) else {
      throw APIError("MISSING_REQ_TYPE")
    }
    if body["returnOobLink"]?.bool == true, !call.isPrivileged {
      throw APIError("INSUFFICIENT_PERMISSION", "Only authenticated requests can get the link.")
    }
    try Self.checkContinueURL(body)
    var newEmail: String?
    let email: String
    switch purpose {
    case .emailSignIn:
      try checkIsEnabled(call, "enableEmailLinkSignin")
      let text = try body.text("email", or: "MISSING_EMAIL")
      email = try Self.email(text)
    case .passwordReset:
      let text = try body.text("email", or: "MISSING_EMAIL")
      email = try Self.email(text)
      let realm = try realm(of: call)
      guard realm.directory.account(email: email) != nil else {
        guard realm.config.isImprovedEmailPrivacy else { throw APIError("EMAIL_NOT_FOUND") }
        return ["kind": "identitytoolkit#GetOobConfirmationCodeResponse", "email": .string(email)]
      }
    case .verifyEmail, .verifyAndChangeEmail:
      if purpose == .verifyAndChangeEmail {
        let text = try body.text("newEmail", or: "MISSING_NEW_EMAIL")
        newEmail = try Self.email(text)
        if try directory(of: call).account(email: text) != nil {
          throw APIError.emailExists
        }
      }
      email = try await emailToVerify(call)
    case .recoverEmail: throw APIError.notImplemented("RECOVER_EMAIL")
    }
    let code = oobCode(purpose, email: email, newEmail: newEmail, call)
    try withDirectory(of: call) { (directory) throws(APIError) in directory.add(code) }
    let answer: JSON = ["kind": "identitytoolkit#GetOobConfirmationCodeResponse", "email": .string(email)]
    guard body["returnOobLink"]?.bool == true else {
      Console.print("To \(email) (\(type)): \(code.link)")
      return answer
    }
    return answer.adding(["oobCode": .string(code.code), "oobLink": .string(code.link)])
  }

  private func emailToVerify(_ call: Call) async throws -> String {
    guard call.body["idToken"] == nil, call.isPrivileged else {
      guard let email = try await account(of: call).account.email else { throw APIError("MISSING_EMAIL") }
      return email
    }
    let text = try call.body.text("email", or: "MISSING_EMAIL")
    let email = try Self.email(text)
    guard try directory(of: call).account(email: email) != nil else {
      throw APIError.userNotFound
    }
    return email
  }

  private static func checkContinueURL(_ body: JSON) throws(APIError) {
    guard let text = body["continueUrl"]?.string else {
      if body["canHandleCodeInApp"]?.bool == true {
        throw APIError("MISSING_CONTINUE_URI", "continueUrl is required when canHandleCodeInApp is set.")
      }
      return
    }
    guard isAbsolute(text) else {
      throw APIError("INVALID_CONTINUE_URI", "((expected an absolute URI with valid scheme and host))")
    }
  }

  static func isAbsolute(_ address: String) -> Bool { URL(string: address)?.scheme?.isEmpty == false }

  func resetPassword(_ call: Call) async throws -> JSON {
    try checkIsEnabled(call)
    let text = try call.body.text("oobCode", or: "MISSING_OOB_CODE")
    let newPassword = call.body["newPassword"]?.string
    let now = now
    let (code, account) = try withDirectory(of: call) { (directory) throws(APIError) in
      let code = try directory.oobCode(text, at: now)
      guard let newPassword else { return (code, Account?.none) }
      guard code.purpose == .passwordReset, var account = directory.account(email: code.email) else {
        throw APIError("INVALID_OOB_CODE")
      }
      try Self.set(newPassword, of: &account, at: now)
      account.isEmailVerified = true
      directory.removeOOBCode(text)
      try directory.put(account)
      return (code, account)
    }
    if let account, account.hadFactors {
      try await auth(for: call).admin.revokeTokens(of: userID(account.localID, call))
    }
    return [
      "kind": "identitytoolkit#ResetPasswordResponse", "requestType": .string(code.purpose.rawValue),
      // The response does not reveal the address of a sign-in link: the client must know it.
      "email": code.purpose == .emailSignIn ? nil : .string(code.email), "newEmail": .text(code.newEmail),
    ]
  }

  func signInWithEmailLink(_ call: Call) async throws -> JSON {
    try checkIsEnabled(call)
    try checkIsEnabled(call, "enableEmailLinkSignin")
    let text = try call.body.text("email", or: "MISSING_EMAIL")
    let email = try Self.email(text)
    let codeText = try call.body.text("oobCode", or: "MISSING_OOB_CODE")
    let linked = call.body["idToken"] == nil ? nil : try await account(of: call).account
    let now = now
    let (account, isNew) = try withDirectory(of: call) { (directory) throws(APIError) in
      let code = try directory.oobCode(codeText, at: now)
      guard code.purpose == .emailSignIn else { throw APIError("INVALID_OOB_CODE") }
      guard code.email == email else {
        throw APIError("INVALID_EMAIL", "The email provided does not match the sign-in email address.")
      }
      let known = directory.account(email: email)
      if let linked, let known, known.localID != linked.localID { throw .emailExists }
      var account = linked ?? known ?? Account(localID: Random.name(28), createdAt: now)
      guard !account.isDisabled else { throw APIError("USER_DISABLED") }
      if account.initialEmail == nil { account.initialEmail = email }
      account.email = email
      account.isEmailVerified = true
      account.isEmailLinkUser = true
      directory.removeOOBCode(codeText)
      try directory.put(account)
      return (account, linked == nil && known == nil)
    }
    let answer: JSON = [
      "kind": "identitytoolkit#EmailLinkSigninResponse", "email": .string(email),
      "localId": .string(account.localID), "isNewUser": .bool(isNew),
    ]
    return answer.adding(
      try await signIn(account.localID, provider: "password", firstFactor: .emailLink, call))
  }
}
