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
    try await checkExchange(in: folder)
    return "four more names of a file accepted no code"
  }

  /// Has another process open a backup beside the log of the file that it took the place of: what that process commits,
  /// the one with the old file must not undo.
  private static func checkExchange(in folder: String) async throws {
    let (path, backup) = (folder + "/exchanged.sqlite", folder + "/exchanged-backup.sqlite")
    let store = try SQLiteFactorStore.create(path: path)
    try await DatabaseQueue(path: path).writeWithoutTransaction {
      try $0.execute(sql: "VACUUM INTO ?", arguments: [backup])
    }
    try await put(1, store)
    try require(rename(backup, path) == 0, "the backup was not moved")
    let child = try Child(["hold", path])
    while !child.hasWritten { try await Task.sleep(for: .milliseconds(1)) }
    try await expect(.replaced, "a store whose file was exchanged") { try await put(9, store) }
    child.begin()
    try require(child.wait().isWell, "a process with a backup failed")
    let last = try SQLiteFactorStore(path: path)
    for number in UInt8(2)...3 {
      try await require(last.document(key(number)) == document(number), "commit \(number) was undone")
    }
  }

  /// Makes a change, waits until the other end is closed, and makes another.
  static func hold(_ path: String) async throws {
    let store = try SQLiteFactorStore(path: path)
    try await put(2, store)
    print("has made a change")
    fflush(nil)
    _ = FileHandle.standardInput.readDataToEndOfFile()
    try await put(3, store)
  }

  private static func put(_ number: UInt8, _ store: SQLiteFactorStore) async throws {
    try await store.update(key(number)) { $0 = document(number) }
  }

  private static func key(_ number: UInt8) throws -> DocumentKey {
    guard let key = DocumentKey("document \(number)") else { throw Wrong(description: "a key") }
    return key
  }

  /// It takes pages of its own.
  private static func document(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 20_000) }

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
