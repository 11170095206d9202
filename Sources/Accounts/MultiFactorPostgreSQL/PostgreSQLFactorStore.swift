#if PostgreSQL
import Foundation
import MultiFactor

/// A store in a PostgreSQL database, 15 or later, which many machines can use at once.
///
/// A change is written if the document is still the one that was read, by this request or one of the last two minutes,
/// and runs again if another machine was first. It is durable when the update returns, including on synchronous
/// standbys if the server has any. Changes that wait for a connection share one statement and one commit.
///
/// If the connection breaks while a change is being committed, the update throws `outcomeUnknown`, and the change is
/// not run again: a code may have been spent, but is never accepted twice. If no server accepts writes, for example
/// while a standby is being promoted, calls wait for one, and eventually throw.
///
/// Every function throws only `FactorStoreError` or what `change` throws. An update is made even if its
/// task is cancelled. Tasks' own threads are never blocked.
public final class PostgreSQLFactorStore: FactorStore {
  /// How a store uses its server.
  public struct Configuration: Sendable, Hashable {
    /// The schema for the store's exclusive use: 1...63 letters `a`...`z`, digits and `_`.
    public var schema = "otp"
    /// The maximum number of connections, each with its own thread, opened as needed: 1...64. By default one per core
    /// of this machine, but 4 to 16.
    public var connections = max(4, min(ProcessInfo.processInfo.activeProcessorCount, 16))
    /// How many calls may wait for a connection: 1 or more. Further ones throw `overloaded`.
    public var maximumWaiting = 10_000
    /// How long a call waits for a connection, in seconds: 0.1...3600.
    public var waitingSeconds = 5.0
    /// How long the store tries to connect to one host, in seconds: 0.1...3600.
    public var connectSeconds = 3.0
    /// How long the server may take for one statement, and wait for a lock, in seconds: 0.1...3600. The store waits a
    /// quarter longer for the response.
    public var statementSeconds = 4.0
    /// Whether statements are prepared, and the timeouts are set for the session.
    ///
    /// Pass `false` behind PgBouncer in transaction mode, which may use another session for each transaction. Set
    /// `lock_timeout` and `statement_timeout` with `ALTER ROLE` there.
    public var preparesStatements = true
    /// Whether a server is refused that acknowledges a commit before it is durable: its `fsync` is off, or its
    /// `synchronous_commit` is below `on`. If not, a code can be accepted again after a crash of the server.
    public var requiresDurability = true
    /// How long after a response a connection is taken for one that is not lost, in seconds.
    var livelySeconds = 1.0

    /// A configuration with the defaults, to change.
    public init() {}

    fileprivate var isValid: Bool {
      1...64 ~= connections && maximumWaiting >= 1
        && [waitingSeconds, connectSeconds, statementSeconds].allSatisfy { 0.1...3600 ~= $0 }
    }
  }

  /// How the store uses its server.
  public let configuration: Configuration

  let queue: RequestQueue
  private let server: Server

  /// When the latest promotion of a standby, or recovery to an earlier point in time, was first noticed: the documents
  /// may have gone back. `nil` if there was none.
  ///
  /// It does not matter whether a standby had everything: the server's present settings do not show that. Each read and
  /// each write checks the server's timeline, by a name that is drawn when the store first notices it: two standbys of
  /// one primary are promoted to the same number.
  public var lossDate: Date? { server.loss.withLock { $0.date } }

  /// A store that ``create(url:grantingTo:configuration:)`` made. It connects on first use.
  ///
  /// - Parameters:
  ///   - url: A connection string or URL in libpq's format:
  ///     `postgresql://otp@db1,db2/otp?sslrootcert=/etc/ssl/db.pem&channel_binding=require`. Of several hosts, the
  ///     first that accepts writes is used, never a standby, nor one whose timeline this process has left. The
  ///     default `sslmode` is `verify-full`. Use `PGPASSFILE` for the password, or a client certificate instead.
  ///   - configuration: How the store uses its server.
  /// - Throws: `FactorStoreError` with `invalidConfiguration`, also for a configuration out of range. Errors of the
  ///   server are thrown on first use.
  public init(url: String, configuration: Configuration = Configuration()) throws {
    let server = try Self.server(url, configuration)
    self.configuration = configuration
    self.server = server
    queue = RequestQueue(configuration) { queue in
      Thread.detachNewThread { Worker(server: server, queue: queue).run() }
    }
  }

