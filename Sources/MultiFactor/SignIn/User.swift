import Foundation
import Keyring
import OTP

/// The handle of a signed-in user.
///
/// It says who signed in and how (``claims``), and is what second factors are enrolled and removed with. An enrolment, a
/// removal and ``reload(with:)`` renew it in place, as in the SDK. A web server keeps its ``token`` between requests, and
/// gets the handle back by ``MultiFactorAuth/user(from:for:)``.
public final class User: Sendable {
  let context: Context
  private let current: Locked<SignIn>

  init(_ signIn: SignIn, in context: Context) {
    self.context = context
    current = Locked(signIn)
  }

  /// The sign-in that the handle stands for now.
  var signIn: SignIn { current.withLock { $0 } }

  /// The host's name for the user.
  public var uid: String { signIn.userID }
  /// The e-mail address, if the host has one.
  public var email: String? { signIn.principal.email }
  /// Whether the host knows that the address is the user's.
  public var isEmailVerified: Bool { signIn.principal.isEmailVerified }
  /// Who signed in and how.
  public var claims: UserClaims { signIn.claims }

  /// Renews the handle: a second factor was proved just now, by being enrolled.
  func renew(with proof: Proof) { current.withLock { $0.proof = proof } }

  /// Takes back a proof whose factor was removed: the claims no longer say that it was proved.
  func drop(_ proof: Proof?) {
    current.withLock { signIn in if signIn.proof == proof { signIn.proof = nil } }
  }

  /// What is held of the user, and the account's time. If the factor that was proved has been removed, the handle loses
  /// its proof.
  func account() async throws(AuthError) -> (Account, now: Date) {
    let signIn = signIn
    let (account, now) = try await context.account(admitting: signIn)
    if !account.keeps(signIn.proof) { drop(signIn.proof) }
    return (account, now)
  }

  /// The user's second factors.
  public var multiFactor: MultiFactorUser { MultiFactorUser(user: self) }

  /// The handle as a text: sealed, URL-safe, as secret as a password until it expires: by default an hour after the
  /// first factor was proved or the handle last reloaded, whatever second factor was proved since.
  ///
  /// - Throws: ``AuthError`` with code `internalError`.
  public var token: String {
    get throws { try context.token(signIn, for: .userToken) }
  }

  /// Renews the handle in place before it expires: with what the host knows of the user now, and for as long as a new
  /// handle lasts.
  ///
  /// It keeps what was proved, and when: a first factor that was proved too long ago to change factors stays so. A
  /// handle without a second factor lasts no longer than it would have, once the user has one. The token must be kept
  /// again. To have users sign in again from time to time, check
  /// ``UserClaims/authenticationDate`` first.
  ///
  /// - Parameter principal: The user as the host knows it now, such as with an e-mail address verified since the
  ///   sign-in; `nil` for no change.
  /// - Throws: ``AuthError`` with code `userMismatch` where the principal is another user, or its texts are over 256
  ///   bytes; `userTokenExpired` where the handle has expired or was revoked; `internalError`.
  public func reload(with principal: Principal? = nil) async throws {
    if let principal, !principal.isWellFormed || !principal.id.hasBytes(of: uid) {
      throw context.refused(Refusal(.userMismatch, .tokenRefused, .mismatch), uid)
    }
    let (account, now) = try await account()
    let configuration = context.configuration
    let end = now.addingTimeInterval(configuration.userTokenLifetime)
    current.withLock { signIn in
      signIn.principal = principal ?? signIn.principal
      // A sign-in that would need a second factor today, and had none, ends when it would have.
      guard signIn.proof != nil || account.factors.isEmpty || !configuration.isEnabled else { return }
      signIn.expiry = end
      signIn.end = end
    }
  }

  /// Returns if the user has proved a second factor recently: before something sensitive.
  ///
  /// A second factor that has been removed since does not count.
  ///
  /// - Parameter interval: How long ago at most, in seconds.
  /// - Throws: ``AuthError`` with code `secondFactorRequired` and a resolver, which asks for nothing but a second
  ///   factor, and after which this function is called again on the handle that it gives; `multiFactorInfoNotFound`
  ///   where the user has none enrolled, which is the moment to enrol one; `operationNotAllowed` where the
  ///   configuration's state is disabled; `unsupportedFirstFactor`; `userTokenExpired`; `internalError`.
  public func requireSecondFactor(within interval: TimeInterval) async throws {
    let configuration = context.configuration
    guard configuration.isEnabled else { throw context.refused(.disabled(nil), uid) }
    let (account, now) = try await account()
    let signIn = signIn
    if let proof = signIn.proof, abs(now.timeIntervalSince(proof.date)) <= interval,
      account.holds(proof, under: configuration)
    {
      return
    }
    guard !account.factors.isEmpty else { throw AuthError(.multiFactorInfoNotFound) }
    guard signIn.firstFactor.supportsSecondFactor else { throw AuthError(.unsupportedFirstFactor) }
    context.events.record(.secondFactorRequired, user: uid)
    let expiry = min(now.addingTimeInterval(configuration.sessionLifetime), signIn.end)
    throw AuthError(
      .secondFactorRequired, resolver: MultiFactorResolver(signIn.expiring(at: expiry), of: account, in: context))
  }
}

extension User: Redacted {}

extension Context {
  /// What is held of a user who is signed in, or signing in, and the account's time.
  ///
  /// - Throws: ``AuthError`` with code `userTokenExpired`, or the given one where the sign-in has expired;
  ///   `internalError`.
  func account(
    admitting signIn: SignIn, expired: AuthError.Code = .userTokenExpired
  ) async throws(AuthError) -> (Account, now: Date) {
    let account = try await account(of: signIn.userID)
    let clock = now()
    do { try account.admit(signIn, by: clock, expired: expired) } catch { throw refused(error, signIn.userID) }
    return (account, account.now(by: clock))
  }
}
