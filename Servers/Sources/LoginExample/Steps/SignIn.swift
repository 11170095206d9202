import Foundation
import MultiFactor
import MultiFactorBrowsers
import MultiFactorOperations

// The first factor, and the end of a sign-in.
extension Site {
  static func home(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    .redirect(visit.session.handle == nil ? "/sign-in" : "/account")
  }

  static func signInPage(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    guard visit.session.handle == nil || visit.session.next != nil else { throw SignedIn() }
    return .page("signIn")
  }

  static func signIn(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let account = try await site.accounts.account(visit["email"])
    // An unknown address gets the same response after the same time.
    let isRight = try await (account?.password ?? .decoy).matches(visit["password"])
    guard let account, isRight else { return visit.refused("signIn", "wrongPassword") }
    guard account.isVerified else { return visit.refused("signIn", "notVerified") }
    let next = visit.session.email == account.email ? visit.session.next : nil
    visit.end()
    visit.session.email = account.email
    visit.session.next = next
    // A remembered browser does not count for a change that requires a new sign-in.
    let token = next == nil ? visit.browserToken : nil
    switch try await site.browsers.beginSignIn(
      account.principal, firstFactor: .password, token: token, address: visit.address)
    {
    case .signedIn(let result): return try visit.complete(result.user)
    case .secondFactorRequired(let resolver):
      visit.session.resolver = try resolver.token()
      visit.session.arrival = "/second-factor"
      return .redirect("/second-factor")
    }
  }

  /// The account whose password was right in this session.
  func account(_ visit: Visit) async throws -> Account {
    guard let email = visit.session.email, let account = try await accounts.account(email) else { throw SignedOut() }
    return account
  }

  /// The signed-in user, in the current state: revocations and removals on any machine
  /// take effect here.
  func user(_ visit: inout Visit) async throws -> (account: Account, user: User) {
    let account = try await account(visit)
    guard let handle = visit.session.handle else { throw SignedOut() }
    let user = try await auth.user(from: handle, for: account.id)
    guard -user.claims.authenticationDate.timeIntervalSinceNow < WebSession.lifetime
    else { throw SignedOut() }
    try await user.reload(with: account.principal)
    if visit.session.isHandleOld { visit.session.handle = try user.token() }
    return (account, user)
  }

  static func signOut(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    visit.end(notice: "signedOut")
    return .redirect("/sign-in")
  }

  /// Signs out in all browsers: existing handles, and sign-ins that wait for a second
  /// factor, become invalid.
  static func signOutEverywhere(
    _ site: Site, _ visit: inout Visit
  ) async throws -> Reply {
    let (account, _) = try await site.user(&visit)
    try await site.auth.admin.revokeTokens(of: account.id)
    visit.end(notice: "signedOut")
    return .redirect("/sign-in")
  }
}

/// No user is signed in.
struct SignedOut: Error {}

/// A page or form of a sign-in that is complete: the user has gone back, or pressed the button twice.
struct SignedIn: Error {}

extension Visit {
  /// Completes a sign-in: the session gets a new name, and the user's handle.
  mutating func complete(_ user: User) throws -> Reply {
    session.handle = try user.token()
    session.resolver = nil
    session.verification = nil
    isRotated = true
    let next = session.next ?? "/account"
    session.next = nil
    session.arrival = next
    return .redirect(next)
  }
}
