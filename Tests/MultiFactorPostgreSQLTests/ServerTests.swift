#if PostgreSQL
import Foundation
import Keyring
import MultiFactor
import Testing

@testable import MultiFactorPostgreSQL

@Suite struct ServerTests {
  @Test func `the time comes from the server's clock`() async throws {
    let database = try Database()
    let store = try database.store()
    func now() throws -> TimeInterval {
      let rows = try database.run("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
      return try TimeInterval(#require(rows.integer(0, 0))) / 1000
    }
    let before = try now()
    let date = try #require(await store.serverDate())
    #expect(try before...now() ~= date.timeIntervalSince1970)
  }

  @Test func `a connection that breaks before anything was written is replaced`() async throws {
    let database = try Database()
    let store = try database.store("application_name=\(database.schema)")
    for count in 1...3 {
      #expect(try await store.append() == count)
      try database.terminate()
    }
    #expect(try await store.keys(after: nil, limit: 9) == [.sample])
  }

  @Test func `a connection that breaks during a commit leaves the outcome unknown, and the change does not run again`()
    async throws
  {
    let database = try Database()
    _ = try await database.filled()
    let store = try database.store("application_name=\(database.schema)")
    _ = try await store.document(.sample)
    let runs = Locked(0)
    let holder = try database.hold()
    let update = Task {
      await kind {
        try await store.update(.sample) { document in
          document = [2]
          runs.withLock { $0 += 1 }
        }
      }
    }
    while try database.waiting == 0 { await Task.yield() }
    try database.terminate()
    #expect(await update.value == .outcomeUnknown)
    try holder.release()
    #expect(try await store.append() == 2)
    #expect(runs.withLock { $0 } == 1)
  }

  @Test func `a server that can lose acknowledged commits is refused unless that is allowed`() async throws {
    let database = try Database()
    _ = try await database.filled()
    // This one has fsync off; the check `stores` tries one that has only synchronous_commit off.
    let refused = try database.store { $0.requiresDurability = true }
    #expect(await kind { try await refused.document(.sample) } == .notDurable)
    #expect(await kind { try await refused.append() } == .notDurable)
    try database.run("ALTER TABLE \(database.schema).documents SET UNLOGGED")
    #expect(await kind { try await database.store().append() } == .notDurable)
  }

  @Test func `a read-only server is refused, for reads too`() async throws {
    let database = try Database()
    _ = try await database.filled()
    let store = try database.store("options='-c default_transaction_read_only=on'") { $0.waitingSeconds = 3 }
    #expect(await kind { try await store.document(.sample) } == .readOnly)
    #expect(await kind { try await store.keys(after: nil, limit: 1) } == .readOnly)
  }

  @Test func `a missing server is waited for, and then reported as not answering`() async throws {
    let store = try PostgreSQLFactorStore(
      url: "host=/nonexistent", configuration: Database().configuration { $0.waitingSeconds = 3 })
    #expect(await kind { try await store.document(.sample) } == .unreachable)
  }

  @Test func `of several hosts, the one that answers is used`() async throws {
    let database = try Database()
    let folder = try #require(database.url.split(separator: " ").first).dropFirst("host=".count)
    _ = try database.store()
    let store = try PostgreSQLFactorStore(
      url: "postgresql://otp@/postgres?host=/nonexistent,\(folder)", configuration: database.configuration())
    #expect(try await store.append() == 1)
  }

  @Test func `a timeline that this process has left is refused, and a write on it is not answered`() async throws {
    let database = try Database()
    _ = try await database.filled()
    let server = try PostgreSQLFactorStore.server(database.url, database.configuration())
    let connection = try server.connect()
    let timeline = connection.timeline
    let kinds = Locked<[FactorStoreError.Kind]>([])
    _ = Batch.run(on: server, connection, fail: { error in kinds.withLock { $0.append(error.kind) } }) { stored in
      // Another connection finds a newer primary.
      server.loss.withLock { $0.timeline = "FFFFFFFF" }
      stored.bytes = [2]
      return { Issue.record("it was answered") }
    }
    #expect(kinds.withLock { $0 } == [.outcomeUnknown])
    #expect(!server.isCurrent(connection))
    // Nor is what it reads there.
    let read = Batch.run(mayWrite: false, on: server, connection, fail: { _ in }) { _ in
      { Issue.record("it was answered") }
    }
    #expect(read.again.count == 1)
    #expect(await kind { try server.connect() } == .outdated)
    // One of the same number is left, and then found again.
    let another = "\(timeline.prefix(8))-another"
    server.loss.withLock { $0.timeline = another }
    #expect(await kind { try server.connect() } == nil)
    try database.run("UPDATE \(database.schema).format SET timeline = '\(another)'")
    #expect(await kind { try server.connect() } == .outdated)
    #expect(server.isCurrent(connection))
  }

  @Test func `a missing role is reported as refused, and a missing database as missing`()
    async throws
  {
    let database = try Database()
    let stranger = try database.store("user=nobody_\(database.schema)")
    #expect(await kind { try await stranger.document(.sample) } == .authenticationFailed)
    let elsewhere = try database.store("dbname=nothing_\(database.schema)")
    #expect(await kind { try await elsewhere.document(.sample) } == .missing)
  }

  @Test func `a wrong and a missing password are reported as such, and the right one is accepted`() async throws {
    let database = try Database()
    _ = try await database.filled()
    try database.run("CREATE ROLE \(database.schema) LOGIN PASSWORD 'hunter2' IN ROLE otp_password")
    for password in ["", "password=hunter1", "passfile=/nonexistent"] {
      let store = try database.store("user=\(database.schema) \(password)")
      #expect(await kind { try await store.document(.sample) } == .authenticationFailed, "\(password)")
    }
    let right = try database.store("user=\(database.schema) password=hunter2")
    #expect(await kind { try await right.document(.sample) } == .forbidden)
    // A Unix socket has no TLS channel to bind to.
    let binding = try database.store("user=\(database.schema) password=hunter2 channel_binding=require")
    #expect(await kind { try await binding.document(.sample) } == .authenticationFailed)
    try database.run("DROP ROLE \(database.schema)")
  }

  @Test(arguments: [
    "", "nonsense", "host=a\0b", "host=a,b port=1,2,3", "target_session_attrs=standby",
    "target_session_attrs=any password='", "target_session_attrs=prefer-standby", "sslmode=verify-ful",
  ])
  func `an unusable connection string is refused at once`(url: String) throws {
    if url.isEmpty {
      #expect(throws: Never.self) { try PostgreSQLFactorStore(url: url) }
    } else {
      #expect(throws: FactorStoreError(.invalidConfiguration)) { try PostgreSQLFactorStore(url: url) }
    }
  }

  @Test func `a configuration out of its ranges is refused at once`() throws {
    typealias Change = (inout PostgreSQLFactorStore.Configuration) -> Void
    let changes: [Change] = [
      { $0.schema = "" }, { $0.schema = "a\"b" }, { $0.schema = "A" }, { $0.connections = 0 }, { $0.connections = 65 },
      { $0.maximumWaiting = 0 }, { $0.waitingSeconds = .nan }, { $0.connectSeconds = 0 },
      { $0.statementSeconds = 3601 },
    ]
    for change in changes {
      var configuration = PostgreSQLFactorStore.Configuration()
      change(&configuration)
      #expect(throws: FactorStoreError(.invalidConfiguration)) {
        try PostgreSQLFactorStore(url: "host=/nonexistent", configuration: configuration)
      }
    }
  }

  @Test func `neither errors nor reflection show a password`() async throws {
    let store = try PostgreSQLFactorStore(
      url: "postgresql://otp:hunter2@127.0.0.1:1/db?sslmode=disable",
      configuration: Database().configuration { $0.waitingSeconds = 3 })
    var dumped = ""
    dump(store, to: &dumped)
    do {
      _ = try await store.document(.sample)
      Issue.record("a server has answered")
    } catch {
      dump(error, to: &dumped)
      dumped += "\(error) \(String(reflecting: error)) \(error.localizedDescription)"
    }
    dump(try ConnectionParameters("postgresql://otp:hunter2@127.0.0.1"), to: &dumped)
    #expect(!dumped.contains("hunter2"))
    #expect(dumped.contains("unreachable"))
  }

  @Test func `without sslmode, the server's certificate is verified in full`() throws {
    let parameters = try #require(ConnectionParameters("host=a").hosts.first)
    #expect(parameters.first { $0.keyword == "sslmode" }?.value == "verify-full")
    let other = try #require(ConnectionParameters("host=a sslmode=disable").hosts.first)
    #expect(other.first { $0.keyword == "sslmode" }?.value == "disable")
  }
}

extension Database {
  /// Ends the connections with this application name.
  func terminate() throws {
    try run("SELECT pg_terminate_backend(pid, 600000) FROM pg_stat_activity WHERE application_name = '\(schema)'")
  }
}
#endif
