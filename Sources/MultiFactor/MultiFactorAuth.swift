import Foundation

#if Observability
import Logging
#endif

/// Second factors for the users of a server: enrol, sign in through a resolver, unenrol, with nothing accepted twice.
///
/// The host proves the first factor and owns its web sessions; this owns second factors. The vocabulary is that of
/// Firebase Authentication with Identity Platform. One of these serves a whole process, and any number of them, in any
/// number of processes and machines, share a store and a keyring.
///
/// Every function that throws throws an ``AuthError``; an initialiser throws a ``ConfigurationError``.
public final class MultiFactorAuth: Sendable {
  /// What is enabled, and the policy.
  public let configuration: MultiFactorConfiguration

  let store: any FactorStore
  let sealer: Sealer
  let smsSender: (any SMSSender)?
  let appVerifier: (any AppVerifier)?
  let urlOpener: (@Sendable (String) -> Void)?
  let events: EventHub
  private let clock: @Sendable () -> Date

  #if Observability
  /// Multi-factor authentication on a store.
  ///
  /// - Parameters:
  ///   - configuration: What is enabled, and the policy.
  ///   - store: Where factors are kept.
  ///   - keyring: Seals what is stored and what is handed out.
  ///   - smsSender: Sends text messages; needed where phone factors are enabled.
  ///   - appVerifier: Says whether a request for a text message comes from the host's app; `nil` leaves that to the
  ///     host.
  ///   - urlOpener: What ``TOTPSecret/openInOTPApp(withQRCodeURL:)`` hands a URI to.
  ///   - logger: Where events are logged. They are also counted by the process's swift-metrics.
  ///   - clock: The time; another one for tests.
  /// - Throws: ``ConfigurationError`` where phone factors are enabled and `smsSender` is `nil`.
  public convenience init(
    configuration: MultiFactorConfiguration, store: any FactorStore, keyring: Keyring,
    smsSender: (any SMSSender)? = nil, appVerifier: (any AppVerifier)? = nil,
    urlOpener: (@Sendable (String) -> Void)? = nil, logger: Logger = Logger(label: "swift-otp.MultiFactor"),
    clock: @escaping @Sendable () -> Date = { Date() }
  ) throws(ConfigurationError) {
    try self.init(
      configuration: configuration, store: store, sealer: Sealer(keyring: keyring, random: .system),
      smsSender: smsSender, appVerifier: appVerifier, urlOpener: urlOpener, log: EventLog(logger: logger).record,
      clock: clock)
  }
  #else
  /// Multi-factor authentication on a store.
  ///
  /// With the trait `Observability`, it also takes a `logger`.
  ///
  /// - Parameters:
  ///   - configuration: What is enabled, and the policy.
  ///   - store: Where factors are kept.
  ///   - keyring: Seals what is stored and what is handed out.
  ///   - smsSender: Sends text messages; needed where phone factors are enabled.
  ///   - appVerifier: Says whether a request for a text message comes from the host's app; `nil` leaves that to the
  ///     host.
  ///   - urlOpener: What ``TOTPSecret/openInOTPApp(withQRCodeURL:)`` hands a URI to.
  ///   - clock: The time; another one for tests.
  /// - Throws: ``ConfigurationError`` where phone factors are enabled and `smsSender` is `nil`.
  public convenience init(
    configuration: MultiFactorConfiguration, store: any FactorStore, keyring: Keyring,
    smsSender: (any SMSSender)? = nil, appVerifier: (any AppVerifier)? = nil,
    urlOpener: (@Sendable (String) -> Void)? = nil, clock: @escaping @Sendable () -> Date = { Date() }
  ) throws(ConfigurationError) {
    try self.init(
      configuration: configuration, store: store, sealer: Sealer(keyring: keyring, random: .system),
      smsSender: smsSender, appVerifier: appVerifier, urlOpener: urlOpener, log: nil, clock: clock)
  }

  /// The initializer with a logger while its trait is off, so that the compiler says what is missing.
  @available(*, unavailable, message: "needs swift-otp's trait Observability: .package(…, traits: [\"Observability\"])")
  public convenience init(
    configuration: MultiFactorConfiguration, store: any FactorStore, keyring: Keyring,
    smsSender: (any SMSSender)? = nil, appVerifier: (any AppVerifier)? = nil,
    urlOpener: (@Sendable (String) -> Void)? = nil, logger: some Sendable,
    clock: @escaping @Sendable () -> Date = { Date() }
  ) throws(ConfigurationError) {
    try self.init(configuration: configuration, store: store, keyring: keyring)
  }
  #endif

