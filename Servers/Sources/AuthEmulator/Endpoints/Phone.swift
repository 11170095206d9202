import Foundation

// Sign-in with a text message, as the first factor.
extension Emulator {
  func sendVerificationCode(_ call: Call) async throws -> JSON {
    try checkIsEnabled(call)
    guard call.tenant == nil else { throw APIError("UNSUPPORTED_TENANT_OPERATION") }
    guard let number = call.body["phoneNumber"]?.string, Directory.isPhoneNumber(number) else {
      throw APIError.invalidPhoneNumber
    }
    let account = try directory(of: call).account(phone: number)
    try await checkHasNoFactors(account, call)
    let testCode = try config(of: call).testPhoneNumbers[number]
    let code = Directory.VerificationCode(
      phoneNumber: number, sessionInfo: Random.name(226), code: testCode ?? Random.code(), createdAt: now,
      isSecondFactor: false)
    try withDirectory(of: call) { (directory) throws(APIError) in directory.add(code) }
    Console.print("To \(number): the code \(code.code)")
    return ["sessionInfo": .string(code.sessionInfo)]
  }

  /// A user with second factors cannot use a phone as the first factor.
  private func checkHasNoFactors(_ account: Account?, _ call: Call) async throws {
    guard let account, account.hadFactors else { return }
    guard try await auth(for: call).admin.user(userID(account.localID, call)).factors.isEmpty else {
      throw APIError(
        "UNSUPPORTED_FIRST_FACTOR", "A phone number cannot be set as a first factor on an SMS based MFA user.")
    }
  }

  func signInWithPhoneNumber(_ call: Call) async throws -> JSON {
    try checkIsEnabled(call)
    guard call.tenant == nil else { throw APIError("UNSUPPORTED_TENANT_OPERATION") }
    let number = try provedNumber(call)
    let linked = call.body["idToken"] == nil ? nil : try await account(of: call).account
    try await checkHasNoFactors(linked, call)
    let now = now
    let result = try withDirectory(of: call) { (directory) throws(APIError) -> (account: Account, isNew: Bool)? in
      let known = directory.account(phone: number)
      if let linked {
        guard known == nil || known?.localID == linked.localID else { return nil }
        return (try directory.change(linked.localID) { $0.phoneNumber = number }, false)
      }
      if let known { return (known, false) }
      guard call.body["operation"]?.string != "REAUTH" else { throw .userNotFound }
      var account = Account(localID: Random.name(28), createdAt: now)
      account.phoneNumber = number
      try directory.put(account)
      return (account, true)
    }
    guard let (account, isNew) = result else {
      guard call.body["temporaryProof"] == nil else { throw APIError("PHONE_NUMBER_EXISTS") }
      return try proof(of: number, call)
    }
    try await checkHasNoFactors(account, call)
    return JSON.object([
      "isNewUser": .bool(isNew), "phoneNumber": .string(number), "localId": .string(account.localID),
    ]).adding(try await signIn(account.localID, provider: "phone", call))
  }

  /// The number that a code or an earlier proof belongs to.
  private func provedNumber(_ call: Call) throws(APIError) -> String {
    let body = call.body
    let now = now
    return try withDirectory(of: call) { (directory) throws(APIError) in
      if let proof = body["temporaryProof"]?.string {
        guard let number = body["phoneNumber"]?.string else { throw APIError("MISSING_PHONE_NUMBER") }
        guard directory.temporaryProofs[proof] == number else { throw APIError("INVALID_TEMPORARY_PROOF") }
        directory.temporaryProofs[proof] = nil
        return number
      }
      let sessionInfo = try Self.sessionInfo(in: body)
      let text = try Self.code(in: body, "code")
      guard let code = directory.verificationCode(sessionInfo), !code.isSecondFactor else {
        throw APIError("INVALID_SESSION_INFO")
      }
      guard code.isGood(at: now) else { throw APIError("SESSION_EXPIRED") }
      guard code.code == text else { throw APIError("INVALID_CODE") }
      directory.removeVerificationCode(sessionInfo)
      return code.phoneNumber
    }
  }

  /// The response if the number belongs to another user: a proof with which the client can sign in as that user.
  private func proof(of number: String, _ call: Call) throws -> JSON {
    let proof = Random.name(119)
    try withDirectory(of: call) { (directory) throws(APIError) in directory.temporaryProofs[proof] = number }
    return [
      "phoneNumber": .string(number), "temporaryProof": .string(proof), "temporaryProofExpiresIn": "3600",
    ]
  }
}
