import CPostgreSQL
import Foundation
import MultiFactor
import MultiFactorPostgreSQL

/// Sign-ins by a second factor on PostgreSQL, and the minimum that its server must do for one, in turn on the same
/// server.
enum PostgreSQLCases {
  static let row = "sign-in, PostgreSQL"
  private static let mostInParallel = 512

  static func all(url: String) -> [Case] {
    [
      Case(name: row) {
        let server = try RawServer(url: url)
        var configuration = PostgreSQLFactorStore.Configuration()
        configuration.schema = server.schema
        let settings = configuration
        _ = try blocking { try await PostgreSQLFactorStore.create(url: url, configuration: settings) }
        let store = try PostgreSQLFactorStore(url: url, configuration: configuration)
        let users = try EnrolledUsers(store: store, userCount: mostInParallel, activeCount: mostInParallel)
        try server.makeRows(mostInParallel, byteCount: users.documentByteCount())
        func signIns(_ name: String, _ count: Int, _ operations: Int) throws -> Subject {
          try users.subject(
            name, inParallel: count, operations: operations, rounds: 8, row: row, keeping: server)
        }
        return try [
          signIns("swift-otp", 1, 8), signIns("64 at once", 64, 512), signIns("512 at once", 512, 4096),
          server.updates("an update by libpq"), server.pgbench("64 clients of pgbench", clients: 64),
        ].compactMap(\.self)
      }
    ]
  }
}

/// A connection that uses only libpq, and a schema that is dropped with it.
@safe final class RawServer: @unchecked Sendable {
  struct Failure: Error {}

  let schema = "otp_bench_" + UUID().uuidString.lowercased().filter { $0 != "-" }
  private let url: String
  private let handle: OpaquePointer
  private var document: [UInt8] = []
  /// Updates one row by its key, as a store updates a document; also used by pgbench.
  private func statement(_ key: String, _ version: String, _ document: String) -> String {
    "UPDATE \(schema).raw SET version = \(version)::bigint, document = \(document)::bytea WHERE key = int4send(\(key))"
  }

  init(url: String) throws {
    self.url = url
    guard let handle = unsafe PQconnectdb(url) else { throw Failure() }
    unsafe self.handle = handle
    try run("CREATE SCHEMA \(schema)")
  }

  deinit {
    try? run("DROP SCHEMA \(schema) CASCADE")
    unsafe PQfinish(handle)
  }

  private func run(_ sql: String) throws {
    let result = unsafe PQexec(handle, sql)
    defer { unsafe PQclear(result) }
    guard unsafe PQresultStatus(result) == PGRES_COMMAND_OK else { throw Failure() }
  }

  /// Makes rows as long as documents, in a table like the store's, and prepares the update of one.
  func makeRows(_ count: Int, byteCount: Int) throws {
    document = (0..<byteCount).map { _ in UInt8.random(in: 0...255) }
    let hexadecimal = document.map { String(format: "%02x", $0) }.joined()
    try run(
      """
      CREATE TABLE \(schema).raw (key bytea PRIMARY KEY, version bigint NOT NULL, document bytea NOT NULL)
      WITH (fillfactor = 70, toast_tuple_target = 8160)
      """)
    try run("ALTER TABLE \(schema).raw ALTER COLUMN document SET STORAGE EXTERNAL")
    try run(
      """
      INSERT INTO \(schema).raw
      SELECT int4send(number), 0, '\\x\(hexadecimal)' FROM generate_series(0, \(count - 1)) number
      """)
    let result = unsafe PQprepare(handle, "update", statement("$1::int", "$2", "$3"), 0, nil)
    defer { unsafe PQclear(result) }
    guard unsafe PQresultStatus(result) == PGRES_COMMAND_OK else { throw Failure() }
  }

  /// - Returns: Whether one row was changed.
  private func update(_ version: Int) -> Bool {
    let arguments: [[UInt8]] = [
      [0, 0, 0, 0], unsafe withUnsafeBytes(of: Int64(version).bigEndian) { unsafe Array($0) }, document,
    ]
    let all = arguments.flatMap { $0 }
    return unsafe all.withUnsafeBytes { bytes in
      guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return false }
      let values = unsafe [start, start + 4, start + 12] as [UnsafePointer<CChar>?]
      let result = unsafe PQexecPrepared(handle, "update", 3, values, arguments.map { Int32($0.count) }, [1, 1, 1], 1)
      defer { unsafe PQclear(result) }
      return unsafe PQresultStatus(result) == PGRES_COMMAND_OK && String(cString: PQcmdTuples(result)) == "1"
    }
  }

  /// Updates one after another.
  func updates(_ name: String) throws -> Subject {
    try require(update(1), PostgreSQLCases.row, name)
    return Subject(name, operationsPerCall: 8) { input in
      for index in 0..<8 { consume(self.update(input &* 8 &+ index)) }
    }
  }

  /// The same update with pgbench, of one row per client; `nil` if pgbench is not installed. It measures itself, for
  /// one second, without the time to connect.
  func pgbench(_ name: String, clients: Int) throws -> Subject? {
    guard (try? ProgramCases.run(["pgbench", "--version"])) != nil else { return nil }
    let folder = try TemporaryFolder()
    let script = folder.path("update.sql")
    try Data((statement(":client_id", ":client_id", ":document") + ";\n").utf8).write(to: URL(fileURLWithPath: script))
    let hexadecimal = document.map { String(format: "%02x", $0) }.joined()
    let arguments = [
      "pgbench", "-n", "-M", "prepared", "-T", "1", "-c", "\(clients)", "-j", "\(min(clients, 2))", "-f", script,
      "-D", "document=\\x\(hexadecimal)", url,
    ]
    func measure() throws -> Double {
      let output = try ProgramCases.run(arguments)
      let words = output.split(whereSeparator: \.isWhitespace)
      guard let index = words.firstIndex(of: "tps"), words.count > index + 2, let rate = Double(words[index + 2]),
        rate > 0, output.contains("number of failed transactions: 0 ")
      else { throw Failure() }
      return 1e9 / rate
    }
    try require((try? measure()) != nil, PostgreSQLCases.row, name)
    return Subject(name) { withExtendedLifetime(folder) { (try? measure()) ?? .infinity } }
  }
}
