import Foundation
import MultiFactorBrowsers
import MultiFactorObservability
import OTP
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// A host server for tests: its clock, store, keyring and sender, and its users' operations.
struct Host {
  let clock = TestClock()
  let sender = RecordingSMSSender()
  let keyring: Keyring
  let store: TestStore
  let auth: MultiFactorAuth

  init(
    _ kind: StoreKind = .memory, store existing: (any FactorStore)? = nil, keyring: Keyring? = nil,
    configuration: MultiFactorConfiguration? = nil, smsVerifier: (any SMSVerifier)? = nil,
    appVerifier: (any AppVerifier)? = nil, limits: SendLimits = .standard,
    externalFactors: [any ExternalFactor]? = nil, browsers: RememberedBrowsers? = nil,
    random: SecureRandom = .system, log: (@Sendable (AuditEvent) -> Void)? = nil
  ) async throws {
    store = try existing.map(TestStore.init(around:)) ?? TestStore(kind)
    self.keyring = try keyring ?? Keyring()
    let configuration =
      try configuration
      ?? MultiFactorConfiguration(
        providerConfigs: [.totp(adjacentIntervals: 5), .phone(), .rememberedBrowsers()])
    if self.keyring.storeID == nil, existing == nil || keyring == nil {
      try await MultiFactorAuth.createStore(store, keyring: self.keyring, random: random)
    }
    auth = try await MultiFactorAuth(
      configuration: configuration, store: store, keyring: self.keyring, random: random,
      externalFactors: externalFactors ?? [
        try smsVerifier.map { try PhoneFactor(verifier: $0, appVerifier: appVerifier, limits: limits) }
          ?? PhoneFactor(sender: sender, appVerifier: appVerifier, limits: limits),
        browsers ?? RememberedBrowsers(),
      ],
      handlers: MultiFactorHandlers(event: log, span: Self.span), clock: { [clock] in clock.now })
  }

  #if Tracing
  private static let span: MultiFactorHandlers.Span? = MultiFactorHandlers.tracing
  #else
  private static let span: MultiFactorHandlers.Span? = nil
  #endif

  /// The opened account that the store holds of a user.
  func account(_ userID: String = alice.id) async throws -> Account { try await auth.context.account(of: userID) }

  /// What the store holds of a user's text messages.
  func phoneDocument(_ userID: String = alice.id) async throws -> PhoneDocument {
    let key = DocumentKey.external(.phone, userID)
    return try auth.context.open(await store.read(key), of: PhoneDocument.self, under: key)?.document ?? .empty
  }

  /// Another server with the same store, keyring, sender and clock.
  func server() async throws -> MultiFactorAuth {
    try await MultiFactorAuth(
      configuration: auth.configuration, store: store, keyring: keyring,
      externalFactors: [PhoneFactor(sender: sender), RememberedBrowsers()], clock: { [clock] in clock.now })
  }

  static let alice = Principal(id: "u1", email: "alice@example.com", isEmailVerified: true)
  static let bob = Principal(id: "u2", email: "bob@example.com", isEmailVerified: true)

  /// Signs in a user without a second factor.
  func signIn(_ principal: Principal = alice, firstFactor: FirstFactor = .password) async throws -> User {
    try await auth.signIn(principal, firstFactor: firstFactor).user
  }

  /// The resolver for a user with second factors.
  func resolver(_ principal: Principal = alice) async throws -> MultiFactorResolver {
    do {
      _ = try await auth.signIn(principal, firstFactor: .password)
    } catch let error as AuthError where error.code == .secondFactorRequired {
      return try #require(error.resolver)
    }
    throw AuthError(.internalError)
  }

  /// Has a code sent to one of a resolver's phones, and makes the assertion with it.
  func phoneAssertion(_ uid: String, in resolver: MultiFactorResolver) async throws -> MultiFactorAssertion {
    guard let hint = resolver.hints.first(where: { $0.uid == uid }) else { throw NothingToChooseFrom() }
    let id = try await phones.verifyPhoneNumber(with: hint, multiFactorSession: resolver.session)
    return PhoneMultiFactorGenerator.assertion(
      with: phones.credential(withVerificationID: id, verificationCode: sender.lastCode))
  }

