import Foundation
import MultiFactor
import Synchronization

/// The whole emulator: projects with their users, the clock, and their second factors.
///
/// Accounts change under one lock, second factors in `MultiFactor`'s transactions. An operation that needs both reads
/// the account again after `MultiFactor` returns.
final class Emulator: Sendable {
  /// A project, or a tenant of one.
  struct Realm: Sendable, Codable {
    var config: ProjectConfig
    var directory = Directory()
  }

  struct Project: Sendable, Codable {
    var realm = Realm(config: .standard)
    var tenants: [String: Realm] = [:]
  }

  struct State: Sendable, Codable {
    var projects: [String: Project] = [:]
    /// How often anything was read or changed.
    var changes = 0
  }

  /// The project of requests that do not name one.
  let defaultProject: String
  /// Whether to omit what production does but Google's emulator does not.
  let isLikeGoogle: Bool
  let clock = Clock()
  let secondFactors: SecondFactors
  private let state: Mutex<State>

  init(
    defaultProject: String, isLikeGoogle: Bool, state: State = State(), store: any FactorStore, keyring: Keyring
  ) {
    self.defaultProject = defaultProject
    self.isLikeGoogle = isLikeGoogle
    self.state = Mutex(state)
    secondFactors = SecondFactors(store: store, keyring: keyring, clock: clock, isLikeGoogle: isLikeGoogle)
  }

  var now: Date { clock.now }

  /// The state at one moment, for saving.
  var snapshot: State { state.withLock { $0 } }

  /// Accesses a request's project or tenant. An unknown project or tenant is created.
  func withRealm<R: Sendable>(of call: Call, _ body: (inout Realm) throws(APIError) -> R) throws(APIError) -> R {
    try withRealm(call.project, call.tenant, body)
  }

  func withRealm<R: Sendable>(
    _ project: String, _ tenant: String?, _ body: (inout Realm) throws(APIError) -> R
  ) throws(APIError) -> R {
    try state.withLock { (state) throws(APIError) -> R in
      state.changes &+= 1
      guard let tenant else { return try body(&state.projects[project, default: Project()].realm) }
      return try body(
        &state.projects[project, default: Project()].tenants[tenant, default: Realm(config: .standardTenant)])
    }
  }

  func withDirectory<R: Sendable>(
    of call: Call, _ body: (inout Directory) throws(APIError) -> R
  ) throws(APIError) -> R {
    try withRealm(of: call) { (realm) throws(APIError) in try body(&realm.directory) }
  }

  func withProject<R: Sendable>(
    _ name: String, _ body: (inout Project) throws(APIError) -> R
  ) throws(APIError) -> R {
    try state.withLock { (state) throws(APIError) -> R in
      state.changes &+= 1
      return try body(&state.projects[name, default: Project()])
    }
  }

  func config(of call: Call) throws(APIError) -> ProjectConfig {
    try withRealm(of: call) { (realm) throws(APIError) in realm.config }
  }

  /// For a request to a tenant, checks that sign-in is not disabled, and that a sign-in method is allowed.
  func checkIsEnabled(_ call: Call, _ way: String? = nil, otherwise code: String = "OPERATION_NOT_ALLOWED")
    throws(APIError)
  {
    guard call.tenant != nil else { return }
    let config = try config(of: call)
    if config.allows("disableAuth") { throw APIError("PROJECT_DISABLED") }
    if let way, !config.allows(way) { throw APIError(code) }
  }
}
