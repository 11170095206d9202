import FactorRecord
import Foundation
import Keyring
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor

/// One run of the model in Tests/Proofs/protocol, repeated by two servers over one store.
///
/// The model's steps are 30 seconds; its step 0 begins at ``origin``. What a host learns of a loss, what a standby has
/// received, and which writes are refused because of a new timeline follows the trace: the model and the PostgreSQL
/// store are responsible for that. What is read, checked, spent, counted and answered is the product's own.
struct ProtocolReplay {
  /// A difference between the product and the model.
  struct Difference: Error, CustomStringConvertible { let description: String }

  private struct Server {
    let clock: TestClock
    let store: SteppedStore
    let auth: MultiFactorAuth
    var offer: MultiFactorAssertion?
    var signIn: Task<AuthDataResult, any Error>?
    /// Whether the sign-in must read again.
    var isRefused = false
    var isUnchanged = false
  }

  private static let origin: Int64 = 1_700_000_010
  private static let key = DocumentKey.user(Host.alice.id)

  private let shared = Locked(InMemoryFactorStore())
  private let keyring: Keyring
  private let app: TOTP
  private let token: HOTP
  private var recoveryCode = ""
  private var servers: [Server] = []
  private var standby: [UInt8]?
  private var backup: [UInt8]?
  /// How often each answer was given, each sign-in was broken off, and so on.
  private(set) var counts: [String: Int] = [:]

