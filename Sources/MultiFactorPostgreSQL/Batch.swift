#if PostgreSQL
import MultiFactor

/// Requests for different keys that one connection makes together: it reads their documents by one statement, makes the
/// changes, and writes what has changed by another one, if it still is in the version that was read.
///
/// Each statement is a transaction of its own. Nothing is locked while the changes run, and what one of them does to a
/// document has no part in another's.
struct Batch {
  /// What is to be written under a key, and the requests that it answers.
  private struct Write {
    let key: DocumentKey
    /// The version that was read; `nil` if there was no document.
    let old: Int64?
    let document: [UInt8]?
    let answers: [Request.Answer]
    let requests: [Request]
    /// Drawn for each write, so that none ever meets an older one under the same number, as it could if a document were
    /// deleted and made again.
    let version = Int64.random(in: .min ... .max)
  }

  private let server: Server
  private let connection: Connection
  private let batch: [DocumentKey: [Request]]

  /// What answers the tasks whose requests are done.
  private(set) var answers: [Request.Answer] = []
  /// What must be made again.
  private(set) var again: [Request] = []
  /// Whether the connection can be used again.
  private(set) var isConnected = true

  init(server: Server, connection: Connection, _ batch: [(key: DocumentKey, requests: [Request])]) {
    self.server = server
    self.connection = connection
    self.batch = Dictionary(uniqueKeysWithValues: batch.map { ($0.key, $0.requests) })
  }

  /// Makes the requests, as far as it can.
  mutating func run() {
    let keys = batch.keys.sorted()
    let writes: [Write]
    do {
      let rows = try connection.run(
        server.schema.read, [Binary.array(keys.map(\.bytes))], until: server.deadline)
      writes = try makeChanges(in: rows, of: keys)
    } catch let error as Connection.Failure {
      return failRead(error)
    } catch {
      // What this store never writes, or a standby.
      isConnected = false
      return fail(
        Array(batch.values.joined()), error as? PostgreSQLFactorStoreError ?? PostgreSQLFactorStoreError(.failed))
    }
    write(writes.filter { $0.old != nil && $0.document != nil }, by: update)
    write(writes.filter { $0.old == nil }, by: insert)
    write(writes.filter { $0.document == nil }, by: delete)
  }

  /// Makes the changes, and answers those that change nothing.
  private mutating func makeChanges(in rows: Rows, of keys: [DocumentKey]) throws -> [Write] {
    guard rows.count == keys.count else { throw PostgreSQLFactorStoreError(.corrupt) }
    var writes: [Write] = []
    for row in 0..<rows.count {
      guard !rows.isTrue(row, 3) else { throw PostgreSQLFactorStoreError(.readOnly) }
      let version = rows.integer(row, 1)
      let document = rows.bytes(row, 2)
      guard let key = rows.bytes(row, 0).flatMap(DocumentKey.init(bytes:)), let requests = batch[key],
        (version == nil) == (document == nil)
      else { throw PostgreSQLFactorStoreError(.corrupt) }
      var new = document
      let made = requests.map { $0.make(&new) }
      if new == document {
        answers += made
      } else {
        writes.append(Write(key: key, old: version, document: new, answers: made, requests: requests))
      }
    }
    return writes.sorted { $0.key < $1.key }
  }

  private func update(_ writes: [Write]) throws(Connection.Failure) -> Rows {
    let old = writes.map { $0.old ?? 0 }
    if writes.count == 1, let write = writes.first {
      return try connection.run(
        server.schema.updateOne,
        [write.key.bytes, Binary.integer(old[0]), Binary.integer(write.version), write.document ?? []],
        until: server.deadline)
    }
    return try connection.run(
      server.schema.update,
      [
        Binary.array(writes.map(\.key.bytes)), Binary.array(old), Binary.array(writes.map(\.version)),
        Binary.array(writes.map { $0.document ?? [] }),
      ], until: server.deadline)
  }

  private func insert(_ writes: [Write]) throws(Connection.Failure) -> Rows {
    try connection.run(
      server.schema.insert,
      [
        Binary.array(writes.map(\.key.bytes)), Binary.array(writes.map(\.version)),
        Binary.array(writes.map { $0.document ?? [] }),
      ], until: server.deadline)
  }

  private func delete(_ writes: [Write]) throws(Connection.Failure) -> Rows {
    try connection.run(
      server.schema.delete,
      [Binary.array(writes.map(\.key.bytes)), Binary.array(writes.map { $0.old ?? 0 })], until: server.deadline)
  }

  /// Writes by one statement, and answers what was written. What another machine has written meanwhile is made again.
  private mutating func write(_ writes: [Write], by statement: ([Write]) throws(Connection.Failure) -> Rows) {
    guard !writes.isEmpty else { return }
    guard isConnected else {
      // Not one of them was sent.
      again += writes.flatMap(\.requests)
      return
    }
    do {
      let rows = try statement(writes)
      let written = Set((0..<rows.count).map { rows.bytes($0, 0) })
      for write in writes {
        if written.contains(write.key.bytes) { answers += write.answers } else { again += write.requests }
      }
    } catch {
      switch error {
      // A deadlock, or a transaction that could not be serialized: the server has made nothing of it.
      case .refused("40P01"), .refused("40001"): again += writes.flatMap(\.requests)
      case .refused(let code):
        isConnected = ["55P03", "57014"].contains(code) || code.hasPrefix("53")
        fail(writes.flatMap(\.requests), PostgreSQLFactorStoreError(sqlState: code))
      case .lost:
        isConnected = false
        fail(writes.flatMap(\.requests), PostgreSQLFactorStoreError(.outcomeUnknown))
      }
    }
  }

  /// Nothing was sent that changes anything.
  private mutating func failRead(_ error: Connection.Failure) {
    isConnected = false
    switch error {
    case .lost(inTime: true): again = Array(batch.values.joined())
    case .lost: fail(Array(batch.values.joined()), PostgreSQLFactorStoreError(.timeout))
    case .refused(let code): fail(Array(batch.values.joined()), PostgreSQLFactorStoreError(sqlState: code))
    }
  }

  private mutating func fail(_ requests: [Request], _ error: PostgreSQLFactorStoreError) {
    answers += requests.map { request in { request.fail(error) } }
  }
}
#endif
