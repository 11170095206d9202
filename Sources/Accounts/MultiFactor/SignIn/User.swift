import Foundation
import Keyring
import OTP

/// The handle of a signed-in user.
///
/// It says who signed in and how (``claims``), and is needed to enroll and remove second factors. An enrollment, a
/// removal and ``reload(with:)`` renew it in place, as in the SDK. A web server keeps its ``token()`` between requests,
/// and recovers the handle with ``MultiFactorAuth/user(from:for:)``.
public final class User: Sendable {
  let context: Context
  private let current: Locked<SignIn>

  init(_ signIn: SignIn, in context: Context) {
    self.context = context
    current = Locked(signIn)
  }

  /// The sign-in that the handle stands for now.
  package var signIn: SignIn { current.withLock { $0 } }

  /// The host's ID for the user.
  public var uid: String { signIn.userID }
  /// The e-mail address, if the host has one.
  public var email: String? { signIn.principal.email }
  /// Whether the host knows that the address is the user's.
  public var isEmailVerified: Bool { signIn.principal.isEmailVerified }
  /// Who signed in and how.
  public var claims: UserClaims { signIn.claims }

  /// Renews the handle: a second factor was just verified by being enrolled.
  func renew(with proof: Proof) { current.withLock { $0.proof = proof } }

  /// Withdraws the proof of a factor that was removed: the claims no longer contain it.
  func drop(_ proof: Proof?) {
    current.withLock { signIn in if signIn.proof == proof { signIn.proof = nil } }
  }

  /// The user's account, and its time. If the factor that was verified has been removed, the handle loses its proof.
  package func account() async throws(AuthError) -> (Account, now: Date) {
    let signIn = signIn
    let (account, now) = try await context.account(admitting: signIn)
    if !account.keeps(signIn.proof) { drop(signIn.proof) }
    return (account, now)
  }

  /// The user's second factors.
  public var multiFactor: MultiFactorUser { MultiFactorUser(user: self) }

  /// The handle as sealed, URL-safe text. It is as sensitive as a password until it expires: by default, an hour after
  /// the first factor was verified or the handle was last reloaded, whether or not a second factor has been verified
  /// since.
  ///
  /// - Throws: ``AuthError`` with code `internalError`.
  public func token() throws -> String {
    try context.token(signIn, for: .userToken)
  }

  /// Renews the handle in place before it expires: with what the host now knows about the user, and for the lifetime of
  /// a new handle.
  ///
  /// It keeps what was verified, and when: if the first factor was verified too long ago to change factors, that does
  /// not change. If the handle was signed in without a second factor and the user now has one, it is not extended.
  /// Store the new token afterward. To make users sign in again from time to time, check
  /// ``UserClaims/authenticationDate`` first.
  ///
  /// - Parameter principal: The user as now known to the host, for example with an e-mail address verified since the
  ///   sign-in; `nil` for no change.
  /// - Throws: ``AuthError`` with code `userMismatch` if the principal is another user, or its texts are over 256
  ///   bytes; `userTokenExpired` if the handle has expired or was revoked; `internalError`.
  public func reload(with principal: Principal? = nil) async throws {
    if let principal, !principal.isWellFormed || !principal.id.hasBytes(of: uid) {
      throw context.events.refused(Refusal(.userMismatch, .tokenRefused, .mismatch), uid)
    }
    let (account, now) = try await account()
    let configuration = context.configuration
    let end = now + configuration.userTokenLifetime
    current.withLock { signIn in
      signIn.principal = principal ?? signIn.principal
      // A sign-in without a second factor is not extended if it would now require one.
      guard signIn.proof != nil || account.factors.isEmpty || !configuration.isEnabled else { return }
      signIn.expiry = end
      signIn.end = end
    }
  }

  /// Requires that the user has verified a second factor recently: call it before a sensitive operation.
  ///
  /// A second factor that has since been removed does not count.
  ///
  /// - Parameter interval: How long ago it may have been.
  /// - Throws: ``AuthError`` with code `secondFactorRequired` and a resolver, which requires only a second factor; call
  ///   this function again on the handle that results from it; `multiFactorInfoNotFound` if the user has none enrolled,
  ///   so that one can be enrolled now; `operationNotAllowed` if the configuration's state is disabled;
  ///   `unsupportedFirstFactor`; `userTokenExpired`; `internalError`.
  public func requireSecondFactor(within interval: Duration) async throws {
    let configuration = context.configuration
    guard configuration.isEnabled else { throw context.events.refused(.disabled(nil), uid) }
    let (account, now) = try await account()
    let signIn = signIn
    if let proof = signIn.proof, abs(now.timeIntervalSince(proof.date)) <= interval.timeInterval,
      account.holds(proof, under: configuration)
    {
      return
    }
    guard !account.factors.isEmpty else { throw AuthError(.multiFactorInfoNotFound) }
    guard signIn.firstFactor.supportsSecondFactor else { throw AuthError(.unsupportedFirstFactor) }
    context.events.record(.secondFactorRequired, user: uid)
    let expiry = min(now + configuration.sessionLifetime, signIn.end)
    throw AuthError(
      .secondFactorRequired, resolver: MultiFactorResolver(signIn.expiring(at: expiry), of: account, in: context))
  }
}

extension User: Redacted {}

extension Context {
  /// The account of a user who is signed in or signing in, and its time.
  ///
  /// - Throws: ``AuthError`` with code `userTokenExpired`, or the given code if the sign-in has expired;
  ///   `internalError`.
  package func account(
    admitting signIn: SignIn, expired: AuthError.Code = .userTokenExpired
  ) async throws(AuthError) -> (Account, now: Date) {
    let account = try await account(of: signIn.userID)
    let time = events.now()
    try reporting(signIn.userID) { try account.admit(signIn, at: time, expired: expired) }
    return (account, account.accountTime(at: time))
  }
}
