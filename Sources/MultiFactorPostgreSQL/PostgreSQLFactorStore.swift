#if PostgreSQL
import Foundation
import MultiFactor

/// A store in a PostgreSQL database, 15 or later, which many machines can use at once.
///
/// A change is written if the document still is the one that was read, and runs again if another machine was first. It is
/// durable when the update returns, on the synchronous standbys too if the server has any. Changes that wait for a
/// connection share one statement and one commit.
///
/// If the connection breaks while a change is being committed, the update throws `outcomeUnknown`, and the change is not
/// run again: a code may have been spent in vain, and is never accepted twice. If there is no server that can be written
/// to, calls wait for one, as while a standby is being promoted, and then throw.
///
/// Every function throws ``PostgreSQLFactorStoreError`` or what `change` has thrown, and nothing else. An update whose task
/// is cancelled is made all the same. No task's own thread is ever blocked.
public final class PostgreSQLFactorStore: FactorStore {
  /// How a store uses its server.
  public struct Configuration: Sendable, Hashable {
    /// The schema that the store has for itself: 1...63 letters `a`...`z`, digits and `_`.
    public var schema = "otp"
    /// How many connections the store opens at most, each with a thread of its own, as they are needed: 1...64.
    public var connections = 4
    /// How many calls may wait for a connection: 1 or more. Further ones throw `overloaded`.
    public var maximumWaiting = 10_000
    /// How long a call waits for a connection, in seconds: 0.1...3600.
    public var waitingSeconds = 5.0
    /// How long the store tries to connect to one host, in seconds: 0.1...3600.
    public var connectSeconds = 3.0
    /// How long the server may take for one statement, and wait for a lock, in seconds: 0.1...3600. An answer that is a
    /// quarter of that late is not waited for.
    public var statementSeconds = 4.0
    /// Whether statements are prepared, and the timeouts are set for the session.
    ///
    /// Pass `false` behind PgBouncer in transaction mode, which lends another session to each transaction. Set
    /// `lock_timeout` and `statement_timeout` by `ALTER ROLE` there.
    public var preparesStatements = true
    /// Whether a commit may return before it is durable: whether the server's `synchronous_commit` may be below `on`. A
    /// server that crashes can then accept a code again.
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

  /// When the store has noticed that a standby was promoted though no commit had waited for one: the documents may have
  /// gone back in time. `nil` if it never has.
  ///
  /// Each connection notices as it is made: the store cannot when a pooler changes servers behind it.
  public var lossDate: Date? { server.lossDate.withLock { $0 } }

  /// A store. It connects when it is used first.
  ///
  /// - Parameters:
  ///   - url: A connection string or URL, as libpq has them:
  ///     `postgresql://otp@db1,db2/otp?sslrootcert=/etc/ssl/db.pem&channel_binding=require`. Of several hosts the first
  ///     is used that can be written to; a standby never is. Unless it says otherwise, `sslmode` is `verify-full`. Leave
  ///     the password to `PGPASSFILE`, or to a client's certificate.
  ///   - createIfMissing: Whether a missing store is set up in the database, by the role that the URL names. A wrong
  ///     database is then a store without users, whose second factors are all off: pass `true` only to set up a store.
  ///   - configuration: How the store uses its server.
  /// - Throws: ``PostgreSQLFactorStoreError`` with `invalidURL`, also for a configuration out of its ranges. What is wrong
  ///   with the server, the first use throws.
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

  /// Sets a store up in a database, or brings it to this version; what is there already, stays.
  ///
  /// - Parameters:
  ///   - url: As for the store, with a role that may create a schema in the database.
  ///   - role: The role by which the service uses the store. It gets the rights to read and write documents, and no
  ///     other; `nil` for none.
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

  /// What the server's clock says: see `FactorStore.serverDate()`.
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

/// The store's name while its trait is off, so that the compiler says what is missing. It stands for a type that is a
/// store too, or an error about that would hide this one.
@available(*, unavailable, message: "needs swift-otp's trait PostgreSQL: .package(…, traits: [\"PostgreSQL\"])")
public typealias PostgreSQLFactorStore = InMemoryFactorStore

extension InMemoryFactorStore {
  /// The initializer that goes with that name.
  @available(*, unavailable, message: "PostgreSQLFactorStore(url:createIfMissing:) needs swift-otp's trait PostgreSQL")
  public convenience init(url: String, createIfMissing: Bool = false) throws { self.init() }
}

/// The error's name while the trait is off.
@available(*, unavailable, message: "needs swift-otp's trait PostgreSQL: .package(…, traits: [\"PostgreSQL\"])")
public struct PostgreSQLFactorStoreError: Error {}
#endif