  init() async throws {
    keyring = try Keyring()
    let secrets = try (OTPSecret(bytes: [UInt8](1...20)), OTPSecret(bytes: [UInt8](21...40)))
    app = try TOTP(secret: secrets.0, digits: .eight)
    token = try HOTP(secret: secrets.1, digits: .eight)
    let configuration = try MultiFactorConfiguration(
      providerConfigs: [.totp(adjacentIntervals: 1, resynchronizationSteps: 0), .hotp(lookAhead: 1)],
      attemptLimit: AttemptLimit(failuresUntilLock: 100, firstDelayedFailure: 100))
    for _ in 0..<2 {
      let (clock, store) = (TestClock(TimeInterval(Self.origin - 600)), SteppedStore(shared))
      if servers.isEmpty { try await MultiFactorAuth.createStore(store, keyring: keyring) }
      let auth = try await MultiFactorAuth(
        configuration: configuration, store: store, keyring: keyring, clock: { clock.now })
      servers.append(Server(clock: clock, store: store, auth: auth))
    }
    let admin = servers[0].auth.admin
    _ = try await admin.importFactor(.totp(secret: secrets.0, digits: .eight, uid: "app"), for: Host.alice.id)
    _ = try await admin.importFactor(.hotp(secret: secrets.1, digits: .eight, uid: "token"), for: Host.alice.id)
    let code = try app.code(at: Self.origin - 600).description
    let user = try await resolver(servers[0].auth).resolveSignIn(
      with: TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: "app", oneTimePassword: code)
    ).user
    recoveryCode = try #require(try await user.multiFactor.generateRecoveryCodes().codes.first)
    standby = try await shared.withLock { $0 }.document(Self.key)
    for server in servers { server.store.beginSteps() }
  }

  /// Repeats one event.
  mutating func perform(_ event: Substring) async throws {
    let words = event.split(separator: " ").map(String.init)
    let numbers = words.map { Int($0) ?? 0 }
    let host = numbers.count > 1 ? numbers[1] : 0
    switch words[0] {
    case "offer": servers[host].offer = try assertion(words[2], Int64(numbers[3]))
    case "loss": servers[host].store.lossDate = numbers[2] == 0 ? nil : Self.date(Int64(numbers[2]))
    case "read": try await read(host, at: Int64(numbers[2]))
    case "write": try await proceed(host, .write, until: .written)
    case "conflict": servers[host].isRefused = true
    case "answer": try await finish(host, expecting: words[2])
    case "lost": try await breakOff(host)
    case "replicate": standby = try await document()
    case "failover": try await replace(with: standby)
    case "backup": backup = try await document()
    case "restore":
      try await replace(with: backup)
      standby = backup
    case "copy": try await copy()
    case "state": try await compare(numbers)
    default: break
    }
    counts[words[0] == "answer" ? words[2] : words[0], default: 0] += 1
  }

  /// Ends what is still under way.
  mutating func end() async throws {
    for host in servers.indices where servers[host].signIn != nil { try await breakOff(host) }
  }

  private static func date(_ step: Int64) -> Date { Date(timeIntervalSince1970: TimeInterval(origin + 30 * step + 10)) }

  private func assertion(_ kind: String, _ code: Int64) throws -> MultiFactorAssertion {
    switch kind {
    case "hotp":
      HOTPMultiFactorGenerator.assertionForSignIn(
        withEnrollmentID: "token", oneTimePassword: try token.code(counter: UInt64(code)).description)
    case "recovery": RecoveryCodeMultiFactorGenerator.assertionForSignIn(recoveryCode: recoveryCode)
    default:
      // A wrong code is one of a much later step.
      TOTPMultiFactorGenerator.assertionForSignIn(
        withEnrollmentID: "app",
        oneTimePassword: try app.code(at: Self.origin + 30 * (kind == "totp" ? code : 9999)).description)
    }
  }

  private func resolver(_ auth: MultiFactorAuth) async throws -> MultiFactorResolver {
    let error = await authError { try await auth.signIn(Host.alice, firstFactor: .password) }
    return try #require(error?.resolver)
  }

  /// Lets a sign-in read and check, for the first time or again.
  private mutating func read(_ host: Int, at step: Int64) async throws {
    servers[host].clock.now = Self.date(step)
    if servers[host].isRefused {
      servers[host].isRefused = false
      servers[host].store.proceed(.readAgain)
    } else {
      let assertion = try #require(servers[host].offer)
      let resolver = try await resolver(servers[host].auth)
      servers[host].signIn = Task { try await resolver.resolveSignIn(with: assertion) }
    }
    servers[host].isUnchanged = await servers[host].store.nextReport() == .unchanged
  }

  private func proceed(_ host: Int, _ command: SteppedStore.Command, until expected: SteppedStore.Report) async throws {
    if servers[host].isUnchanged { throw Difference(description: "nothing is to be written") }
    servers[host].store.proceed(command)
    let report = await servers[host].store.nextReport()
    if report != expected { throw Difference(description: "\(String(describing: report)), not \(expected)") }
  }

  private mutating func finish(_ host: Int, expecting expected: String) async throws {
    if !servers[host].isUnchanged { servers[host].store.proceed(.finish) }
    let outcome = try await outcome(host)
    guard outcome == expected else { throw Difference(description: "answered \(outcome), by the model \(expected)") }
  }

  private mutating func breakOff(_ host: Int) async throws {
    if !servers[host].isUnchanged { servers[host].store.proceed(.breakOff) }
    let outcome = try await outcome(host)
    guard servers[host].isUnchanged || outcome == "internalError" else {
      throw Difference(description: "answered \(outcome), although the store was not done")
    }
  }

  /// The answer to a sign-in, in the model's words.
  private mutating func outcome(_ host: Int) async throws -> String {
    let signIn = try #require(servers[host].signIn)
    servers[host].signIn = nil
    servers[host].isRefused = false
    switch await errorCode({ try await signIn.value }) {
    case nil: return "accepted"
    case .invalidVerificationCode: return "rejected"
    case .tooManyRequests: return "waits"
    case let code?: return "\(code)"
    }
  }

  private func document() async throws -> [UInt8]? { try await shared.withLock { $0 }.document(Self.key) }

  private func replace(with document: [UInt8]?) async throws {
    try await shared.withLock { $0 }.update(Self.key) { $0 = document }
  }

  private mutating func copy() async throws {
    let new = InMemoryFactorStore()
    try await shared.withLock { $0 }.copy(to: new, keyring: keyring)
    shared.withLock { $0 = new }
    standby = try await document()
  }

  /// Compares what the store holds: the last step, the last loss, the next counter, failures, and the recovery code.
  private func compare(_ expected: [Int]) async throws {
    let id = Host.alice.id
    let account: Account = try await servers[0].auth.context.documents.read(.user(id))
    let app = try #require(account.factors.first { $0.uid == "app" }?.record)
    let token = try #require(account.factors.first { $0.uid == "token" }?.record)
    let found = [
      0, max(0, Int(app.lastAccepted ?? 0) - Int(Self.origin / 30)),
      app.lossTime.map { Int(($0 - Self.origin) / 30) } ?? 0,
      Int(token.nextCounter ?? 0), Int(account.failures), account.recoveryCodes.contains(1) ? 0 : 1,
    ]
    guard found == expected else { throw Difference(description: "the store holds \(found), by the model \(expected)") }
  }
}
