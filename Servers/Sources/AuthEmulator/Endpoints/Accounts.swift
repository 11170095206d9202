import Foundation
import MultiFactor

// Looking up, listing, deleting and importing users.
extension Emulator {
  func lookup(_ call: Call) async throws -> JSON {
    try checkIsEnabled(call)
    let body = call.body
    var found: [Account] = []
    if call.isPrivileged, body["idToken"] == nil {
      let directory = try directory(of: call)
      var all: [Account?] = (body["localId"]?.array ?? []).map { directory.account($0.string ?? "") }
      all += (body["email"]?.array ?? []).map { directory.account(email: $0.string ?? "") }
      all += (body["phoneNumber"]?.array ?? []).map { directory.account(phone: $0.string ?? "") }
      all += (body["federatedUserId"]?.array ?? []).map {
        directory.account(provider: $0["providerId"]?.string ?? "", rawID: $0["rawId"]?.string ?? "")
      }
      var names: Set<String> = []
      found = all.compactMap(\.self).filter { names.insert($0.localID).inserted }
    } else {
      for name in ["localId", "email", "phoneNumber"] where body[name] != nil {
        throw APIError("INSUFFICIENT_PERMISSION", "Only authenticated requests can look users up by \(name).")
      }
      found = [try await account(of: call).account]
    }
    // Node's Admin SDK mistakes an empty list for a user.
    let users = found.isEmpty ? nil : try await userInfos(found, call)
    return ["kind": "identitytoolkit#GetAccountInfoResponse", "users": users]
  }

  func delete(_ call: Call) async throws -> JSON {
    try checkIsEnabled(call)
    let account: Account
    if call.isPrivileged, call.body["idToken"] == nil {
      let localID = try call.body.text("localId", or: "MISSING_LOCAL_ID")
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
    try checkIsEnabled(call)
    // The old path has them in the body.
    func option(_ name: String) -> String? { call.query[name] ?? call.body[name]?.string }
    var limit = option("maxResults").flatMap { Int($0) } ?? 20
    // Google's tools request all users with this.
    if limit == -1 { limit = .max }
    guard 1...1000 ~= limit || limit == .max else { throw APIError("INVALID_PAGE_SELECTION") }
    let last = option("nextPageToken") ?? ""
    let page = try directory(of: call).accounts.filter { $0.key > last }.sorted { $0.key < $1.key }.prefix(limit)
      .map(\.value)
    return [
      "kind": "identitytoolkit#DownloadAccountResponse", "users": try await userInfos(page, call),
      "nextPageToken": page.count == limit ? .text(page.last?.localID) : nil,
    ]
  }

  func query(_ call: Call) async throws -> JSON {
    try checkIsEnabled(call)
    // Ignoring a condition would return users who do not satisfy it.
    for (name, isUsed) in [
      ("expression", call.body["expression"]?.array?.isEmpty == false),
      ("limit", (call.body["limit"]?.integer ?? 0) > 0),
      ("offset", (call.body["offset"]?.integer ?? 0) > 0),
      ("sortBy", !["", "USER_ID", "SORT_BY_FIELD_UNSPECIFIED"].contains(call.body["sortBy"]?.string ?? "")),
    ] where isUsed { throw APIError.notImplemented("accounts:query with '\(name)'") }
    var all = try directory(of: call).accounts.values.sorted { $0.localID < $1.localID }
    if call.body["order"]?.string == "DESC" { all.reverse() }
    guard call.body["returnUserInfo"]?.bool ?? true else { return ["recordsCount": .string(String(all.count))] }
    return ["recordsCount": .string(String(all.count)), "userInfo": try await userInfos(all, call)]
  }
}
