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
/// Every function that throws throws an ``AuthError``.
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
    let session = MultiFactorSession(
      auth: self, kind: .signIn, state: state.expiring(at: now().addingTimeInterval(configuration.sessionLifetime)))
    return MultiFactorResolver(
      hints: hints,
      hasRecoveryCodes: configuration.allowsRecoveryCodes && account.recoveryCodesRemaining > 0, session: session)
  }
}

// Getting back what another request has left as a token.
extension MultiFactorAuth {
  /// The handle that a ``User/token`` stands for.
  ///
  /// - Throws: ``AuthError`` with code `invalidUserToken` where this keyring did not seal it for this, or it was changed;
  ///   `userTokenExpired` where it has expired or was revoked; `internalError`.
  public func user(from token: String) async throws -> User {
    let state = try refusing { () throws(AuthError) in
      try sealer.state(of: token, purpose: .userToken, otherwise: .invalidUserToken)
    }
    _ = try await currentAccount(of: state)
    return User(auth: self, state: state)
  }

  /// The session that a ``MultiFactorSession/token`` stands for.
  ///
  /// - Throws: ``AuthError`` with code `missingMultiFactorSession` where it is empty; `invalidMultiFactorSession` where
  ///   this keyring did not seal it for this, or it was changed; `sessionExpired`.
  public func session(from token: String) throws -> MultiFactorSession {
    guard !token.isEmpty else { throw AuthError(.missingMultiFactorSession) }
    let (kind, state) = try refusing { () throws(AuthError) in try sealer.session(of: token) }
    let session = MultiFactorSession(auth: self, kind: kind, state: state)
    try session.check(kind)
    return session
  }

  /// The secret being enrolled that a ``TOTPSecret/token`` stands for.
  ///
  /// - Throws: ``AuthError`` with code `missingMultiFactorSession`, `invalidMultiFactorSession` or `sessionExpired`.
  public func totpSecret(from token: String) throws -> TOTPSecret {
    TOTPSecret(content: try enrollmentSecret(from: token, .totp))
  }

  /// The secret being enrolled that a ``HOTPSecret/token`` stands for.
  ///
  /// - Throws: ``AuthError`` with code `missingMultiFactorSession`, `invalidMultiFactorSession` or `sessionExpired`.
  public func hotpSecret(from token: String) throws -> HOTPSecret {
    HOTPSecret(content: try enrollmentSecret(from: token, .hotp))
  }

  private func enrollmentSecret(from token: String, _ kind: FactorRecord.Kind) throws(AuthError) -> EnrollmentSecret {
    guard !token.isEmpty else { throw AuthError(.missingMultiFactorSession) }
    let secret = try refusing { () throws(AuthError) in try EnrollmentSecret(auth: self, token: token) }
    guard secret.secret.kind == kind else { throw AuthError(.invalidMultiFactorSession) }
    return secret
  }

  /// The resolver that a ``MultiFactorResolver/token`` stands for, with the user's factors as they are now.
  ///
  /// - Throws: ``AuthError`` with code `missingMultiFactorSession`, `invalidMultiFactorSession`, `sessionExpired`,
  ///   `userTokenExpired` where the sign-in was revoked meanwhile, or `internalError`.
  public func resolver(from token: String) async throws -> MultiFactorResolver {
    guard !token.isEmpty else { throw AuthError(.missingMultiFactorSession) }
    let state = try refusing { () throws(AuthError) in
      try sealer.state(of: token, purpose: .resolverToken, otherwise: .invalidMultiFactorSession)
    }
    try check(expiry: state.expiry, of: state.userID)
    let account = try await currentAccount(of: state)
    let resolver = resolver(of: state, account: account)
    // A token does not prolong its own session.
    return MultiFactorResolver(
      hints: resolver.hints, hasRecoveryCodes: resolver.hasRecoveryCodes,
      session: MultiFactorSession(auth: self, kind: .signIn, state: state))
  }

  /// Tells of a token that was refused.
  private func refusing<R>(_ body: () throws(AuthError) -> R) throws(AuthError) -> R {
    do { return try body() } catch {
      if error.code != .sessionExpired { events.record(.tokenRefused, .invalid, user: nil) }
      throw error
    }
  }
}
