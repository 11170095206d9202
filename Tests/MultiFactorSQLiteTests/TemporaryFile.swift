#if SQLite
import Foundation
import GRDB
import MultiFactor

@testable import MultiFactorSQLite

/// A folder for one test's file, removed when the test ends.
final class TemporaryFile: Sendable {
  let folder: String
  var path: String { folder + "/factors.sqlite" }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("otp-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Runs SQL on the file, as another program would.
  func change(_ sql: String) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
  }

  /// The file's store, created if it is missing.
  ///
  /// It waits for a locked file without a limit: on a busy machine a test may hold the lock longer than a server would
  /// wait, and then wait for changes that were already refused.
  func store() throws -> SQLiteFactorStore {
    if !FileManager.default.fileExists(atPath: path) {
      do { try SQLiteFactorStore.create(path: path) } catch let error as FactorStoreError where error.kind == .exists {}
    }
    return try SQLiteFactorStore(path: path, busyAttempts: .max)
  }

  /// The file's store, with one document.
  func filled() async throws -> SQLiteFactorStore {
    let store = try store()
    try await store.update(.sample) { $0 = [1, 2, 3] }
    return store
  }
}

extension DocumentKey {
  static let sample = DocumentKey(number: 0)

  init(number: Int) { self = unsafe DocumentKey("user/\(number)").unsafelyUnwrapped }
}

extension SQLiteFactorStore {
  /// Adds 1 to the only byte of a document, 0 if there is none, and returns it.
  func increment(_ key: DocumentKey = .sample) async throws -> UInt8 {
    try await update(key) { document in
      let number = (document?.first ?? 0) &+ 1
      document = [number]
      return number
    }
  }
}

/// The kind of the store error that a closure throws; `nil` if it throws none or another error.
func kind(of body: () async throws -> Void) async -> FactorStoreError.Kind? {
  do { try await body() } catch { return (error as? FactorStoreError)?.kind }
  return nil
}
#endif
