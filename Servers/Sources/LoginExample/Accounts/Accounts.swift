import Foundation
import MultiFactor

/// A user of this site. `MultiFactor` keeps the second factors.
struct Account: Sendable, Codable {
  /// The user's ID in `MultiFactor`. It is never reused, and is not the address, which can change.
  let id: String
  /// In lower case.
  let email: String
  let password: PasswordHash
  /// The digest of the token in the link that verifies the address; `nil` once it is verified.
  var verification: Data?

  /// The last sign-up with this address. It is written even if the address is taken, so that the response takes as
  /// long.
  var signUpDate = Date()

  var isVerified: Bool { verification == nil }
  var principal: Principal { Principal(id: id, email: email, isEmailVerified: isVerified) }
}

/// The site's users, by address.
struct Accounts: Sendable {
  let store: SiteStore

  private func key(_ email: String) -> String { "account/" + email.lowercased() }

  func account(_ email: String) async throws -> Account? {
    try await store.value(of: Account.self, under: key(email))
  }

  /// Adds a user; `false` if a user has verified this address. A user who has not verified it is replaced.
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

  /// Marks an address as verified, unless another user has signed up with it in the meantime.
  func verify(_ account: Account) async throws -> Bool {
    try await store.change(Account.self, under: key(account.email)) { stored in
      guard stored?.id == account.id, stored?.isVerified == false else { return false }
      stored?.verification = nil
      return true
    }
  }
}
