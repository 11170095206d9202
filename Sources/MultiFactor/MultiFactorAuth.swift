import Foundation
@_exported import Keyring
import OTP

/// Second factors for the users of a server: enrol, sign in through a resolver, unenrol, with nothing accepted twice.
///
/// The host proves the first factor and owns its web sessions; this owns second factors. The vocabulary is that of
/// Firebase Authentication with Identity Platform. One of these serves a whole process, and any number of them, in any
/// number of processes and machines, share a store and a keyring.
///
/// Every function that throws throws an ``AuthError``; the initialiser says what it throws.
public final class MultiFactorAuth: Sendable {
  let context: Context

  /// Multi-factor authentication on a store.
  ///
  /// The store and the keyring must belong together, or both be new: then the one is sealed with the other from now on.
  ///
  /// - Parameters:
  ///   - configuration: What is enabled, and the policy.
  ///   - store: Where users' documents are kept.
  ///   - keyring: Seals what is stored and what is handed out.
  ///   - smsSender: Sends text messages; if phone factors are enabled, it or `smsVerifier` is needed.
  ///   - smsVerifier: A provider that makes, sends and checks the codes of text messages itself.
  ///   - appVerifier: Says whether a request for a text message comes from the host's app; `nil` leaves that to the
  ///     host.
  ///   - urlOpener: What ``TOTPSecret/openInOTPApp(withQRCodeURL:)`` hands a URI to.
  ///   - eventHandler: Gets each audit event, on the task that it happens on: `EventLog(logger:).record`, with the trait
  ///     `Observability`, writes them to swift-log and swift-metrics.
  ///   - revocationHandler: Gets the host's name of a user whose handles were revoked, to end the user's web sessions.
  ///     It is called once that is durable, and what revoked them returns after it does: it misses none, however many there
  ///     are, even if a client hangs up. Where the store fails at a revocation, so that it may or may not be made, it is called
  ///     too. It hears of what this process does; a process that dies in between is why handles are also looked up in the
  ///     store whenever one is used.
  ///   - clock: The time; another one for tests.
  /// - Throws: ``ConfigurationError`` with `incomplete` if phone factors are enabled, and `smsSender` and `smsVerifier`
  ///   are `nil`; `duplicate` if neither is; `emptyStore` or `foreignStore` where the keyring has sealed for another
  ///   store than this; ``KeyringError`` where a new keyring cannot note its store; what the store throws.
  public convenience init(
    configuration: MultiFactorConfiguration, store: any FactorStore, keyring: Keyring,
    smsSender: (any SMSSender)? = nil, smsVerifier: (any SMSVerifier)? = nil,
    appVerifier: (any AppVerifier)? = nil, urlOpener: (@Sendable (String) -> Void)? = nil,
    eventHandler: (@Sendable (AuditEvent) -> Void)? = nil,
    revocationHandler: (@Sendable (_ userID: String) async -> Void)? = nil,
    clock: @escaping @Sendable () -> Date = { Date() }
  ) async throws {
    try await self.init(
      configuration: configuration, store: store, keyring: keyring, random: .system, smsSender: smsSender,
      smsVerifier: smsVerifier, appVerifier: appVerifier, urlOpener: urlOpener, eventHandler: eventHandler,
      revocationHandler: revocationHandler, clock: clock)
  }

  /// The same, with randomness from elsewhere: for tests.
  init(
    configuration: MultiFactorConfiguration, store: any FactorStore, keyring: Keyring, random: SecureRandom,
    smsSender: (any SMSSender)?, smsVerifier: (any SMSVerifier)?, appVerifier: (any AppVerifier)?,
    urlOpener: (@Sendable (String) -> Void)?, eventHandler: (@Sendable (AuditEvent) -> Void)?,
    revocationHandler: (@Sendable (_ userID: String) async -> Void)? = nil, clock: @escaping @Sendable () -> Date
  ) async throws {
    guard configuration.phone == nil || smsSender != nil || smsVerifier != nil else {
      throw ConfigurationError(.incomplete, "smsSender")
    }
    guard smsSender == nil || smsVerifier == nil else { throw ConfigurationError(.duplicate, "smsVerifier") }
    context = Context(
      configuration: configuration, store: store,
      storeID: try await StoreMark.bind(keyring, to: store, random: random), keyring: keyring, random: random,
      events: EventHub(clock: clock, handler: eventHandler, revocationHandler: revocationHandler), smsSender: smsSender,
      smsVerifier: smsVerifier, appVerifier: appVerifier, urlOpener: urlOpener, clock: clock)
  }

  /// What is enabled, and the policy.
  public var configuration: MultiFactorConfiguration { context.configuration }

  /// What an administrator can do.
  public var admin: MultiFactorAdmin { MultiFactorAdmin(context: context) }

  /// A new sequence of the audit events, from now on.
  public var auditEvents: AuditEvents { AuditEvents(stream: context.events.auditEvents.listen()) }

  /// A new sequence of the changes of state, from now on.
  public var stateChanges: AuthStateChanges { AuthStateChanges(stream: context.events.stateChanges.listen()) }

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
  ///   - additionalUserInfo: What the first factor's provider says of the user: the result has it again, also when a
  ///     second factor comes between.
  ///   - credential: What the first factor's provider gave; likewise.
  /// - Throws: ``AuthError`` with code `secondFactorRequired` and a resolver; `unsupportedFirstFactor` where the user has
  ///   a second factor and this first one cannot go with it; `userMismatch` where the principal's texts are empty or
  ///   over 256 bytes, or a name has a line feed or another control character in it; `invalidCredential` where the texts
  ///   of `additionalUserInfo` and `credential`, which a resolver would carry, come to more than 2,048 bytes, counting two
  ///   more for each; `internalError`.
  public func signIn(
    _ principal: Principal, firstFactor: FirstFactor, additionalUserInfo: AdditionalUserInfo? = nil,
    credential: AuthCredential? = nil
  ) async throws -> AuthDataResult {
    guard principal.isWellFormed, Principal.isName(firstFactor.providerID) else {
      throw AuthError(.userMismatch)
    }
    let given = ProviderResult(additionalUserInfo: additionalUserInfo, credential: credential)
    guard given.isWellFormed else { throw AuthError(.invalidCredential) }
    let account = try await context.account(of: principal.id)
    let now = account.now(by: context.now())
    let isRequired = configuration.isEnabled && !account.factors.isEmpty
    let end = now.addingTimeInterval(configuration.userTokenLifetime)
    var signIn = SignIn(
      principal: principal, firstFactor: firstFactor, firstFactorDate: now, generation: account.generation,
      expiry: end, end: end)
    guard isRequired else {
      let user = User(signIn, in: context)
      context.events.record(.signedInWithoutSecondFactor, user: principal.id)
      context.events.stateChanges.send(.signedIn(user))
      return AuthDataResult(user: user, given)
    }
    guard firstFactor.supportsSecondFactor else { throw AuthError(.unsupportedFirstFactor) }
    context.events.record(.secondFactorRequired, user: principal.id)
    signIn.expiry = now.addingTimeInterval(configuration.sessionLifetime)
    signIn.providerResult = given
    throw AuthError(.secondFactorRequired, resolver: MultiFactorResolver(signIn, of: account, in: context))
  }
}

extension MultiFactorAuth: Redacted {}
