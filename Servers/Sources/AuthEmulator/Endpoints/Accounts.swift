import Foundation
import MultiFactor

// Users looked up, listed, deleted and imported.
extension Emulator {
  func lookup(_ call: Call) async throws -> JSON {
    let body = call.body
    var found: [Account] = []
    if call.isPrivileged, body["idToken"] == nil {
      found = try withDirectory(of: call) { (directory) throws(APIError) in
        var found: [Account?] = (body["localId"]?.array ?? []).map { directory.account($0.string ?? "") }
        found += (body["email"]?.array ?? []).map { directory.account(email: $0.string ?? "") }
        found += (body["phoneNumber"]?.array ?? []).map { directory.account(phone: $0.string ?? "") }
        found += (body["federatedUserId"]?.array ?? []).map {
          directory.account(provider: $0["providerId"]?.string ?? "", rawID: $0["rawId"]?.string ?? "")
        }
        var names: Set<String> = []
        return found.compactMap(\.self).filter { names.insert($0.localID).inserted }
      }
    } else {
      for name in ["localId", "email", "phoneNumber"] where body[name] != nil {
        throw APIError("INSUFFICIENT_PERMISSION", "Only authenticated requests can look users up by \(name).")
      }
      found = [try await account(of: call).account]
    }
    var users: [JSON] = []
    for account in found { users.append(try await userInfo(account, call)) }
    // Node's Admin SDK takes an empty list for a user.
    return ["kind": "identitytoolkit#GetAccountInfoResponse", "users": users.isEmpty ? nil : .array(users)]
  }

  func delete(_ call: Call) async throws -> JSON {
    try checkIsEnabled(call)
    let account: Account
    if call.isPrivileged, call.body["idToken"] == nil {
      guard let localID = call.body["localId"]?.string, !localID.isEmpty else { throw APIError("MISSING_LOCAL_ID") }
      account = try self.account(localID, call)
    } else {
      account = try await self.account(of: call).account
    }
    try withDirectory(of: call) { (directory) throws(APIError) in _ = directory.remove(account.localID) }
    try await forgetFactors(of: account, call)
    return ["kind": "identitytoolkit#DeleteAccountResponse"]
  }

  func batchDelete(_ call: Call) async throws -> JSON {
    let names = (call.body["localIds"]?.array ?? []).compactMap(\.string)
    guard !names.isEmpty, names.count <= 1000 else { throw APIError("LOCAL_ID_LIST_EXCEEDS_LIMIT") }
    let isForced = call.body["force"]?.bool ?? false
    let (removed, errors) = try withDirectory(of: call) { (directory) throws(APIError) in
      var removed: [Account] = []
      var errors: [JSON] = []
      for (index, name) in names.enumerated() {
        guard let account = directory.account(name) else { continue }
        guard isForced || account.isDisabled else {
          errors.append([
            "index": .integer(Int64(index)), "localId": .string(name),
            "message": "NOT_DISABLED : Disable the account before batch deletion.",
          ])
          continue
        }
        if let account = directory.remove(name) { removed.append(account) }
      }
      return (removed, errors)
    }
    for account in removed { try await forgetFactors(of: account, call) }
    return ["errors": errors.isEmpty ? nil : .array(errors)]
  }

  func batchGet(_ call: Call) async throws -> JSON {
    var limit = call.query["maxResults"].flatMap { Int($0) } ?? 20
    // As Google's tools ask for all of them.
    if limit == -1 { limit = .max }
    guard 1...1000 ~= limit || limit == .max else { throw APIError("INVALID_PAGE_SELECTION") }
    let last = call.query["nextPageToken"] ?? ""
    let page = try withDirectory(of: call) { (directory) throws(APIError) in
      directory.accounts.keys.filter { $0 > last }.sorted().prefix(limit).compactMap { directory.account($0) }
    }
    var users: [JSON] = []
    for account in page { users.append(try await userInfo(account, call)) }
    return [
      "kind": "identitytoolkit#DownloadAccountResponse", "users": .array(users),
      "nextPageToken": page.count == limit ? .text(page.last?.localID) : nil,
    ]
  }

  func query(_ call: Call) async throws -> JSON {
    let all = try withDirectory(of: call) { (directory) throws(APIError) in
      directory.accounts.values.sorted { $0.localID < $1.localID }
    }
    guard call.body["returnUserInfo"]?.bool ?? true else { return ["recordsCount": .string(String(all.count))] }
    var users: [JSON] = []
    for account in all { users.append(try await userInfo(account, call)) }
    return ["recordsCount": .string(String(all.count)), "userInfo": .array(users)]
  }

