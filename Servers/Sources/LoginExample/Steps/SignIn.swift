import Foundation
import MultiFactor

// The first factor, and the end of a sign-in.
extension Site {
  static func home(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    .redirect(visit.session.handle == nil ? "/sign-in" : "/account")
  }

  static func signInPage(_ site: Site, _ visit: inout Visit) async throws -> Reply { .page("signIn") }

  static func signIn(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let account = try await site.accounts.account(email: visit["email"])
    // As long an answer, and the same one, for an address that nobody has.
    let isRight = try await (account?.password ?? .ofNobody).matches(visit["password"])
    guard let account, isRight else { return visit.refused("signIn", "wrongPassword") }
    guard account.isVerified else { return visit.refused("signIn", "notVerified") }
    let next = visit.session.accountID == account.id ? visit.session.next : nil
    visit.end()
    visit.session.accountID = account.id
    visit.session.next = next
    // Throws `secondFactorRequired` if there is one: `next(after:_:)` goes on to its page.
    let user = try await site.auth.signIn(account.principal, firstFactor: .password).user
    return try visit.complete(user)
  }

  /// The user who is signed in, as of now: nothing that was revoked or removed since counts.
  func user(_ visit: inout Visit) async throws -> (account: Account, user: User) {
    guard let handle = visit.session.handle, let id = visit.session.accountID,
      let account = try await accounts.account(id: id)
    else { throw SignedOut() }
    let user = try await auth.user(from: handle, for: id)
    try await user.reload(with: account.principal)
    visit.session.handle = try user.token
    return (account, user)
  }

  static func signOut(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    visit.end(notice: "signedOut")
    return .redirect("/sign-in")
  }

  /// In all browsers: the handles are revoked, and the handler of revocations ends the sessions.
  static func signOutEverywhere(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let (account, _) = try await site.user(&visit)
    try await site.auth.admin.revokeHandles(of: account.id)
    visit.end(notice: "signedOut")
    return .redirect("/sign-in")
  }
}

/// Nobody is signed in.
struct SignedOut: Error {}

extension Visit {
  /// Keeps the handle of a user who has proved all that is wanted, in a session of a new name.
  mutating func complete(_ user: User) throws -> Reply {
    session.handle = try user.token
    session.resolver = nil
    isRotated = true
    let next = session.next
    session.next = nil
    return .redirect(next ?? "/account")
  }
}
