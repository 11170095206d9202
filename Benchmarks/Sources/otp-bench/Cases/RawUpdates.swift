import Foundation
import GRDB

/// The limit of a store that promises durability: one row of a document's size, replaced in one transaction, in the
/// same file mode.
struct RawUpdates {
  private let pool: DatabasePool
  private let documents: [Data]

  init(path: String, byteCount: Int) throws {
    // Every byte differs from row to row, as in sealed documents.
    documents = (0..<2).map { _ in Data((0..<byteCount).map { _ in UInt8.random(in: 0...255) }) }
    let document = documents[0]
    var configuration = Configuration()
    configuration.journalMode = .wal
    pool = try DatabasePool(path: path, configuration: configuration)
    try pool.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA synchronous = FULL; CREATE TABLE rows (id INTEGER PRIMARY KEY, document BLOB)")
      try db.execute(sql: "INSERT INTO rows VALUES (1, ?)", arguments: [document])
    }
  }

  /// - Parameter folder: Kept as long as the subject.
  func subject(_ name: String, keeping folder: TemporaryFolder) -> Subject {
    // As in `EnrolledUsers.settle()`.
    for index in 0..<1024 { update(index) }
    return Subject(name, operationsPerCall: 8) { _ in
      withExtendedLifetime(folder) { for index in 0..<8 { update(index) } }
    }
  }

  private func update(_ index: Int) {
    do {
      try pool.writeWithoutTransaction { db in
        try db.inTransaction(.immediate) {
          try db.cachedStatement(sql: "UPDATE rows SET document = ? WHERE id = 1")
            .execute(arguments: [documents[index & 1]])
          return .commit
        }
      }
    } catch {
      consume(false)
    }
  }
}

/// A folder that is removed when its last user is released. It is in the working folder, since a folder for temporary
/// files may be in memory, where no write is durable.
final class TemporaryFolder: Sendable {
  private let url: URL

  init() throws {
    url = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
      .appendingPathComponent(".build-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  deinit { try? FileManager.default.removeItem(at: url) }
}
