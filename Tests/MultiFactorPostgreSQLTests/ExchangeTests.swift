#if PostgreSQL
import Foundation
import Keyring
import MultiFactor
import MultiFactorOperations
import Testing

@testable import MultiFactorPostgreSQL

/// A database that is emptied, exchanged or hidden while a server runs on it.
@Suite struct ExchangeTests {
  /// What an administrator, or an accident, has made of the database.
  enum Damage: String, CaseIterable {
    /// Its schema is gone.
    case dropped
    /// Its schema was made again, empty.
    case madeAgain
    /// The schema of another project is in its place.
    case anotherProject
    case truncated
    /// Row-level security hides all documents, or only users' documents.
    case hidden, usersHidden
  }

  /// Whether the exchange is noticed on connections that are open, or at their replacement.
  @Test(arguments: Damage.allCases, [true, false])
  func `on an exchanged database no user signs in, nothing is created, and its contents stay as they were`(
    damage: Damage, isWarm: Bool
  ) async throws {
    let (database, other) = try (Database(), Database())
    let role = "role_\(database.schema)"
    try database.run("CREATE ROLE \(role) LOGIN")
    defer {
      _ = try? database.run("DROP OWNED BY \(role)")
      _ = try? database.run("DROP ROLE \(role)")
    }
    try await PostgreSQLFactorStore.create(
      url: database.url, grantingTo: role, configuration: database.configuration())
    let settings = "user=\(role) application_name=\(database.schema)"
    func server() async throws -> MultiFactorAuth {
      try await MultiFactorAuth(
        configuration: .strict, store: database.store(settings, creating: false), keyring: keyring)
    }
    let keyring = try Keyring()
    try await MultiFactorAuth.createStore(database.store(creating: false), keyring: keyring)
    let auth = try await server()
    try await auth.admin.importFactor(.hotp(secret: .random(for: .sha1)), for: "alice")
    func signIn(_ user: String) async -> AuthError? {
      do {
        _ = try await auth.signIn(Principal(id: user), firstFactor: .password)
        return nil
      } catch {
        return error as? AuthError
      }
    }
    #expect(await signIn("bob") == nil)
    #expect(await signIn("alice")?.code == .secondFactorRequired)

    let schema = database.schema
    switch damage {
    case .dropped: try database.run("DROP SCHEMA \(schema) CASCADE")
    case .madeAgain:
      try database.run("DROP SCHEMA \(schema) CASCADE")
      try await PostgreSQLFactorStore.create(
        url: database.url, grantingTo: role, configuration: database.configuration())
    case .anotherProject:
      try database.run("DROP SCHEMA \(schema) CASCADE")
      try await PostgreSQLFactorStore.create(url: other.url, grantingTo: role, configuration: other.configuration())
      let (store, keyring) = (try other.store(creating: false), try Keyring())
      try await MultiFactorAuth.createStore(store, keyring: keyring)
      _ = try await MultiFactorAuth(configuration: .strict, store: store, keyring: keyring).admin
        .importFactor(.hotp(secret: .random(for: .sha1)), for: "carol")
      try database.run("ALTER SCHEMA \(other.schema) RENAME TO \(schema)")
    case .truncated: try database.run("TRUNCATE \(schema).documents")
    case .hidden, .usersHidden:
      try database.run("ALTER TABLE \(schema).documents ENABLE ROW LEVEL SECURITY")
      if damage == .usersHidden {
        try database.run("CREATE POLICY mark ON \(schema).documents USING (key = 'store')")
      }
    }
    if !isWarm { try database.terminate() }
    func documents() throws -> [UInt8]? {
      try? database.run("SELECT md5(string_agg(key || document, '' ORDER BY key)) FROM \(schema).documents").bytes(0, 0)
    }
    let before = try documents()
    for _ in 0..<3 {
      for user in ["alice", "bob"] {
        let error = await signIn(user)
        #expect(error?.code == .internalError, "\(user)")
        let kinds: [FactorStoreError.Kind] = [.replaced, .missing, .forbidden]
        #expect(error?.reason == .sealing || error?.storeError.map { kinds.contains($0.kind) } == true)
      }
      await #expect(throws: AuthError.self) {
        try await auth.admin.importFactor(.hotp(secret: .random(for: .sha1)), for: "bob")
      }
      await #expect(throws: AuthError.self) { try await auth.admin.deleteUser("bob") }
    }
    #expect(await !auth.health().isReady)
    #expect(try documents() == before)
    // Nor does a server start there.
    await #expect(throws: (any Error).self) { try await server() }
  }

  @Test func `of two stores with one name, a server continues with the one that it found first`() async throws {
    let database = try Database()
    let store = try database.store("application_name=\(database.schema)")
    #expect(try await store.append() == 1)
    let identity = try database.run("SELECT identity FROM \(database.schema).format").bytes(0, 0)
    try database.run("UPDATE \(database.schema).format SET identity = gen_random_uuid()")
    #expect(try database.run("SELECT identity FROM \(database.schema).format").bytes(0, 0) != identity)
    try database.terminate()
    #expect(await kind { try await store.append() } == .replaced)
    #expect(await kind { try await store.document(.sample) } == .replaced)
    #expect(try await database.store(creating: false).append() == 2)
  }
}
#endif
