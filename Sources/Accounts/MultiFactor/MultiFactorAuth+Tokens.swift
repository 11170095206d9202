import Foundation
import Keyring

// Restoring from tokens what other requests have left.
extension MultiFactorAuth {
  /// The handle that a ``User/token()`` stands for. If its second factor has been removed, its claims have none.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - userID: The user whose token it must be, if the host knows: the user of its web session; `nil` for any.
  /// - Throws: ``AuthError`` with code `invalidUserToken` if this keyring did not seal it for this purpose, or it was
  ///   changed; `userTokenExpired` if it has expired or was revoked; `userMismatch`; `internalError`.
  public func user(from token: String, for userID: String? = nil) async throws -> User {
    let signIn: SignIn = try value(of: token, .userToken, otherwise: .invalidUserToken)
    try check(signIn.userID, is: userID)
    let user = User(signIn, in: context)
    _ = try await user.account()
    return user
  }

  /// The session that a ``MultiFactorSession/token()`` stands for.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - userID: The user who must be the one, or `nil` for any.
  /// - Throws: ``AuthError`` with code `missingMultiFactorSession` if it is empty; `invalidMultiFactorSession` if this
  ///   keyring did not seal it for this purpose, or it was changed; `sessionExpired`; `userMismatch`; `internalError`.
  public func session(from token: String, for userID: String? = nil) throws -> MultiFactorSession {
    let state: MultiFactorSession.State = try value(of: token, .sessionToken)
    try check(state.signIn.userID, is: userID)
    let session = MultiFactorSession(context: context, kind: state.kind, signIn: state.signIn)
    try context.reporting(session.uid) { try session.check(state.kind) }
    return session
  }

  /// The secret being enrolled that an ``EnrollmentSecret/token()`` stands for.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - userID: The user who must be the one, or `nil` for any.
  /// - Throws: ``AuthError`` with code `missingMultiFactorSession`, `invalidMultiFactorSession`, `sessionExpired` or
  ///   `userMismatch`.
  public func secret(from token: String, for userID: String? = nil) throws -> EnrollmentSecret {
    let content: EnrollmentSecret.Content = try value(of: token, .enrollmentToken)
    guard context.events.now() < content.expiry else {
      throw context.events.refused(Refusal(.sessionExpired, .tokenRefused, .expired), content.userID)
    }
    try check(content.userID, is: userID)
    return EnrollmentSecret(context: context, content: content)
  }

  /// The resolver that a ``MultiFactorResolver/token()`` stands for, with the user's factors as they are now.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - userID: The user whose token it must be, if the host knows: the one whose first factor was verified in this
  ///     web session. If you pass `nil`, check ``MultiFactorResolver/uid``: a client can submit the token of another of
  ///     its own accounts.
  /// - Throws: ``AuthError`` with code `missingMultiFactorSession`, `invalidMultiFactorSession`, `sessionExpired`,
  ///   `userTokenExpired` if the sign-in has been revoked since, `userMismatch` or `internalError`.
  public func resolver(from token: String, for userID: String? = nil) async throws -> MultiFactorResolver {
    let signIn: SignIn = try value(of: token, .resolverToken)
    try check(signIn.userID, is: userID)
    let (account, _) = try await context.account(admitting: signIn, expired: .sessionExpired)
    // A token does not extend its session.
    return MultiFactorResolver(signIn, of: account, in: context)
  }

  /// Opens a token, and reports a refused one.
  private func value<Value: Sealable>(
    of token: String, _ purpose: Purpose, otherwise code: AuthError.Code = .invalidMultiFactorSession
  ) throws(AuthError) -> Value {
    guard !token.isEmpty || code == .invalidUserToken else { throw AuthError(.missingMultiFactorSession) }
    do {
      return try context.value(of: token, for: purpose, otherwise: code)
    } catch {
      if error.code == code { context.events.record(.tokenRefused, .invalid, user: nil) }
      throw error
    }
  }

  /// Checks that a token belongs to the user whom the host expects.
  private func check(_ userID: String, is expected: String?) throws(AuthError) {
    guard let expected, !userID.hasBytes(of: expected) else { return }
    throw context.events.refused(Refusal(.userMismatch, .tokenRefused, .mismatch), expected)
  }
}
