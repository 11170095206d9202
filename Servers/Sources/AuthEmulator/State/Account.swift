import Foundation

/// A user's data, except second factors, which `MultiFactor` keeps.
struct Account: Sendable {
  /// A way to sign in.
  struct Provider: Sendable, Hashable {
    var id: String
    var rawID: String
    var email: String?
    var displayName: String?
    var photoURL: String?
  }

  let localID: String
  var email: String?
  var isEmailVerified = false
  var displayName: String?
  var photoURL: String?
  var phoneNumber: String?
  var isDisabled = false
  /// JSON text.
  var customAttributes: String?
  var passwordHash: String?
  var salt: String?
  var passwordUpdatedAt: Date?
  /// Tokens issued before this are invalid.
  var validSince: Date?
  var createdAt: Date
  var lastLoginAt: Date?
  var lastRefreshAt: Date?
  /// Providers other than password and phone, which have their own fields.
  var providers: [Provider] = []
  var initialEmail: String?
  var isCustomAuth = false
  var isEmailLinkUser = false
  /// Whether the user has or has had second factors; otherwise `MultiFactor` need not be asked.
  var hadFactors = false
  /// Imported enrollment dates that are in the future, by factor: to `MultiFactor`, they are the date of the import.
  var laterEnrollments: [String: Date]?

  init(localID: String, createdAt: Date) {
    self.localID = localID
    self.createdAt = createdAt
  }

  /// Whether nothing identifies the user.
  var isAnonymous: Bool { email == nil && phoneNumber == nil && providers.isEmpty && !isCustomAuth }

  /// What each sign-in method says about the user.
  var providerUserInfo: [JSON] {
    var infos: [JSON] = []
    if let email, passwordHash != nil || isEmailLinkUser {
      infos.append([
        "providerId": "password", "email": .string(email), "federatedId": .string(email), "rawId": .string(email),
        "displayName": .text(displayName), "photoUrl": .text(photoURL),
      ])
    }
    if let phoneNumber {
      infos.append(["providerId": "phone", "phoneNumber": .string(phoneNumber), "rawId": .string(phoneNumber)])
    }
    infos += providers.map {
      [
        "providerId": .string($0.id), "rawId": .string($0.rawID), "federatedId": .string($0.rawID),
        "displayName": .text($0.displayName), "photoUrl": .text($0.photoURL), "email": .text($0.email),
      ]
    }
    return infos
  }

  /// The protocol's `UserInfo`, without second factors.
  func userInfo(tenant: String?) -> JSON {
    let providers = providerUserInfo
    return [
      "localId": .string(localID), "email": .text(email), "emailVerified": email == nil ? nil : .bool(isEmailVerified),
      "displayName": .text(displayName), "photoUrl": .text(photoURL), "phoneNumber": .text(phoneNumber),
      "disabled": isDisabled ? true : nil, "customAttributes": .text(customAttributes),
      "passwordHash": .text(passwordHash), "salt": .text(salt),
      "passwordUpdatedAt": passwordUpdatedAt.map { .integer($0.milliseconds) },
      "validSince": validSince.map { .string(String($0.seconds)) },
      "createdAt": .string(String(createdAt.milliseconds)),
      "lastLoginAt": lastLoginAt.map { .string(String($0.milliseconds)) },
      "lastRefreshAt": lastRefreshAt.map { .string($0.rfc3339) },
      "providerUserInfo": providers.isEmpty ? nil : .array(providers), "initialEmail": .text(initialEmail),
      "customAuth": isCustomAuth ? true : nil, "emailLinkSignin": isEmailLinkUser ? true : nil,
      "tenantId": .text(tenant),
    ]
  }

  /// `firebase.identities` of a token.
  var identities: JSON {
    var identities: [String: JSON] = [:]
    if let email { identities["email"] = [.string(email)] }
    if let phoneNumber { identities["phone"] = [.string(phoneNumber)] }
    for provider in providers {
      identities[provider.id] = .array((identities[provider.id]?.array ?? []) + [.string(provider.rawID)])
    }
    return .object(identities)
  }
}

extension Account.Provider {
  /// A provider of a request; `nil` if it does not name itself and its user.
  init?(_ info: JSON) {
    guard let id = info["providerId"]?.string, let rawID = info["rawId"]?.string else { return nil }
    self.init(
      id: id, rawID: rawID, email: info["email"]?.string, displayName: info["displayName"]?.string,
      photoURL: info["photoUrl"]?.string)
  }
}

// Passwords are readable, as in Google's emulator, so that exports are interchangeable.
extension Account {
  static let shortestPassword = 6

  mutating func setPassword(_ password: String, at now: Date) {
    let salt = "fakeSalt" + Random.name(20)
    self.salt = salt
    passwordHash = Self.hash(password, salt)
    passwordUpdatedAt = now
    validSince = now
  }

  func hasPassword(_ password: String) -> Bool {
    guard let passwordHash, let salt else { return false }
    return passwordHash == Self.hash(password, salt)
  }

  static func hash(_ password: String, _ salt: String) -> String { "fakeHash:salt=\(salt):password=\(password)" }
}
