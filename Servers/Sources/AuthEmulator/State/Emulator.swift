import Foundation
import MultiFactor
import Synchronization

/// The whole emulator: projects with their users, the time, and what has their second factors.
///
/// Accounts change in one lock; second factors in `MultiFactor`'s transactions. An operation that needs both looks at the
/// account again after `MultiFactor` has answered.
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
    /// How often anything was looked at or changed.
    var changes = 0
  }

  /// The project of requests that name none.
  let defaultProject: String
  /// Whether to leave out what production does and Google's emulator does not.
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
    secondFactors = SecondFactors(store: store, keyring: keyring, clock: clock)
  }

  var now: Date { clock.now }

  /// Everything as of one moment, to be saved.
  var snapshot: State { state.withLock { $0 } }

  /// Works with what a request's project or tenant has. A project that is not known is a new one, and so is a tenant.
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

  /// Checks that the tenant, if it is one, has not switched sign-in off, and allows a way to sign in.
  func checkIsEnabled(_ call: Call, _ way: String? = nil, otherwise code: String = "OPERATION_NOT_ALLOWED")
    throws(APIError)
  {
    guard call.tenant != nil else { return }
    let config = try config(of: call)
    if config.allows("disableAuth") { throw APIError("PROJECT_DISABLED") }
    if let way, !config.allows(way) { throw APIError(code) }
  }
}
