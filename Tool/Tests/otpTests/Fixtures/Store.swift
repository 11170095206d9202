import Foundation
import MultiFactorSQLite
import OTP
import Testing

/// A store of factors in its own folder, as used from a terminal.
struct Store {
  let folder: String
  var database: String { folder + "/factors.sqlite" }
  var keyring: String { folder + "/keyring.json" }

  /// A factor with its key, as in an app.
  struct Factor {
    let uid: String
    let key: OTPAuthURI
    /// The step or counter whose code enrolled it.
    let spent: UInt64

    /// The code a number of steps or counters after the one that enrolled it.
    func code(after offset: UInt64) throws -> String {
      switch key.kind {
      case .totp(let period):
        try TOTP(secret: key.secret, period: period).code(forStep: spent + offset).description
      case .hotp: try HOTP(secret: key.secret).code(counter: spent + offset).description
      }
    }

    /// A code that is wrong for any nearby step or counter.
    func wrongCode() throws -> String {
      let near = try (0...200).map { offset in try code(after: UInt64(offset)) }
      return try #require((0...1000).map { String(format: "%06d", $0) }.first { !near.contains($0) })
    }
  }

  /// Every command on a store, without `--store`.
  static let commands = [
    ["factors", "alice"], ["authenticate", "alice", "1"], ["unenroll", "alice", "1"],
    ["recovery-codes", "alice", "--code", "1"], ["enroll", "alice", "--code", "1"], ["store", "check"],
    ["accounts"], ["unlock", "alice"], ["revoke", "alice"], ["explain", "alice", "1"], ["store", "reseal"],
    ["store", "spend"],
  ]

  /// Runs a command on this store.
  func otp(_ arguments: String..., input: String = "") throws -> Run {
    try Tool.run(arguments + ["--store", database], input: input)
  }

  /// Moves the whole store into its main file, which the tool may not have done when it ended.
  func finish() throws { _ = try SQLiteFactorStore(path: database) }

  /// Changes the store's documents, as a fault of the disk or another program would.
  func change(_ statement: String, in file: String = "factors.sqlite") throws {
    try finish()
    let script = "import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.execute(sys.argv[2]); d.commit()"
    _ = try write(script, to: "change.py")
    let run = try sh("python3 change.py '\(file)' \"$statement\"", in: folder, environment: ["statement": statement])
    #expect(run.status == 0, "\(run.error)")
  }

  /// Creates the store and its keyring, unless there are some.
  func create() throws {
    if !FileManager.default.fileExists(atPath: database) { #expect(try otp("store", "create").status == 0) }
  }

  /// Enrolls a factor.
  ///
  /// - Parameter answers: Standard input before the code.
  func enroll(_ account: String = "alice", _ options: String..., answers: String = "") throws -> Factor {
    try create()
    let tool = try Tool.start(["enroll", account, "--store", database] + options)
    tool.write(answers)
    return try complete(tool)
  }

  /// Completes a started enrollment with the first code of its key.
  func complete(_ tool: RunningTool) throws -> Factor {
    let uri = try #require(tool.lines(until: "secret=").first { $0.hasPrefix("otpauth://") })
    let key = try OTPAuthURI(uri)
    let step =
      switch key.kind {
      case .totp(let period): UInt64(Date().timeIntervalSince1970) / UInt64(period)
      case .hotp: UInt64(0)
      }
    let factor = Factor(uid: "", key: key, spent: step)
    tool.write(try factor.code(after: 0) + "\n")
    let run = try tool.finish()
    let line = try #require(run.lines.last { $0.hasPrefix("enrolled factor=") })
    #expect(run.status == 0 && run.error.isEmpty)
    let uid = try #require(line.split(separator: " ")[1].split(separator: "=").last)
    return Factor(uid: String(uid), key: key, spent: step)
  }
}

/// Provides a store, or only the folder for one.
func withStore(isCreated: Bool = true, _ body: (Store) throws -> Void) throws {
  try withFolder([:]) { folder in
    let store = Store(folder: folder)
    if isCreated { try store.create() }
    try body(store)
  }
}

/// Lends a store, and a file of keys beside it that only its owner can read.
func withKeys(_ text: String, _ body: (Store, String) throws -> Void) throws {
  try withStore { store in try body(store, try store.write(text, to: "keys")) }
}

extension Store {
  /// Writes a file that only its owner can read, and returns its path.
  func write(_ text: String, to name: String) throws -> String {
    let path = folder + "/" + name
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    return path
  }
}

/// Provides the URL of a new database on the server that Scripts/postgresql.sh has started, and a folder for its
/// keyring, with the environment in which the tool uses it.
func withDatabase(
  _ body: (_ url: String, _ folder: String, _ environment: [String: String]) throws -> Void
) throws {
  let server = try #require(
    ProcessInfo.processInfo.environment["OTP_POSTGRESQL_FOLDER"], "no server: run this with Scripts/unit.sh tool")
  let name = "d" + UUID().uuidString.lowercased().filter { $0 != "-" }
  try withFolder([:]) { folder in
    let owner = ["PGHOST": server, "PGUSER": "otp", "PGDATABASE": "postgres"]
    #expect(try sh("createdb \(name)", in: folder, environment: owner).status == 0)
    defer { _ = try? sh("dropdb --force \(name)", in: folder, environment: owner) }
    try body("postgresql://otp@/\(name)?host=\(server)", folder, ["XDG_DATA_HOME": folder])
  }
}
