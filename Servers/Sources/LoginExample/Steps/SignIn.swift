import Foundation
import MultiFactor

// The first factor, and the end of a sign-in.
extension Site {
  static func home(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    .redirect(visit.session.handle == nil ? "/sign-in" : "/account")
  }

  static func signInPage(_ site: Site, _ visit: inout Visit) async throws -> Reply { .page("signIn") }

  static func signIn(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let account = try await site.accounts.account(visit["email"])
    // The same answer, and as late, for an address that no user has.
    let isRight = try await (account?.password ?? .ofNobody).matches(visit["password"])
    guard let account, isRight else { return visit.refused("signIn", "wrongPassword") }
    guard account.isVerified else { return visit.refused("signIn", "notVerified") }
    let next = visit.session.email == account.email ? visit.session.next : nil
    visit.end()
    visit.session.email = account.email
    visit.session.next = next
    // Throws `secondFactorRequired` if there is one: `next(after:_:)` goes on to its page.
    let user = try await site.auth.signIn(account.principal, firstFactor: .password).user
    return try visit.complete(user)
  }

  /// Whose password was right in this session.
  func account(_ visit: Visit) async throws -> Account {
    guard let email = visit.session.email, let account = try await accounts.account(email) else { throw SignedOut() }
    return account
  }

  /// The user who is signed in, as of now: nothing that was revoked or removed since counts, on whichever machine.
  func user(_ visit: inout Visit) async throws -> (account: Account, user: User) {
    let account = try await account(visit)
    guard let handle = visit.session.handle else { throw SignedOut() }
    let user = try await auth.user(from: handle, for: account.id)
    guard -user.claims.authenticationDate.timeIntervalSinceNow < WebSession.lifetime else { throw SignedOut() }
    try await user.reload(with: account.principal)
    if visit.session.isHandleOld { visit.session.handle = try user.token }
    return (account, user)
  }

  static func signOut(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    visit.end(notice: "signedOut")
    return .redirect("/sign-in")
  }

  /// In all browsers: no handle that there is, and no sign-in that waits for a second factor, is good any more.
  static func signOutEverywhere(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let (account, _) = try await site.user(&visit)
    try await site.auth.admin.revokeHandles(of: account.id)
    visit.end(notice: "signedOut")
    return .redirect("/sign-in")
  }
}

/// No user is signed in.
struct SignedOut: Error {}

extension Visit {
  /// Keeps the handle of a user who has proved all that is wanted, in a session of a new name.
  mutating func complete(_ user: User) throws -> Reply {
    session.handle = try user.token
    session.resolver = nil
    session.verification = nil
    isRotated = true
    let next = session.next
    session.next = nil
    return .redirect(next ?? "/account")
  }
}
