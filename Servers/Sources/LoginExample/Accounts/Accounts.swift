import Foundation
import MultiFactor

/// A user, as this site knows one. Second factors are `MultiFactor`'s.
struct Account: Sendable, Codable {
  /// What `MultiFactor` calls the user: never given to another, and not the address, which can change.
  let id: String
  /// In lower case.
  let email: String
  let password: PasswordHash
  /// The digest of what the link has in it that proves the address; `nil` once it is proved.
  var verification: Data?

  /// When the address was last signed up with: written for one that is taken too, so that the answer takes as long.
  var signUpDate = Date()

  var isVerified: Bool { verification == nil }
  var principal: Principal { Principal(id: id, email: email, isEmailVerified: isVerified) }
}

/// The site's users, by their addresses.
struct Accounts: Sendable {
  let store: SiteStore

  private func key(_ email: String) -> String { "account/" + email.lowercased() }

  func account(_ email: String) async throws -> Account? {
    try await store.value(of: Account.self, under: key(email))
  }

  /// Adds a user; `false` if the address is somebody's already. A user who has not proved it has no claim to it.
  func add(_ account: Account) async throws -> Bool {
    try await store.change(Account.self, under: key(account.email)) { stored in
      guard stored?.isVerified != true else {
        stored?.signUpDate = account.signUpDate
        return false
      }
      stored = account
      return true
    }
  }

  /// Takes an address as proved, unless another user has signed up with it since.
  func verify(_ account: Account) async throws -> Bool {
    try await store.change(Account.self, under: key(account.email)) { stored in
      guard stored?.id == account.id, stored?.isVerified == false else { return false }
      stored?.verification = nil
      return true
    }
  }
}