  func batchCreate(_ call: Call) async throws -> JSON {
    let users = call.body["users"]?.array ?? []
    guard !users.isEmpty else { throw APIError("MISSING_USER_ACCOUNT") }
    guard users.count <= 1000 else { throw APIError("USER_LIMIT_EXCEEDED") }
    if call.body["sanityCheck"]?.bool == true {
      for name in ["email", "phoneNumber", "localId"] {
        let values = users.compactMap { $0[name]?.string }
        guard Set(values).count == values.count else {
          throw APIError("DUPLICATE_\(name == "email" ? "EMAIL" : name == "localId" ? "LOCAL_ID" : "PHONE_NUMBER")")
        }
      }
    }
    var errors: [JSON] = []
    for (index, user) in users.enumerated() {
      do { try await create(user, mayOverwrite: call.body["allowOverwrite"]?.bool ?? false, call) } catch {
        let message = (error as? APIError)?.message ?? (error as? AuthError).map { APIError($0).message } ?? "INTERNAL"
        errors.append(["index": .integer(Int64(index)), "message": .string(message)])
      }
    }
    return ["kind": "identitytoolkit#UploadAccountResponse", "error": .array(errors)]
  }

  /// Imports one user.
  private func create(_ info: JSON, mayOverwrite: Bool, _ call: Call) async throws {
    guard let localID = info["localId"]?.string, Directory.isLocalID(localID) else {
      throw APIError("localId is missing")
    }
    func date(_ name: String, perSecond unit: TimeInterval = 1000) throws(APIError) -> Date? {
      guard let number = info[name]?.integer else { return nil }
      return try Date(seconds: TimeInterval(number) / unit)
    }
    var account = Account(localID: localID, createdAt: try date("createdAt") ?? now)
    account.lastLoginAt = try date("lastLoginAt")
    account.validSince = try date("validSince", perSecond: 1)
    account.lastRefreshAt = info["lastRefreshAt"]?.string.flatMap(Date.init(rfc3339:))
    try Self.setProfile(info, of: &account)
    if let email = info["email"]?.string {
      guard Directory.isEmail(email) else { throw APIError("email is invalid") }
      account.email = Directory.canonical(email)
      account.initialEmail = info["initialEmail"]?.string ?? account.email
      account.isEmailVerified = info["emailVerified"]?.bool ?? false
    }
    if let number = info["phoneNumber"]?.string {
      guard Directory.isPhoneNumber(number) else { throw APIError("phone number format is invalid") }
      account.phoneNumber = number
    }
    account.isDisabled = info["disabled"]?.bool ?? false
    if let claims = info["customAttributes"]?.string {
      try Self.checkClaims(claims)
      account.customAttributes = claims.isEmpty ? nil : claims
    }
    if let password = info["rawPassword"]?.string {
      account.setPassword(password, at: now)
    } else if let hash = info["passwordHash"]?.string {
      (account.passwordHash, account.salt) = (hash, info["salt"]?.string ?? "")
      account.passwordUpdatedAt = try date("passwordUpdatedAt") ?? now
    }
    account.isEmailLinkUser = info["emailLinkSignin"]?.bool ?? false
    account.isCustomAuth = info["customAuth"]?.bool ?? false
    account.providers = (info["providerUserInfo"]?.array ?? []).compactMap { provider in
      guard let id = provider["providerId"]?.string, id != "password", id != "phone",
        let rawID = provider["rawId"]?.string
      else { return nil }
      return Account.Provider(
        id: id, rawID: rawID, email: provider["email"]?.string, displayName: provider["displayName"]?.string,
        photoURL: provider["photoUrl"]?.string)
    }
    let factors = try Self.phoneFactors(info["mfaInfo"]?.array ?? [], areNew: false)
    guard factors.isEmpty || account.isEmailVerified else {
      throw APIError("Second factor account requires email to be verified.")
    }
    account.hadFactors = !factors.isEmpty
    let old = try withDirectory(of: call) { [account] (directory) throws(APIError) in
      let old = directory.account(localID)
      guard old == nil || mayOverwrite else {
        throw APIError("localId belongs to an existing account - can not overwrite.")
      }
      try directory.put(account)
      return old
    }
    if let old { try await forgetFactors(of: old, call) }
    for factor in factors { try await add(factor, to: account, call) }
  }
}
