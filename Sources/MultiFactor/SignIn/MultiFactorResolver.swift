import Foundation

/// Goes on with a sign-in whose first factor is proved, by one of the user's second factors.
///
/// It comes with the error `secondFactorRequired`. A web server keeps its ``token`` between requests, and gets the
/// resolver back by ``MultiFactorAuth/resolver(from:for:)``.
public struct MultiFactorResolver: Sendable {
  /// The factors that the user can choose from, in the order of their enrolment. Phone numbers are masked.
  public let hints: [any MultiFactorInfo]
  /// Whether the user has recovery codes left, as of the moment when the resolver was made.
  public let hasRecoveryCodes: Bool
  /// The host's name for the user who is signing in.
  public var uid: String { session.state.userID }
  /// The session, to have a code sent with by ``PhoneAuthProvider/verifyPhoneNumber(with:appCredential:multiFactorSession:)``.
  public let session: MultiFactorSession

  /// The resolver as a text: sealed, URL-safe, good until the session expires. It proves nothing but the first factor.
  ///
  /// - Throws: ``AuthError`` with code `internalError`.
  public var token: String {
    get throws { try session.auth.sealer.token(for: session.state, purpose: .resolverToken) }
  }

  /// Signs in by a second factor.
  ///
  /// The attempt is reserved on the factor, durably, before the code is looked at, so that no number of parallel
  /// sign-ins has more guesses than the policy allows. A code is accepted once.
  ///
  /// - Parameter assertion: What the user has typed, made by a generator for sign-in.
  /// - Returns: The user, with claims that say which second factor was proved.
  /// - Throws: ``AuthError`` with code `invalidVerificationCode` where the code is wrong, late or used; `tooManyRequests`
  ///   and `retryAfter` where the factor is delayed or locked; `sessionExpired`; `multiFactorInfoNotFound`;
  ///   `missingVerificationCode`; `invalidVerificationID`; `operationNotAllowed`; `userTokenExpired` where the user's
  ///   handles were revoked meanwhile; `internalError`.
  ///
  /// Timing: what was wrong with a code does not show; see `TOTP.verify` in the module OTP.
  public func resolveSignIn(with assertion: MultiFactorAssertion) async throws -> AuthDataResult {
    try session.check(.signIn)
    let auth = session.auth
    let proof = try await SignInVerifier(auth: auth, state: session.state).verify(assertion)
    // Counted from the first factor: a step-up does not prolong a sign-in.
    var state = session.state.expiring(at: auth.signedInUntil(session.state))
    state.secondFactor = proof
    let user = User(auth: auth, state: state)
    auth.events.record(.signedIn, user: state.userID, factor: proof.uid, factorID: proof.factorID)
    auth.events.stateChanges.send(.signedIn(user))
    return AuthDataResult(user: user)
  }
}

extension MultiFactorResolver: Redacted {}
