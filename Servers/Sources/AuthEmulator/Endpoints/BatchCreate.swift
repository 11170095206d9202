import Foundation
import MultiFactor

// `accounts:batchCreate`: importing users.
extension Emulator {
  func batchCreate(_ call: Call) async throws -> JSON {
    try checkIsEnabled(call)
    let users = call.body["users"]?.array ?? []
    guard !users.isEmpty else { throw APIError("MISSING_USER_ACCOUNT") }
    guard users.count <= 1000 else { throw APIError("USER_LIMIT_EXCEEDED") }
    let isSane = call.body["sanityCheck"]?.bool ?? false
    let mayOverwrite = call.body["allowOverwrite"]?.bool ?? false
    let isOnePerEmail = try config(of: call).isOneAccountPerEmail
    if isSane { try Self.checkAreDistinct(users, byEmail: isOnePerEmail) }
    if !mayOverwrite {
      var names: Set<String> = []
      for case let name? in users.map({ $0["localId"]?.string }) where !names.insert(name).inserted {
        throw APIError("DUPLICATE_LOCAL_ID", name)
      }
    }
    let owners = isSane ? try identityOwners(call) : [:]
    var errors: [JSON] = []
    for (index, user) in users.enumerated() {
      do {
        if isSane { try checkIsNotTaken(user, byEmail: isOnePerEmail, owners: owners, call) }
        try await create(user, mayOverwrite: mayOverwrite, call)
      } catch {
        let message = (error as? APIError)?.message ?? (error as? AuthError).map { APIError($0).message } ?? "INTERNAL"
        let code = String(message.prefix { $0 != " " })
        errors.append(["index": .integer(Int64(index)), "message": .string(Self.texts[code] ?? message)])
      }
    }
    return ["kind": "identitytoolkit#UploadAccountResponse", "error": .array(errors)]
  }

  /// What this operation says instead of the codes of others.
  private static let texts = [
    "INVALID_CLAIMS": "Invalid custom claims provided.", "CLAIMS_TOO_LARGE": "Custom claims provided are too large.",
    "FORBIDDEN_CLAIM": "Custom claims provided include a reserved claim.",
    "INVALID_MFA_PHONE_NUMBER": "Phone number format is invalid",
    "DUPLICATE_MFA_ENROLLMENT_ID": "Enrollment id already exists.",
  ]

  /// Checks that no two users of a request have the same address, number or identity.
  private static func checkAreDistinct(_ users: [JSON], byEmail: Bool) throws(APIError) {
    var seen: Set<[String]> = []
    for user in users {
      let email = user["email"]?.string.map(Directory.canonical)
      if byEmail, let email, !seen.insert(["email", email]).inserted { throw APIError("DUPLICATE_EMAIL", email) }
      if let number = user["phoneNumber"]?.string, !seen.insert(["phone", number]).inserted {
        throw APIError("DUPLICATE_PHONE_NUMBER", number)
      }
      for provider in providers(in: user) where !seen.insert(["identity", provider.id, provider.rawID]).inserted {
        throw APIError("DUPLICATE_RAW_ID", "Provider id(\(provider.id)), Raw id(\(provider.rawID))")
      }
    }
  }

  /// Checks that no other account has a user's address or identity.
  ///
  /// - Parameter owners: The accounts of all identities.
  private func checkIsNotTaken(_ user: JSON, byEmail: Bool, owners: [[String]: String], _ call: Call) throws(APIError) {
    let localID = user["localId"]?.string
    if byEmail, let email = user["email"]?.string {
      let other = try directory(of: call).account(email: email)
      guard other == nil || other?.localID == localID else {
        throw APIError("email exists in other account in database")
      }
    }
    for provider in Self.providers(in: user) {
      guard let owner = owners[[provider.id, provider.rawID]], owner != localID else { continue }
      throw APIError("raw id exists in other account in database")
    }
  }

  /// The accounts of all identities, for many users at once: finding one takes as long as finding all.
  private func identityOwners(_ call: Call) throws(APIError) -> [[String]: String] {
    var owners: [[String]: String] = [:]
    for account in try directory(of: call).accounts.values {
      for provider in account.providers { owners[[provider.id, provider.rawID]] = account.localID }
    }
    return owners
  }

  /// A user's providers other than password and phone.
  private static func providers(in user: JSON) -> [Account.Provider] {
    (user["providerUserInfo"]?.array ?? []).compactMap(Account.Provider.init)
      .filter { !["password", "phone"].contains($0.id) }
  }

  /// Imports one user.
  private func create(_ info: JSON, mayOverwrite: Bool, _ call: Call) async throws {
    guard let localID = info["localId"]?.string, Directory.isLocalID(localID) else {
      throw APIError("localId is missing")
    }
    guard info["tenantId"] == nil || info["tenantId"]?.string == call.tenant else {
      throw APIError("Tenant id in userInfo does not match the tenant id in request.")
    }
    var account = Account(localID: localID, createdAt: try info.date("createdAt") ?? now)
    account.lastLoginAt = try info.date("lastLoginAt")
    // An import ends the sign-ins from before it.
    account.validSince = now
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
      account.passwordUpdatedAt = try info.date("passwordUpdatedAt") ?? now
    }
    account.isEmailLinkUser = info["emailLinkSignin"]?.bool ?? false
    account.isCustomAuth = info["customAuth"]?.bool ?? false
    account.providers = Self.providers(in: info)
    let list = info["mfaInfo"]?.array ?? []
    // As in Google's emulator: never import a user without their second factor.
    guard list.isEmpty || account.email != nil else {
      throw APIError("Second factor account requires email to be presented.")
    }
    guard list.isEmpty || account.isEmailVerified else {
      throw APIError("Second factor account requires email to be verified.")
    }
    guard !list.contains(where: { Self.lacksSecret($0) || $0["totpInfo"] == nil && $0["phoneInfo"] == nil }) else {
      throw APIError("Second factor not supported.")
    }
    let factors = try Self.factors(list)
    account.hadFactors = !factors.isEmpty
    for factor in factors {
      if let date = factor.enrolledAt, date > now {
        account.laterEnrollments = account.laterEnrollments ?? [:]; account.laterEnrollments?[factor.uid] = date
      }
    }
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
