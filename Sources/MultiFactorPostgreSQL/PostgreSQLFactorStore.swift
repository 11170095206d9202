#if PostgreSQL
import Foundation
import MultiFactor

/// A store in a PostgreSQL database, 15 or later, which many machines can use at once.
///
/// A change is written if the document is still the one that was read, and runs again if another machine was first. It
/// is durable when the update returns, including on synchronous standbys if the server has any. Changes that wait for a
/// connection share one statement and one commit.
///
/// If the connection breaks while a change is being committed, the update throws `outcomeUnknown`, and the change is
/// not run again: a code may have been spent, but is never accepted twice. If no server accepts writes, for example
/// while a standby is being promoted, calls wait for one, and eventually throw.
///
/// Every function throws only ``PostgreSQLFactorStoreError`` or what `change` throws. An update is made even if its
/// task is cancelled. Tasks' own threads are never blocked.
public final class PostgreSQLFactorStore: FactorStore {
  /// How a store uses its server.
  public struct Configuration: Sendable, Hashable {
    /// The schema for the store's exclusive use: 1...63 letters `a`...`z`, digits and `_`.
    public var schema = "otp"
    /// The maximum number of connections, each with its own thread, opened as needed: 1...64.
    public var connections = 4
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
    /// Whether a commit may return before it is durable: whether the server's `synchronous_commit` may be below `on`.
    /// After a crash of the server, a code can then be accepted again.
    public var allowsAsynchronousCommit = false

    /// The defaults.
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

  /// When the store noticed that a standby was promoted although commits had not waited for one: the documents may have
  /// gone back in time. `nil` if that never happened.
  ///
  /// The store checks this for each new connection: it cannot notice if a pooler switches servers.
  public var lossDate: Date? { server.lossDate.withLock { $0 } }

  /// A store. It connects on first use.
  ///
  /// - Parameters:
  ///   - url: A connection string or URL in libpq's format:
  ///     `postgresql://otp@db1,db2/otp?sslrootcert=/etc/ssl/db.pem&channel_binding=require`. Of several hosts, the
  ///     first that accepts writes is used, never a standby. The default `sslmode` is `verify-full`. Use `PGPASSFILE`
  ///     for the password, or a client certificate instead.
  ///   - createIfMissing: Whether a missing store is set up in the database, by the URL's role. A wrong database then
  ///     yields a store without users, which turns all second factors off: pass `true` only to set up a store.
  ///   - configuration: How the store uses its server.
  /// - Throws: ``PostgreSQLFactorStoreError`` with `invalidURL`, also for a configuration out of range. Errors of the
  ///   server are thrown on first use.
  public init(url: String, createIfMissing: Bool = false, configuration: Configuration = Configuration()) throws {
    let server = try Self.server(url, createIfMissing: createIfMissing, configuration)
    self.configuration = configuration
    self.server = server
    queue = RequestQueue(configuration) { queue in
      Thread.detachNewThread { Worker(server: server, queue: queue).run() }
    }
  }

  deinit { queue.close() }

  private static func server(
    _ url: String, createIfMissing: Bool, _ configuration: Configuration
  ) throws(PostgreSQLFactorStoreError) -> Server {
    guard configuration.isValid else { throw PostgreSQLFactorStoreError(.invalidURL) }
    return try Server(
      parameters: ConnectionParameters(url), schema: Schema(configuration.schema), configuration: configuration,
      createIfMissing: createIfMissing)
  }

  /// Sets up a store in a database, or checks the one that exists, whose documents are kept.
  ///
  /// - Parameters:
  ///   - url: As for the store, but with a role that may create a schema in the database.
  ///   - role: The role with which the service uses the store, which is granted only what it needs to read and write
  ///     documents; `nil` for none.
  ///   - configuration: As for the store.
  /// - Throws: ``PostgreSQLFactorStoreError``.
  public static func migrate(
    url: String, grantingTo role: String? = nil, configuration: Configuration = Configuration()
  ) async throws {
    let server = try server(url, createIfMissing: false, configuration)
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      Thread.detachNewThread { continuation.resume(with: Result { try server.migrate(grantingTo: role) }) }
    }
  }

  private var deadline: ContinuousClock.Instant { .now + .seconds(configuration.waitingSeconds) }

  /// See `FactorStore.document(_:)`.
  public func document(_ key: DocumentKey) async throws -> [UInt8]? { try await update(key) { $0 } }

  /// See `FactorStore.update(_:_:)`.
  public func update<R: Sendable>(
    _ key: DocumentKey, _ change: @escaping @Sendable (inout [UInt8]?) throws -> R
  ) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      queue.enqueue(
        Request(
          key: key, deadline: deadline,
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
  /// A placeholder for the initialiser.
  @available(*, unavailable, message: "PostgreSQLFactorStore(url:createIfMissing:) needs swift-otp's trait PostgreSQL")
  public convenience init(url: String, createIfMissing: Bool = false) throws { self.init() }
}

/// A placeholder for the error type.
@available(*, unavailable, message: "needs swift-otp's trait PostgreSQL: .package(…, traits: [\"PostgreSQL\"])")
public struct PostgreSQLFactorStoreError: Error {}
#endif
