import Foundation
import MultiFactor
import Synchronization

/// The whole emulator: projects with their users, the clock, and their second factors.
///
/// Accounts change under one lock, second factors in `MultiFactor`'s transactions. An operation that needs both reads
/// the account again after `MultiFactor` returns. With a data folder, changes are written before the request is
/// answered: see ``Journal``.
final class Emulator: Sendable {
  /// A project, or a tenant of one.
  struct Realm: Sendable {
    var config: ProjectConfig { didSet { isConfigChanged = true } }
    var directory = Directory()
    /// Whether the configuration must be written, as for a new realm.
    private var isConfigChanged = true

    init(config: ProjectConfig) { self.config = config }

    /// What has changed since the last call.
    mutating func takeChanges(_ name: RealmName) -> [Change] {
      if isConfigChanged { directory.changes.put(.config, "", config) }
      isConfigChanged = false
      return directory.changes.take(of: name)
    }
  }

  struct Project: Sendable {
    var realm = Realm(config: .standard)
    var tenants: [String: Realm] = [:]
  }

  struct State: Sendable {
    var projects: [String: Project] = [:]

    subscript(name: RealmName) -> Realm {
      _read {
        yield name.tenant.map { projects[name.project]?.tenants[$0] ?? Realm(config: .standardTenant) }
          ?? projects[name.project]?.realm ?? Realm(config: .standard)
      }
      _modify {
        if let tenant = name.tenant {
          yield &projects[name.project, default: Project()].tenants[tenant, default: Realm(config: .standardTenant)]
        } else {
          yield &projects[name.project, default: Project()].realm
        }
      }
    }

    /// Marks a user as having factors; returns whether there is such a user.
    mutating func marksFactors(of user: (realm: RealmName, localID: String)) -> Bool {
      guard let account = self[user.realm].directory.account(user.localID) else { return false }
      if !account.hadFactors {
        _ = try? self[user.realm].directory.change(user.localID) { $0.hadFactors = true }
      }
      return true
    }

    /// Adds an entry of the data folder.
    mutating func restore(
      _ realm: RealmName, _ kind: Change.Kind?, _ name: String, _ value: Data, _ decoder: JSONDecoder
    ) throws {
      func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.decode(type, from: value) }
      switch kind {
      case .config: self[realm].config = try decoded(ProjectConfig.self)
      case .account: try self[realm].directory.put(decoded(Account.self))
      case .oobCode: self[realm].directory.add(try decoded(Directory.OOBCode.self))
      case .verificationCode: self[realm].directory.add(try decoded(Directory.VerificationCode.self))
      case .temporaryProof: self[realm].directory.add(proof: name, of: try decoded(String.self))
      case nil: throw CocoaError(.coderReadCorrupt)
      }
      _ = self[realm].takeChanges(realm)
    }
  }

  /// The project of requests that do not name one.
  let defaultProject: String
  /// Whether to omit what production does but Google's emulator does not.
  let isLikeGoogle: Bool
  let clock = Clock()
  let secondFactors: SecondFactors
  private let state: Mutex<State>
  /// What writes the data folder; `nil` if there is none.
  private let journal: Journal?

  init(
    defaultProject: String, isLikeGoogle: Bool, state: State = State(), store: any FactorStore, keyring: Keyring,
    journal: Journal? = nil
  ) {
    self.defaultProject = defaultProject
    self.isLikeGoogle = isLikeGoogle
    self.state = Mutex(state)
    self.journal = journal
    secondFactors = SecondFactors(store: store, keyring: keyring, clock: clock, isLikeGoogle: isLikeGoogle)
  }

  var now: Date { clock.now }

  /// Runs a request. What it changes is kept in the data folder when this returns.
  func transaction<R: Sendable>(_ body: () async throws -> R) async throws -> R {
    guard let journal else { return try await body() }
    return try await journal.transaction(body)
  }

  /// Prints what a real service would send, once it is kept.
  func say(_ line: String) {
    guard let journal else { return Console.print(line) }
    journal.add(line)
  }

  /// Accesses a request's project or tenant. An unknown project or tenant is created.
  func withRealm<R: Sendable>(of call: Call, _ body: (inout Realm) throws(APIError) -> R) throws(APIError) -> R {
    try withRealm(call.project, call.tenant, body)
  }

  func withRealm<R: Sendable>(
    _ project: String, _ tenant: String?, _ body: (inout Realm) throws(APIError) -> R
  ) throws(APIError) -> R {
    let name = RealmName(project: project, tenant: tenant)
    return try state.withLock { (state) throws(APIError) -> R in
      defer {
        // While the state is locked, so that the journal has the changes in their order.
        let changes = state[name].takeChanges(name)
        journal?.add(changes)
      }
      return try body(&state[name])
    }
  }

  func withDirectory<R: Sendable>(
    of call: Call, _ body: (inout Directory) throws(APIError) -> R
  ) throws(APIError) -> R {
    try withRealm(of: call) { (realm) throws(APIError) in try body(&realm.directory) }
  }

  /// The projects, each with its tenants after it.
  func realmNames() -> [RealmName] {
    state.withLock { state in
      state.projects.sorted { $0.key < $1.key }.flatMap { project, content in
        [RealmName(project: project, tenant: nil)]
          + content.tenants.keys.sorted().map { RealmName(project: project, tenant: $0) }
      }
    }
  }

  func tenants(of project: String) -> [String: Realm] { state.withLock { $0.projects[project]?.tenants ?? [:] } }

  func removeTenant(_ tenant: String, of project: String) {
    state.withLock { state in
      journal?.add([Change(subject: .all(RealmName(project: project, tenant: tenant), nil), value: nil)])
      state.projects[project]?.tenants[tenant] = nil
    }
  }

  func config(of call: Call) throws(APIError) -> ProjectConfig {
    try withRealm(of: call) { (realm) throws(APIError) in realm.config }
  }

  /// For a request to a tenant, checks that sign-in is not disabled, and that a sign-in method is allowed.
  func checkIsEnabled(_ call: Call, _ way: String? = nil, otherwise code: String = "OPERATION_NOT_ALLOWED")
    throws(APIError)
  {
    guard call.tenant != nil, !call.isOwn else { return }
    let config = try config(of: call)
    if config.allows("disableAuth") { throw APIError("PROJECT_DISABLED") }
    if let way, !config.allows(way) { throw APIError(code) }
  }
}

/// Standard output. Each line is visible at once, in a file or through a pipe too.
enum Console {
  static func print(_ line: String) {
    Swift.print(line)
    fflush(nil)
  }

  /// Prints a line to standard error.
  static func warn(_ line: String) { FileHandle.standardError.write(Data("Warning: \(line)\n".utf8)) }
}
