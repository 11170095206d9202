import Foundation
import OTP

/// Continues a sign-in whose first factor is verified, with one of the user's second factors.
///
/// It comes with the error `secondFactorRequired`. A web server keeps its
/// ``token()`` between requests, and recovers the resolver with ``MultiFactorAuth/resolver(from:for:)``.
public struct MultiFactorResolver: Sendable {
  /// The factors that the user can choose from, in the order of their enrollment. What an external factor must not show
  /// yet, such as a whole phone number, is masked.
  public let hints: [any MultiFactorInfo]
  /// The numbers of the recovery codes that the user had left when the resolver was created, to ask for the next one by
  /// number. Any of them is accepted.
  public let recoveryCodeNumbers: [Int]
  /// Whether the user had recovery codes left when the resolver was created.
  public var hasRecoveryCodes: Bool { !recoveryCodeNumbers.isEmpty }
  /// The host's ID for the user who is signing in.
  public var uid: String { session.uid }
  /// The session with which a code is sent, if the factor needs one.
  public let session: MultiFactorSession

  /// A resolver for a sign-in, with which it expires.
  init(_ signIn: SignIn, of account: Account, in context: Context) {
    let configuration = context.configuration
    hints = account.factors.filter { configuration.allows($0.kind) }.map { context.info(of: $0, isHint: true) }
    recoveryCodeNumbers = configuration.allows(.recovery) ? account.recoveryCodes : []
    session = MultiFactorSession(context: context, kind: .signIn, signIn: signIn)
  }

  /// The resolver as sealed, URL-safe text, valid until the session expires. It stands for only the first factor.
  ///
  /// - Throws: ``AuthError`` with code `internalError`.
  public func token() throws -> String {
    try session.context.token(session.signIn, for: .resolverToken)
  }

  /// Signs in with a second factor.
  ///
  /// One durable transaction counts the attempt, checks the code and spends it, and nothing is answered before that: no
  /// number of parallel sign-ins gets more guesses than the policy allows, and no code is accepted twice.
  ///
  /// - Parameter assertion: The user's code, as an assertion for sign-in from a generator.
  /// - Returns: The user, with claims that name the second factor that was verified, and what the host passed with the
  ///   first.
  /// - Throws: ``AuthError`` with code `invalidVerificationCode` if the code is wrong, late or already used;
  ///   `tooManyRequests` with `retryAfter` if the factor is delayed or locked, or its codes are spent after a loss;
  ///   `sessionExpired`; `multiFactorInfoNotFound`; `missingVerificationCode`; `invalidVerificationID`;
  ///   `operationNotAllowed`; `userTokenExpired` if the user's handles have been revoked since; `internalError`.
  ///
  /// Timing: what was wrong with a code does not show; see `TOTP.verify` in the module OTP.
  public func resolveSignIn(with assertion: MultiFactorAssertion) async throws -> AuthDataResult {
    let (context, session, signIn, start) = (session.context, session, session.signIn, ContinuousClock.now)
    return try await context.perform(.signIn, for: signIn.userID, since: start) {
      // Check that the session is for a sign-in, and that a code was typed: anything else is not a guess. For an
      // external factor: count the attempt durably, then ask.
      try session.check(.signIn)
      let offer = try await assertion.offer(in: session)

      // Count the attempt, unless already counted; check the code and spend it; then seal and store.
      let (time, configuration) = (context.events.now(), context.configuration)
      let proof = try await context.apply(to: signIn.userID) { account throws(Refusal) in
        try account.verify(offer, in: signIn, at: time, under: configuration)
      }

      return context.complete(signIn, with: proof, since: start)
    }
  }
}

extension MultiFactorResolver: Redacted {}

extension Context {
  /// The result of a sign-in. Its handle expires with it: a step-up does not extend it.
  func complete(
    _ signIn: SignIn, with proof: Proof, since start: ContinuousClock.Instant? = nil
  ) -> AuthDataResult {
    let user = User(signIn.completed(with: proof), in: self)
    events.record(
      .signedIn, user: signIn.userID, factor: proof.uid, factorID: proof.kind.rawValue,
      recoveryCode: proof.recoveryCode, since: start)
    return AuthDataResult(user: user, payload: signIn.payload)
  }
}
