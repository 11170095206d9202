import Foundation
import Keyring
import OTP

/// Second factors for the users of a server: enroll, sign in through a resolver, unenroll; no code is accepted twice.
///
/// The host verifies the first factor and owns its web sessions; this class owns second factors. The vocabulary is that
/// of Firebase Authentication with Identity Platform. One instance serves a whole process, and any number of instances,
/// in any number of processes and machines, can share a store and a keyring.
///
/// Every throwing function throws an ``AuthError``; for the initializer, see there.
public final class MultiFactorAuth: Sendable {
  package let context: Context

  /// Multi-factor authentication on a store.
  ///
  /// The store and the keyring must belong together: see ``createStore(keyringFile:_:)``.
  ///
  /// - Parameters:
  ///   - configuration: What is enabled, and the policy.
  ///   - store: Where users' documents are kept.
  ///   - keyring: Seals what is stored and what is handed out.
  ///   - externalFactors: The factors whose answers are checked elsewhere, such as those of `MultiFactorPhone`.
  ///   - handlers: Functions of the host to call, such as for audit events.
  ///   - clock: The current time; tests pass their own.
  /// - Throws: ``ConfigurationError`` with `incomplete` if a kind of external factor is enabled and not passed;
  ///   `duplicate` if two of them have one kind; `outOfRange` if a kind's name is not valid; `notCreated`,
  ///   `emptyStore`, `foreignStore` or `incompleteCopy` if the store and the keyring do not belong together;
  ///   `KeyringError`; whatever the store throws.
  public convenience init(
    configuration: MultiFactorConfiguration, store: any FactorStore, keyring: Keyring,
    externalFactors: [any ExternalFactor] = [], handlers: MultiFactorHandlers = MultiFactorHandlers(),
    clock: @escaping @Sendable () -> Date = { Date() }
  ) async throws {
    try await self.init(
      configuration: configuration, store: store, keyring: keyring, random: .system,
      externalFactors: externalFactors, handlers: handlers, clock: clock)
  }

  /// The same, with a given source of randomness, for tests.
  init(
    configuration: MultiFactorConfiguration, store: any FactorStore, keyring: Keyring, random: SecureRandom,
    externalFactors: [any ExternalFactor], handlers: MultiFactorHandlers, clock: @escaping @Sendable () -> Date
  ) async throws {
    let names = externalFactors.map(\.factorID)
    for (index, name) in names.enumerated() {
      guard FactorKind.isExternalName(name) else { throw ConfigurationError.outOfRange("externalFactors[\(index)]") }
      guard !names[..<index].contains(name) else {
        throw ConfigurationError(.duplicate, "externalFactors[\(index)]")
      }
    }
    guard configuration.enabledExternalFactorIDs.allSatisfy(names.contains) else {
      throw ConfigurationError(.incomplete, "externalFactors")
    }
    let storeID = try await StoreMark.check(store, by: keyring)
    let events = Events(handlers, clock: clock, of: store)
    let traced = handlers.span.map { TracedStore(store: store, span: $0) }
    let documents = Documents(traced ?? store, storeID: storeID, keyring: keyring) { key in
      if let userID = key.userID { events.record(.resealed, user: userID) }
    }
    context = Context(
      configuration: configuration, documents: documents, events: events, random: random,
      externalFactors: externalFactors)
  }

  /// What is enabled, and the policy.
  public var configuration: MultiFactorConfiguration { context.configuration }

  /// The maximum length of what a host passes with a sign-in, in bytes.
  public static let maximumPayloadByteCount = 2048

  /// Begins the sign-in of a user whose first factor the host has verified.
  ///
  /// A user without a second factor is signed in. Verifying the first factor does not clear failures of the second.
  ///
  /// If the configuration's state is disabled, no second factor is required. If only a kind of factor is disabled, its
  /// factors are still required but cannot be verified.
  ///
  /// - Parameters:
  ///   - principal: The user, as known to the host.
  ///   - firstFactor: How the host has just verified the user: the first factor.
  ///   - payload: What the host wants back in the result, also after a second factor: at most 2,048 bytes, which a
  ///     resolver carries sealed. It is not wiped.
  /// - Throws: ``AuthError`` with code `unsupportedFirstFactor` if the user has a second factor that cannot be combined
  ///   with this first one; `userMismatch` if the principal's texts are empty or over 256 bytes, or a name contains a
  ///   control character; `invalidCredential` if the payload is too long; `internalError`.
  public func beginSignIn(
    _ principal: Principal, firstFactor: FirstFactor, payload: [UInt8] = []
  ) async throws -> BegunSignIn {
    try await beginSignIn(principal, firstFactor: firstFactor, payload: payload) { _ in nil }
  }

  /// The same, with a question before a second factor is required.
  ///
  /// - Parameter standIn: Returns the proof that stands in for a second factor, if there is one.
  package func beginSignIn(
    _ principal: Principal, firstFactor: FirstFactor, payload: [UInt8], standIn: (Account) async throws -> Proof?
  ) async throws -> BegunSignIn {
    guard principal.isWellFormed, Principal.isIdentifier(firstFactor.providerID) else {
      throw AuthError(.userMismatch)
    }
    guard payload.count <= Self.maximumPayloadByteCount else { throw AuthError(.invalidCredential) }
    let account = try await context.account(of: principal.id)
    let now = account.accountTime(at: context.events.now())
    let isRequired = configuration.isEnabled && !account.factors.isEmpty
    let end = now + configuration.userTokenLifetime
    var signIn = SignIn(
      principal: principal, firstFactor: firstFactor, firstFactorDate: now, generation: account.generation,
      expiry: end, end: end)
    guard isRequired else {
      let user = User(signIn, in: context)
      context.events.record(.signedInWithoutSecondFactor, user: principal.id)
      return .signedIn(AuthDataResult(user: user, payload: payload))
    }
    guard firstFactor.supportsSecondFactor else { throw AuthError(.unsupportedFirstFactor) }
    signIn.payload = payload
    if let proof = try await standIn(account) { return .signedIn(context.complete(signIn, with: proof)) }
    context.events.record(.secondFactorRequired, user: principal.id)
    signIn.expiry = now + configuration.sessionLifetime
    return .secondFactorRequired(MultiFactorResolver(signIn, of: account, in: context))
  }

  /// The same in the SDK's form: a second factor that is required is an error.
  ///
  /// - Throws: ``AuthError`` with code `secondFactorRequired` and a resolver; otherwise as
  ///   ``beginSignIn(_:firstFactor:payload:)``.
  public func signIn(
    _ principal: Principal, firstFactor: FirstFactor, payload: [UInt8] = []
  ) async throws -> AuthDataResult {
    switch try await beginSignIn(principal, firstFactor: firstFactor, payload: payload) {
    case .signedIn(let result): return result
    case .secondFactorRequired(let resolver): throw AuthError(.secondFactorRequired, resolver: resolver)
    }
  }
}

extension MultiFactorAuth: Redacted {}
