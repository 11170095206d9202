import Foundation
import OTP

/// Goes on with a sign-in whose first factor is proved, by one of the user's second factors.
///
/// It comes with the error `secondFactorRequired`. A web server keeps its ``token`` between requests, and gets the
/// resolver back by ``MultiFactorAuth/resolver(from:for:)``.
public struct MultiFactorResolver: Sendable {
  /// The factors that the user can choose from, in the order of their enrolment. Phone numbers are masked.
  public let hints: [any MultiFactorInfo]
  /// The numbers of the recovery codes that the user has left, as of the moment when the resolver was made: to ask for
  /// the next one by its number. Any of them is accepted.
  public let recoveryCodeNumbers: [Int]
  /// Whether the user has recovery codes left, as of the moment when the resolver was made.
  public var hasRecoveryCodes: Bool { !recoveryCodeNumbers.isEmpty }
  /// The host's name for the user who is signing in.
  public var uid: String { session.uid }
  /// The session, to have a code sent with by
  /// ``PhoneAuthProvider/verifyPhoneNumber(with:appCredential:clientAddress:multiFactorSession:)``.
  public let session: MultiFactorSession

  /// A resolver for a sign-in, which is good until it says so.
  init(_ signIn: SignIn, of account: Account, in context: Context) {
    let configuration = context.configuration
    hints = account.factors.filter { configuration.allows($0.kind) }.map(\.hint)
    recoveryCodeNumbers = configuration.allows(.recovery) ? account.recoveryCodes.map { Int($0.number) } : []
    session = MultiFactorSession(context: context, kind: .signIn, signIn: signIn)
  }

  /// The resolver as a text: sealed, URL-safe, good until the session expires. It proves nothing but the first factor.
  ///
  /// - Throws: ``AuthError`` with code `internalError`.
  public var token: String {
    get throws { try session.context.token(session.signIn, for: .resolverToken) }
  }

  /// Signs in by a second factor.
  ///
  /// The attempt is counted, the code looked at and spent in one durable transaction, and nothing is answered before
  /// that: no number of parallel sign-ins has more guesses than the policy allows, and no code is accepted twice.
  ///
  /// - Parameter assertion: What the user has typed, made by a generator for sign-in.
  /// - Returns: The user, with claims that say which second factor was proved, and what the host handed in with the first.
  /// - Throws: ``AuthError`` with code `invalidVerificationCode` where the code is wrong, late or used; `tooManyRequests`
  ///   and `retryAfter` where the factor is delayed or locked; `sessionExpired`; `multiFactorInfoNotFound`;
  ///   `missingVerificationCode`; `invalidVerificationID`; `operationNotAllowed`; `userTokenExpired` where the user's
  ///   handles were revoked meanwhile; `internalError`.
  ///
  /// Timing: what was wrong with a code does not show; see `TOTP.verify` in the module OTP.
  public func resolveSignIn(with assertion: MultiFactorAssertion) async throws -> AuthDataResult {
    try await inSpan(.signIn) { try await EventHub.$signInStart.withValue(.now) { try await resolve(assertion) } }
  }

  private func resolve(_ assertion: MultiFactorAssertion) async throws -> AuthDataResult {
    let context = session.context
    let configuration = context.configuration
    let signIn = session.signIn

    // The session must be one that goes on here, and what was typed a code: what is not one is not a guess.
    try session.check(.signIn)
    let (offer, question) = try assertion.offer(of: signIn.userID, context)

    // A code that only the provider of text messages knows: the attempt is counted before the provider is asked.
    try await question?.ask(in: signIn, context)

    // Count the attempt, if it is not yet; look at the code, spend it; then seal, and store.
    let clock = context.now()
    let (proof, recoveryCode) = try await context.change(signIn.userID) { account throws(Refusal) in
      try account.prove(offer, in: signIn, by: clock, under: configuration)
    }

    // The handle, which is good for as long as the sign-in is: a step-up does not prolong it.
    let user = User(signIn.completed(with: proof), in: context)
    context.events.record(
      .signedIn, user: signIn.userID, factor: proof.uid, factorID: proof.kind.rawValue, recoveryCode: recoveryCode)
    context.events.stateChanges.send(.signedIn(user))
    return AuthDataResult(user: user, signIn.providerResult)
  }
}

extension MultiFactorResolver: Redacted {}
