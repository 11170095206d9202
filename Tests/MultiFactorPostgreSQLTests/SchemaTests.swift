#if PostgreSQL
import Foundation
import Keyring
import MultiFactor
import Testing

@testable import MultiFactorPostgreSQL

@Suite struct SchemaTests {
  private func create(_ database: Database, _ settings: String = "", to role: String? = nil) async throws {
    try await PostgreSQLFactorStore.create(
      url: "\(database.url) \(settings)", grantingTo: role, configuration: database.configuration())
  }

  @Test func `a missing store is an error, and a store is created only on request, once`() async throws {
    let database = try Database()
    let store = try database.store(creating: false)
    #expect(await kind { try await store.document(.sample) } == .missing)
    #expect(await kind { try await store.append() } == .missing)
    try await create(database)
    #expect(try await store.append() == 1)
    #expect(await kind { try await create(database) } == .exists)
    #expect(try await store.append() == 2)
  }

  @Test func `of many processes that create one store at once, one does`() async throws {
    let database = try Database()
    let kinds = await withTaskGroup(of: FactorStoreError.Kind?.self) { group in
      for _ in 0..<8 { group.addTask { await kind { try await create(database) } } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(kinds.count { $0 == nil } == 1)
    #expect(kinds.count { $0 == .exists } == 7)
    #expect(try await database.store(creating: false).append() == 1)
  }

  @Test func `the service's role can use the store, but neither create nor change its tables`() async throws {
    let database = try Database()
    let role = "role \"\(database.schema)"
    let quoted = "\"role \"\"\(database.schema)\""
    try database.run("CREATE ROLE \(quoted) LOGIN")
    let settings = "user='\(role)'"
    let service = try database.store(settings, creating: false)
    #expect(await kind { try await service.document(.sample) } == .missing)
    #expect(await kind { try await create(database, settings) } == .forbidden)
    try await create(database)
    #expect(await kind { try await service.document(.sample) } == .forbidden)
    try database.run("DROP SCHEMA \(database.schema) CASCADE")
    try await create(database, to: role)
    #expect(try await service.append() == 1)
    try await service.update(.sample) { $0 = nil }
    #expect(try await service.keys(after: nil, limit: 1) == [])
    let rights = try database.run(
      """
      SELECT has_schema_privilege('\(role)', '\(database.schema)', 'CREATE'),
        has_table_privilege('\(role)', '\(database.schema).documents', 'TRUNCATE'),
        has_table_privilege('\(role)', '\(database.schema).format', 'UPDATE')
      """)
    for column in 0..<3 { #expect(!rights.isTrue(0, column)) }
    try database.run("DROP OWNED BY \(quoted)")
    try database.run("DROP ROLE \(quoted)")
  }

  @Test func `an owner of an empty schema sets up the store without rights on the database`() async throws {
    let database = try Database()
    let owner = "\(database.schema)_owner"
    try database.run("CREATE ROLE \(owner) LOGIN")
    let settings = "user=\(owner)"
    #expect(await kind { try await create(database, settings) } == .forbidden)
    try database.run("CREATE SCHEMA \(database.schema) AUTHORIZATION \(owner)")
    try await create(database, settings)
    #expect(try await database.store(settings, creating: false).append() == 1)
    try database.run("DROP OWNED BY \(owner)")
    try database.run("DROP ROLE \(owner)")
  }

  @Test func `a newer version and another program's tables are refused, and stay as they are`() async throws {
    let newer = try Database()
    _ = try await newer.filled()
    try newer.run("UPDATE \(newer.schema).format SET version = version + 1")
    #expect(await kind { try await newer.store().append() } == .newerVersion)
    #expect(await kind { try await create(newer) } == .newerVersion)

    for sql in [
      "documents (a int)", "format (a int)", "format (application text, version bigint)",
      "format (application, version) AS VALUES ('another', 1)",
      """
      format (application, version, identity, timeline, lost)
      AS VALUES ('another', 1::bigint, gen_random_uuid(), '00000000', now())
      """,
    ] {
      let foreign = try Database()
      try foreign.run("CREATE SCHEMA \(foreign.schema)")
      try foreign.run("CREATE TABLE \(foreign.schema).\(sql)")
      let opened = await kind { try await foreign.store(creating: false).append() }
      #expect(opened == (sql.hasPrefix("documents") ? .missing : .foreign), "\(sql)")
      #expect(await kind { try await create(foreign) } == .foreign, "\(sql)")
      let tables = try foreign.run("SELECT count(*) FROM pg_tables WHERE schemaname = '\(foreign.schema)'")
      #expect(tables.integer(0, 0) == 1)
    }
  }

  @Test func `each new timeline counts as a loss, dated by the clock that is ahead`() async throws {
    let database = try Database()
    let role = "role_\(database.schema)"
    try database.run("CREATE ROLE \(role) LOGIN")
    let before = Date.now
    try await create(database, to: role)
    func lossDate() async throws -> Date? {
      let store = try database.store("user=\(role)", creating: false)
      _ = try await store.document(.sample)
      return store.lossDate
    }
    #expect(try await lossDate() == nil)
    // As if a standby had been promoted since.
    try database.run("UPDATE \(database.schema).format SET timeline = '00000000'")
    let date = try #require(try await lossDate())
    #expect(date > before && date < .now + 1)
    // From then on all machines know.
    #expect(try await lossDate() == date)

    // This host's clock is ahead of the server's, or behind it.
    let schema = try Schema(database.schema)
    // A clock that is wrong by years spends the codes of an hour.
    for (hostLead, lead) in [(200.0, 200.0), (-200, 0), (1e9, 3600)] {
      try database.run("UPDATE \(database.schema).format SET timeline = '00000000', lost = NULL")
      let now = Date.now
      let (_, date, _) = try schema.findLoss(
        database.connection(), at: now + hostLead, until: .now + .seconds(Database.patience))
      #expect(try abs(#require(date).timeIntervalSince(now) - lead) < 10)
    }
    // A server that knew the old timeline dates the new one itself, even if another has noticed first.
    let server = try PostgreSQLFactorStore.server(database.url, database.configuration())
    server.loss.withLock { $0.timeline = "00000000" }
    try database.run("UPDATE \(database.schema).format SET lost = now() - interval '200s'")
    _ = try server.connect()
    let dated = try #require(server.loss.withLock { $0.date })
    #expect(abs(dated.timeIntervalSinceNow) < 10)
    // And never dates it back.
    try database.run("UPDATE \(database.schema).format SET lost = NULL")
    _ = try server.connect()
    #expect(server.loss.withLock { $0.date } == dated)

    // A loss is dated later than the one before it, which may have been dated by a clock that was ahead.
    let earlier = try database.run(
      """
      UPDATE \(database.schema).format
      SET timeline = '00000000', lost = date_trunc('milliseconds', now()) + interval '1 hour'
      RETURNING (extract(epoch FROM lost) * 1000)::bigint
      """)
    let milliseconds = try #require(earlier.integer(0, 0))
    #expect(try await #require(lossDate()).timeIntervalSince1970 * 1000 > Double(milliseconds) + 0.5)
    try database.run("DROP OWNED BY \(role)")
    try database.run("DROP ROLE \(role)")
  }

  @Test func `neither a read nor a write continues on another timeline of the same connection`() async throws {
    // As if a pooler had switched servers.
    let database = try Database()
    let server = try PostgreSQLFactorStore.server(database.url, database.configuration())
    _ = try await database.filled()
    nonisolated(unsafe) let connection = try server.connect()
    let timeline = unsafe connection.timeline
    func run(
      _ key: DocumentKey = .sample, _ change: @escaping @Sendable (inout StoredDocument) -> Void
    ) -> (again: Int, isConnected: Bool) {
      let batch = Batch.run(key, on: server, unsafe connection) { stored in
        change(&stored)
        return {}
      }
      return (batch.again.count, batch.isConnected)
    }
    unsafe connection.timeline = "00000000"
    #expect(run { _ in Issue.record("it was read") } == (1, false))
    unsafe connection.timeline = timeline
    @Sendable func rename(_ timeline: String) {
      #expect(throws: Never.self) { try database.run("UPDATE \(database.schema).format SET timeline = '\(timeline)'") }
    }
    // Another server, whose store has not noticed its timeline, or has noticed one of the same number.
    for (byte, name) in [(UInt8(2), "00000000"), (3, "\(timeline.prefix(8))-another")] {
      // After the read of an update, a deletion and an insertion.
      for (key, bytes) in [(.sample, [9]), (.sample, nil), (DocumentKey(number: 1), [9])] as [(DocumentKey, [UInt8]?)] {
        let outcome = run(key) { stored in
          rename(name)
          stored.bytes = bytes
        }
        #expect(outcome == (1, true))
        rename(timeline)
      }
      #expect(run { $0.bytes = [byte] } == (0, true))
      rename(name)
      // Its document is known, and is read again once it was not written.
      #expect(run { $0.bytes = [9] } == (1, true))
      #expect(run { _ in Issue.record("it was read") } == (1, false))
      #expect(try database.run("SELECT document FROM \(database.schema).documents").bytes(0, 0) == [byte])
      rename(timeline)
    }
    #expect(try await database.store().keys(after: nil, limit: 9) == [.sample])
  }

  @Test func `a connection is not used once its server can lose acknowledged commits`() async throws {
    let database = try Database()
    _ = try await database.filled()
    // Of the tests' server, which has fsync off, as if it had been on.
    let connection = try PostgreSQLFactorStore.server(database.url, database.configuration()).connect()
    let strict = try PostgreSQLFactorStore.server(
      database.url, database.configuration { $0.requiresDurability = true })
    strict.loss.withLock { $0.timeline = connection.timeline }
    let kinds = Locked<[FactorStoreError.Kind]>([])
    let batch = Batch.run(on: strict, connection, fail: { error in kinds.withLock { $0.append(error.kind) } }) { _ in
      Issue.record("it was read")
      return {}
    }
    #expect(kinds.withLock { $0 } == [.notDurable])
    #expect(!batch.isConnected)

    // A document that is known need not be read, and is not written either.
    let rows = try database.run("SELECT version, document FROM \(database.schema).documents")
    let version = try #require(rows.integer(0, 0))
    strict.memory.withLock { $0.note(rows.bytes(0, 1), version, under: .sample) }
    let known = Batch.run(on: strict, connection) { stored in
      #expect(stored.bytes == [1])
      stored.bytes = [2]
      return { Issue.record("it was answered") }
    }
    #expect(known.answers.isEmpty && known.again.count == 1)
    #expect(try await database.store().document(.sample) == [1])
  }

  @Test func `reading a row that the store never writes is an error`() async throws {
    let database = try Database()
    let store = try await database.filled()
    try database.run("INSERT INTO \(database.schema).documents VALUES ('', 1, '')")
    #expect(try await store.keys(after: nil, limit: 9) == [.sample])
    try database.run("INSERT INTO \(database.schema).documents VALUES (decode(repeat('61', 513), 'hex'), 1, '')")
    #expect(await kind { try await store.keys(after: nil, limit: 9) } == .corrupt)
  }
}
#endif