  /// The one that the others come to, and tests with a random source of their own.
  init(
    configuration: MultiFactorConfiguration, store: any FactorStore, sealer: Sealer, smsSender: (any SMSSender)?,
    appVerifier: (any AppVerifier)?, urlOpener: (@Sendable (String) -> Void)?,
    log: (@Sendable (AuditEvent) -> Void)?, clock: @escaping @Sendable () -> Date
  ) throws(ConfigurationError) {
    guard configuration.phone == nil || smsSender != nil else { throw ConfigurationError(.incomplete, "smsSender") }
    self.configuration = configuration
    self.store = store
    self.smsSender = smsSender
    self.appVerifier = appVerifier
    self.urlOpener = urlOpener
    self.clock = clock
    let events = EventHub(clock: clock, log: log)
    self.events = events
    var sealer = sealer
    sealer.report = { reason, userID, factorUID in events.record(.failed, reason, user: userID, factor: factorUID) }
    self.sealer = sealer
  }

  /// What an administrator can do.
  public var admin: MultiFactorAdmin { MultiFactorAdmin(auth: self) }

  /// A new sequence of the audit events, from now on.
  public var auditEvents: AuditEvents { AuditEvents(stream: events.auditEvents.listen()) }

  /// A new sequence of the changes of state, from now on.
  public var stateChanges: AuthStateChanges { AuthStateChanges(stream: events.stateChanges.listen()) }

  /// The time, to the millisecond: stores keep no more.
  func now() -> Date { Date(timeIntervalSince1970: (clock().timeIntervalSince1970 * 1000).rounded(.down) / 1000) }
}

extension MultiFactorAuth: Redacted {}

// Signing in.
extension MultiFactorAuth {
  /// Signs in a user whose first factor the host has proved.
  ///
  /// A user who has no second factor is signed in. For one who has, the error `secondFactorRequired` has a resolver,
  /// which goes on. A proof of the first factor changes nothing of the second one's failures.
  ///
  /// Where the configuration's state is disabled, no second factor is asked for; where only a provider is, its factors
  /// do not help, and are still asked for.
  ///
  /// - Parameters:
  ///   - principal: The user, as the host knows it.
  ///   - firstFactor: How the host has just proved who it is.
  /// - Throws: ``AuthError`` with code `secondFactorRequired` and a resolver; `unsupportedFirstFactor` where the user has
  ///   a second factor and this first one cannot go with it; `userMismatch` where the principal's texts are empty or
  ///   over 256 bytes; `internalError`.
  public func signIn(_ principal: Principal, firstFactor: FirstFactor) async throws -> AuthDataResult {
    guard principal.isWellFormed, 1...Principal.maximumByteCount ~= firstFactor.providerID.utf8.count else {
      throw AuthError(.userMismatch)
    }
    let account = try await account(of: principal.id)
    let now = now()
    let isRequired = configuration.state != .disabled && !account.factors.isEmpty
    let lifetime = isRequired ? configuration.sessionLifetime : configuration.userTokenLifetime
    let state = SignInState(
      principal: principal, firstFactor: firstFactor, firstFactorDate: now, generation: account.generation,
      expiry: now.addingTimeInterval(lifetime))
    guard isRequired else {
      let user = User(auth: self, state: state)
      events.record(.signedInWithoutSecondFactor, user: principal.id)
      events.stateChanges.send(.signedIn(user))
      return AuthDataResult(user: user)
    }
    guard firstFactor.supportsSecondFactor else { throw AuthError(.unsupportedFirstFactor) }
    events.record(.secondFactorRequired, user: principal.id)
    throw AuthError(.secondFactorRequired, resolver: resolver(of: state, account: account))
  }

  /// The resolver of a sign-in.
  func resolver(of state: SignInState, account: AccountRecord) -> MultiFactorResolver {
    var hints: [any MultiFactorInfo] = []
    for factor in account.factors where configuration.allows(factor.kind) { hints.append(sealer.info(of: factor)) }
    // No longer than the handle will be good for, which counts from the first factor.
    let expiry = min(now().addingTimeInterval(configuration.sessionLifetime), signedInUntil(state))
    let session = MultiFactorSession(auth: self, kind: .signIn, state: state.expiring(at: expiry))
    return MultiFactorResolver(
      hints: hints, hasRecoveryCodes: acceptsRecoveryCodes && account.recoveryCodesRemaining > 0, session: session)
  }

  /// Until when a sign-in is good, whatever second factors are proved in it.
  func signedInUntil(_ state: SignInState) -> Date {
    state.firstFactorDate.addingTimeInterval(configuration.userTokenLifetime)
  }
}

