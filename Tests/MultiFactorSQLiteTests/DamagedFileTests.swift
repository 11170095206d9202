#if SQLite
import Foundation
import GRDB
import MultiFactor
import Testing

@testable import MultiFactorSQLite

/// Whatever a store never writes is an error: no document is taken for a missing or an empty one.
@Suite struct DamagedFileTests {
  @Test(arguments: ["'text'", "''", "7", "0.5"])
  func `a document that is not bytes is an error`(value: String) async throws {
    let file = try TemporaryFile()
    let store = try await file.filled()
    try file.change("UPDATE documents SET document = \(value)")
    #expect(await kind { _ = try await store.document(.sample) } == .corrupt)
    #expect(await kind { try await store.update(.sample) { $0 = [4] } } == .corrupt)
    let types = try await store.pool.read { try String.fetchAll($0, sql: "SELECT typeof(document) FROM documents") }
    #expect(types != ["blob"])
  }

  @Test(arguments: ["'text'", "7", "x''", "zeroblob(513)"])
  func `a row whose key is not 1 to 512 bytes holds no document, and is an error if it is listed`(
    value: String
  ) async throws {
    let file = try TemporaryFile()
    let store = try await file.filled()
    try file.change("UPDATE documents SET key = \(value)")
    #expect(try await store.document(.sample) == nil)
    // SQLite sorts numbers and texts before all BLOBs, so they come before all keys.
    let isListed = value.hasPrefix("zeroblob")
    #expect(await kind { _ = try await store.keys(after: nil, limit: 9) } == (isListed ? .corrupt : nil))
  }

  @Test func `a file without the table is an error`() async throws {
    let file = try TemporaryFile()
    let store = try await file.filled()
    try file.change("DROP TABLE documents")
    #expect(await kind { _ = try await store.document(.sample) } == .failed)
    #expect(await kind { _ = try await store.increment() } == .failed)
  }

  @Test func `a damaged page of the file is an error`() async throws {
    let file = try TemporaryFile()
    do {
      let store = try await file.filled()
      for number in 0..<200 {
        try await store.update(DocumentKey(number: number)) { $0 = Array(repeating: 1, count: 300) }
      }
      try await store.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
      try store.pool.close()
    }
    var bytes = try Data(contentsOf: URL(fileURLWithPath: file.path))
    for index in 4096..<bytes.count { bytes[index] = 0xA5 }
    try bytes.write(to: URL(fileURLWithPath: file.path))
    let store = try SQLiteFactorStore(path: file.path)
    #expect(await kind { _ = try await store.document(.sample) } == .corrupt)
    #expect(await kind { _ = try await store.keys(after: nil, limit: 9) } == .corrupt)
    #expect(await kind { _ = try await store.increment() } == .corrupt)
    #expect(try Data(contentsOf: URL(fileURLWithPath: file.path)) == bytes)
  }
}
#endif