  /// The code that an authenticator app shows.
  func code(of key: String, stepsAhead: Int = 0) throws -> String {
    let time = Int64(clock.now.timeIntervalSince1970) + Int64(stepsAhead) * 30
    return try TOTP(secret: OTPSecret(base32: key)).code(at: time).description
  }

  /// The assertion that enrolls an authenticator app, with the code that it shows.
  func assertion(_ secret: TOTPSecret) throws -> MultiFactorAssertion {
    TOTPMultiFactorGenerator.assertionForEnrollment(
      with: secret, oneTimePassword: try code(of: secret.sharedSecretKey()))
  }

  /// A user with an authenticator app, just enrolled: the handle, the app's key and the factor's name.
  func enrollTOTP(
    _ principal: Principal = alice, as user: User? = nil
  ) async throws -> (user: User, key: String, uid: String) {
    let user = if let user { user } else { try await signIn(principal) }
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
    try await user.multiFactor.enroll(with: assertion(secret), displayName: "App")
    return (user, secret.sharedSecretKey(), secret.content.uid)
  }

  /// A host, and a user of it with an authenticator app, just enrolled.
  static func withApp(
    _ kind: StoreKind = .memory
  ) async throws -> (host: Host, user: User, key: String, uid: String) {
    let host = try await Host(kind)
    let (user, key, uid) = try await host.enrollTOTP()
    return (host, user, key, uid)
  }

  /// A host, and a user of it with a phone, just enrolled.
  static func withPhone(_ kind: StoreKind = .memory) async throws -> (host: Host, user: User, uid: String) {
    let host = try await Host(kind)
    let (user, uid) = try await host.enrollPhone()
    return (host, user, uid)
  }

  /// A user with a phone, just enrolled.
  func enrollPhone(
    _ number: String = "+15105551234", _ principal: Principal = alice, as user: User? = nil
  ) async throws -> (user: User, uid: String) {
    let user = if let user { user } else { try await signIn(principal) }
    let id = try await phones.verifyPhoneNumber(number, multiFactorSession: user.multiFactor.session())
    try await enroll(user, id, sender.lastCode)
    let uid = try #require(user.claims.secondFactorIdentifier)
    return (user, uid)
  }

  /// Signs in with an authenticator app's code.
  func resolve(
    _ uid: String, code: String, by principal: Principal = alice
  ) async throws -> AuthDataResult {
    try await resolver(principal).resolveSignIn(
      with: TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: code))
  }

  /// A code that no nearby step has.
  func wrongCode(for key: String) throws -> String {
    let near = try (-15...15).map { try code(of: key, stepsAhead: $0) }
    return try #require((0...100).lazy.map { "\(100_000 + $0)" }.first { !near.contains($0) })
  }
}

/// The error if a user's factor is not among the hints.
struct NothingToChooseFrom: Error {}

/// The code of the error that an operation throws; `nil` if it throws none.
func errorCode(_ operation: () async throws -> some Any) async -> AuthError.Code? {
  do {
    _ = try await operation()
    return nil
  } catch {
    let code = (error as? AuthError)?.code
    if code == nil { Issue.record("not an AuthError: \(error)") }
    return code
  }
}

/// Expects that an operation throws an error with a code, or none.
func expectError(
  _ code: AuthError.Code?, at location: SourceLocation = #_sourceLocation, _ operation: () async throws -> some Any
) async {
  #expect(await errorCode(operation) == code, sourceLocation: location)
}

/// The codes of the errors that an operation throws when it is begun for all of the numbers at once.
func errorCodes(
  _ numbers: some Sequence<Int>, _ operation: @escaping @Sendable (Int) async throws -> some Any
) async -> [AuthError.Code?] {
  await withTaskGroup(of: AuthError.Code?.self) { group in
    for number in numbers { group.addTask { await errorCode { try await operation(number) } } }
    return await group.reduce(into: []) { $0.append($1) }
  }
}
