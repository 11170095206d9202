import Foundation

/// Permission to go on: to enrol a factor, for a signed-in user, or to be sent a code, in a sign-in under way.
///
/// It expires after ten minutes by default. A web server keeps its ``token`` between requests, and gets the session
/// back by ``MultiFactorAuth/session(from:for:)``.
public struct MultiFactorSession: Sendable {
  /// What a session is for.
  enum Kind: UInt8, Sendable {
    case enrollment = 1
    case signIn = 2
  }

  let auth: MultiFactorAuth
  let kind: Kind
  let state: SignInState

  /// The host's name for the user whose session it is.
  public var uid: String { state.userID }

  /// The session as a text: sealed, URL-safe, good until the session expires.
  ///
  /// - Throws: ``AuthError`` with code `internalError`.
  public var token: String {
    get throws { try auth.sealer.token(for: state, kind: kind) }
  }

  /// Checks that the session is of the right kind and not expired.
  func check(_ kind: Kind) throws(AuthError) {
    guard self.kind == kind else {
      auth.events.record(.tokenRefused, .invalid, user: state.userID)
      throw AuthError(.invalidMultiFactorSession)
    }
    try auth.check(expiry: state.expiry, of: state.userID)
  }
}

extension MultiFactorSession: Redacted {}
