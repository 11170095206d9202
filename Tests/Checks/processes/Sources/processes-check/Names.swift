import Foundation
import GRDB
import MultiFactor
import MultiFactorSQLite

/// The names of one SQLite file, each of which would be a store of its own.
enum Names {
  /// Signs a user in on a store, and tries its code again by every other name that leads to the file.
  ///
  /// - Parameters:
  ///   - folder: An empty folder.
  ///   - mount: A file outside of it, over which the store's file is mounted.
  static func check(_ folder: String, mountedAt mount: String) async throws -> String {
    let path = folder + "/factors.sqlite"
    let keyring = try Keyring()
    let step: Int64 = 50_000_000
    let code = try Server.code(at: step)
    func signIn(_ path: String) async throws -> AuthError.Code? {
      try await Server(SQLiteFactorStore(path: path), keyring) { step * 30 }.signIn("u", code)
    }
    let server = try await Server(SQLiteFactorStore.create(path: path), keyring) { step * 30 }
    try await server.prepare("u")
    let first = try await server.signIn("u", code)
    try require(first == nil, "a sign-in failed with \(String(describing: first))")

    let backup = folder + "/backup.sqlite"
    try await DatabaseQueue(path: path).writeWithoutTransaction {
      try $0.execute(sql: "VACUUM INTO ?", arguments: [backup])
    }
    _ = try run("/usr/bin/mount", "--bind", path, mount)
    try await expect(.severalNames, "a file mounted by itself") { _ = try await signIn(mount) }
    _ = try run("/usr/bin/umount", mount)

    let link = folder + "/link.sqlite"
    try FileManager.default.linkItem(atPath: path, toPath: link)
    try await expect(.severalNames, "a hard link") { _ = try await signIn(link) }
    try FileManager.default.removeItem(atPath: link)

    for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
    let inAnotherProcess = try run(CommandLine.arguments[0], "open", path)
    try require(inAnotherProcess == "replaced", "without its log, the store opened: \(inAnotherProcess)")
    let refused = try await server.signInOrFail("u", Server.code(at: step + 1))
    try require(refused == .internalError, "without its log, a sign-in gave \(String(describing: refused))")
    try require(rename(backup, path) == 0, "the backup was not moved")
    let old = try await server.signInOrFail("u", code)
    try require(
      old == .internalError, "after a backup took its file's place, a sign-in gave \(String(describing: old))")
    return "four more names of a file accepted no code"
  }

  /// Opens a store in this process, and says how that ended.
  static func open(_ path: String) -> String {
    do {
      _ = try SQLiteFactorStore(path: path)
      return "opened"
    } catch {
      return (error as? FactorStoreError)?.kind.rawValue ?? "\(error)"
    }
  }

  private static func expect(
    _ kind: FactorStoreError.Kind, _ what: String, _ body: () async throws -> Void
  ) async throws {
    do {
      try await body()
    } catch let error as FactorStoreError where error.kind == kind {
      return
    }
    throw Wrong(description: "\(what) was not refused")
  }

  private static func run(_ program: String, _ arguments: String...) throws -> String {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Wrong(description: "\(program) failed") }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