  deinit { queue.close() }

  static func server(_ url: String, _ configuration: Configuration) throws(FactorStoreError) -> Server {
    guard configuration.isValid else { throw FactorStoreError(.invalidConfiguration) }
    return try Server(
      parameters: ConnectionParameters(url), schema: Schema(configuration.schema), configuration: configuration)
  }

  /// Creates an empty store in a database: once, when a service is set up, never at its start. A store without users
  /// turns all second factors off.
  ///
  /// - Parameters:
  ///   - url: As for the store, but with a role that may create a schema in the database.
  ///   - role: The role with which the service uses the store, which is granted only what it needs to read and write
  ///     documents; `nil` for none.
  ///   - configuration: As for the store.
  /// - Returns: The store, with the role that created it.
  /// - Throws: `FactorStoreError`, with `exists` if there already is one.
  @discardableResult
  public static func create(
    url: String, grantingTo role: String? = nil, configuration: Configuration = Configuration()
  ) async throws -> PostgreSQLFactorStore {
    let server = try server(url, configuration)
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      Thread.detachNewThread { continuation.resume(with: Result { try server.create(grantingTo: role) }) }
    }
    return try PostgreSQLFactorStore(url: url, configuration: configuration)
  }

  private var deadline: ContinuousClock.Instant { .now + .seconds(configuration.waitingSeconds) }

  /// See `FactorStore.read(_:)`.
  public func read(_ key: DocumentKey) async throws -> StoredDocument {
    try await request(key, mayWrite: false) { $0 }
  }

  /// See `FactorStore.change(_:_:)`.
  public func change<R: Sendable>(
    _ key: DocumentKey, _ change: @escaping @Sendable (inout StoredDocument) throws -> R
  ) async throws -> R {
    try await request(key, mayWrite: true, change)
  }

  private func request<R: Sendable>(
    _ key: DocumentKey, mayWrite: Bool, _ change: @escaping @Sendable (inout StoredDocument) throws -> R
  ) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      queue.enqueue(
        Request(
          key: key, mayWrite: mayWrite, deadline: deadline,
          make: { document in
            var new = document
            let result = Result { try change(&new) }
            if case .success = result { document = new }
            return { continuation.resume(with: result) }
          },
          fail: { continuation.resume(throwing: $0) }))
    }
  }

  /// See `FactorStore.keys(after:limit:)`.
  public func keys(after key: DocumentKey?, limit: Int) async throws -> [DocumentKey] {
    try await page(after: key, limit: limit).keys
  }

  /// The time by the server's clock: see `FactorStore.serverDate()`.
  public func serverDate() async throws -> Date? { try await page(after: nil, limit: 0).date }

  private func page(after key: DocumentKey?, limit: Int) async throws -> Listing.Page {
    try await withCheckedThrowingContinuation { continuation in
      queue.enqueue(
        Listing(key: key, limit: limit, deadline: deadline) { page in continuation.resume(with: page) })
    }
  }
}
#else
import MultiFactor

/// A placeholder while the trait is off, so that the compiler says what is missing. It stands for a type that is a
/// store; otherwise another error would hide this one.
@available(*, unavailable, message: "needs swift-otp's trait PostgreSQL: .package(…, traits: [\"PostgreSQL\"])")
public typealias PostgreSQLFactorStore = InMemoryFactorStore

extension InMemoryFactorStore {
  /// A placeholder for the initializer.
  @available(*, unavailable, message: "PostgreSQLFactorStore(url:) needs swift-otp's trait PostgreSQL")
  public convenience init(url: String) throws { self.init() }
}
#endif
