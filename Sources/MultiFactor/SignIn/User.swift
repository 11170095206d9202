import Foundation

/// The handle of a signed-in user.
///
/// It says who signed in and how (``claims``), and is what second factors are enrolled and removed with. An enrolment
/// renews it in place, as in the SDK. A web server keeps its ``token`` between requests, and gets the handle back by
/// ``MultiFactorAuth/user(from:for:)``.
public final class User: Sendable {
  let auth: MultiFactorAuth
  private let current: Locked<SignInState>

  init(auth: MultiFactorAuth, state: SignInState) {
    self.auth = auth
    current = Locked(state)
  }

  /// The sign-in that the handle stands for now.
  var state: SignInState { current.withLock { $0 } }

  /// The host's name for the user.
  public var uid: String { state.userID }
  /// The e-mail address, if the host has one.
  public var email: String? { state.principal.email }
  /// Whether the host knows that the address is the user's.
  public var isEmailVerified: Bool { state.principal.isEmailVerified }
  /// Who signed in and how.
  public var claims: UserClaims { state.claims }
  /// Renews the handle: a second factor was proved just now, by being enrolled.
  func prove(_ proof: SignInState.SecondFactorProof) {
    current.withLock { state in state.secondFactor = proof }
  }

  /// The user's second factors.
  public var multiFactor: MultiFactorUser { MultiFactorUser(user: self) }

  /// The handle as a text: sealed, URL-safe, as secret as a password until it expires: by default an hour after the
  /// first factor was proved, whatever second factor was proved since.
  ///
  /// - Throws: ``AuthError`` with code `internalError`.
  public var token: String {
    get throws { try auth.sealer.token(for: state, purpose: .userToken) }
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
    let state = state
    guard auth.configuration.isEnabled else { throw auth.disabled(nil, state) }
    let account = try await auth.currentAccount(of: state)
    if let proof = state.secondFactor, abs(auth.now().timeIntervalSince(proof.date)) <= interval,
      auth.holds(proof, in: account)
    {
      return
    }
    guard !account.factors.isEmpty else { throw AuthError(.multiFactorInfoNotFound) }
    guard state.firstFactor.supportsSecondFactor else { throw AuthError(.unsupportedFirstFactor) }
    auth.events.record(.secondFactorRequired, user: state.userID)
    throw AuthError(.secondFactorRequired, resolver: auth.resolver(of: state, account: account))
  }
}

extension User: Redacted {}
