import Foundation
import MultiFactor
import Synchronization

/// The whole emulator: projects with their users, the clock, and their second factors.
///
/// Accounts change under one lock, second factors in `MultiFactor`'s transactions. An operation that needs both reads
/// the account again after `MultiFactor` returns.
final class Emulator: Sendable {
  /// A project, or a tenant of one.
  struct Realm: Sendable {
    var config: ProjectConfig
    var directory = Directory()
  }

  struct Project: Sendable {
    var realm = Realm(config: .standard)
    var tenants: [String: Realm] = [:]
  }

  /// The project of requests that do not name one.
  let defaultProject: String
  let clock = Clock()
  let secondFactors: SecondFactors
  private let projects = Mutex<[String: Project]>([:])

  init(defaultProject: String) async throws {
    self.defaultProject = defaultProject
    secondFactors = try await SecondFactors(clock: clock)
  }

  var now: Date { clock.now }

  /// Accesses a request's project or tenant. An unknown project or tenant is created.
  func withRealm<R: Sendable>(of call: Call, _ body: (inout Realm) throws(APIError) -> R) throws(APIError) -> R {
    try withRealm(call.project, call.tenant, body)
  }

  func withRealm<R: Sendable>(
    _ project: String, _ tenant: String?, _ body: (inout Realm) throws(APIError) -> R
  ) throws(APIError) -> R {
    try projects.withLock { (projects) throws(APIError) -> R in
      guard let tenant else { return try body(&projects[project, default: Project()].realm) }
      return try body(
        &projects[project, default: Project()].tenants[tenant, default: Realm(config: .standardTenant)])
    }
  }

  func withDirectory<R: Sendable>(
    of call: Call, _ body: (inout Directory) throws(APIError) -> R
  ) throws(APIError) -> R {
    try withRealm(of: call) { (realm) throws(APIError) in try body(&realm.directory) }
  }

  /// A request's project or tenant, at one moment.
  func realm(of call: Call) throws(APIError) -> Realm { try withRealm(of: call) { $0 } }

  func directory(of call: Call) throws(APIError) -> Directory { try realm(of: call).directory }

  func config(of call: Call) throws(APIError) -> ProjectConfig { try realm(of: call).config }

  /// Requests by the emulator itself to each project, and after it to its tenants.
  func allRealms() -> [Call] {
    projects.withLock { $0 }.sorted { $0.key < $1.key }.flatMap { project, content in
      ([nil] + content.tenants.keys.sorted()).map { Call(owner: project, tenant: $0, body: [:]) }
    }
  }

  func tenants(of project: String) -> [String: Realm] { projects.withLock { $0[project]?.tenants ?? [:] } }

  func removeTenant(_ tenant: String, of project: String) {
    projects.withLock { $0[project]?.tenants[tenant] = nil }
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