// Getting back what another request has left as a token.
extension MultiFactorAuth {
  /// The handle that a ``User/token`` stands for.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - userID: The user who must be the one, where the host knows: the user of its web session; `nil` for any.
  /// - Throws: ``AuthError`` with code `invalidUserToken` where this keyring did not seal it for this, or it was changed;
  ///   `userTokenExpired` where it has expired or was revoked; `userMismatch`; `internalError`.
  public func user(from token: String, for userID: String? = nil) async throws -> User {
    let state = try refusing { () throws(AuthError) in
      try sealer.state(of: token, purpose: .userToken, otherwise: .invalidUserToken)
    }
    try check(state.userID, is: userID)
    _ = try await currentAccount(of: state)
    return User(auth: self, state: state)
  }

  /// The session that a ``MultiFactorSession/token`` stands for.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - userID: The user who must be the one, or `nil` for any.
  /// - Throws: ``AuthError`` with code `missingMultiFactorSession` where it is empty; `invalidMultiFactorSession` where
  ///   this keyring did not seal it for this, or it was changed; `sessionExpired`; `userMismatch`.
  public func session(from token: String, for userID: String? = nil) throws -> MultiFactorSession {
    guard !token.isEmpty else { throw AuthError(.missingMultiFactorSession) }
    let (kind, state) = try refusing { () throws(AuthError) in try sealer.session(of: token) }
    try check(state.userID, is: userID)
    let session = MultiFactorSession(auth: self, kind: kind, state: state)
    try session.check(kind)
    return session
  }

  /// The secret being enrolled that a ``TOTPSecret/token`` stands for.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - userID: The user who must be the one, or `nil` for any.
  /// - Throws: ``AuthError`` with code `missingMultiFactorSession`, `invalidMultiFactorSession`, `sessionExpired` or
  ///   `userMismatch`.
  public func totpSecret(from token: String, for userID: String? = nil) throws -> TOTPSecret {
    TOTPSecret(content: try enrollmentSecret(from: token, .totp, for: userID))
  }

  /// The secret being enrolled that a ``HOTPSecret/token`` stands for.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - userID: The user who must be the one, or `nil` for any.
  /// - Throws: ``AuthError`` with code `missingMultiFactorSession`, `invalidMultiFactorSession`, `sessionExpired` or
  ///   `userMismatch`.
  public func hotpSecret(from token: String, for userID: String? = nil) throws -> HOTPSecret {
    HOTPSecret(content: try enrollmentSecret(from: token, .hotp, for: userID))
  }

  private func enrollmentSecret(
    from token: String, _ kind: FactorRecord.Kind, for userID: String?
  ) throws(AuthError) -> EnrollmentSecret {
    guard !token.isEmpty else { throw AuthError(.missingMultiFactorSession) }
    let secret = try refusing { () throws(AuthError) in try EnrollmentSecret(auth: self, token: token) }
    guard secret.secret.kind == kind else { throw AuthError(.invalidMultiFactorSession) }
    try check(secret.userID, is: userID)
    return secret
  }

  /// The resolver that a ``MultiFactorResolver/token`` stands for, with the user's factors as they are now.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - userID: The user who must be the one, where the host knows: the one whose first factor was proved in this web
  ///     session. Without it, check ``MultiFactorResolver/uid``: a client can hand in the token of another account of
  ///     its own.
  /// - Throws: ``AuthError`` with code `missingMultiFactorSession`, `invalidMultiFactorSession`, `sessionExpired`,
  ///   `userTokenExpired` where the sign-in was revoked meanwhile, `userMismatch` or `internalError`.
  public func resolver(from token: String, for userID: String? = nil) async throws -> MultiFactorResolver {
    guard !token.isEmpty else { throw AuthError(.missingMultiFactorSession) }
    let state = try refusing { () throws(AuthError) in
      try sealer.state(of: token, purpose: .resolverToken, otherwise: .invalidMultiFactorSession)
    }
    try check(state.userID, is: userID)
    try check(expiry: state.expiry, of: state.userID)
    let account = try await currentAccount(of: state)
    let resolver = resolver(of: state, account: account)
    // A token does not prolong its own session.
    return MultiFactorResolver(
      hints: resolver.hints, hasRecoveryCodes: resolver.hasRecoveryCodes,
      session: MultiFactorSession(auth: self, kind: .signIn, state: state))
  }

  /// Checks that a token is of the user whom the host expects.
  private func check(_ userID: String, is expected: String?) throws(AuthError) {
    guard let expected, !userID.hasBytes(of: expected) else { return }
    events.record(.tokenRefused, .mismatch, user: expected)
    throw AuthError(.userMismatch)
  }

  /// Tells of a token that was refused.
  private func refusing<R>(_ body: () throws(AuthError) -> R) throws(AuthError) -> R {
    do { return try body() } catch {
      if error.code != .sessionExpired { events.record(.tokenRefused, .invalid, user: nil) }
      throw error
    }
  }
}
