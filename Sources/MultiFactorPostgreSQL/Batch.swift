#if PostgreSQL
import MultiFactor

/// The server is on another timeline than when the connection was checked for lost changes.
private struct NewTimeline: Error {}

/// Requests for different keys that one connection executes together: it reads their documents with one statement,
/// makes the changes, and writes the changed documents with another, each only if it is still in the version that was
/// read.
///
/// Each statement is its own transaction. Nothing is locked while the changes run, and changes of one document do not
/// affect another.
struct Batch {
  /// A document to write under a key, and the requests that this completes.
  private struct Write {
    let key: DocumentKey
    /// The version that was read; `nil` if there was no document.
    let old: Int64?
    /// If there was none, the version of the mark that was read, if there is one.
    let mark: Int64?
    let document: [UInt8]?
    let answers: [Request.Answer]
    let requests: [Request]
    /// Drawn at random for each write, so that version numbers never recur, as they could if a document were deleted
    /// and created again.
    let version = Int64.random(in: .min ... .max)
  }

  private let server: Server
  private let connection: Connection
  private let batch: [DocumentKey: [Request]]

  /// What resumes the tasks whose requests are done.
  private(set) var answers: [Request.Answer] = []
  /// The requests that must run again.
  private(set) var again: [Request] = []
  /// Whether the connection can be used again.
  private(set) var isConnected = true

  init(server: Server, connection: Connection, _ batch: [(key: DocumentKey, requests: [Request])]) {
    self.server = server
    self.connection = connection
    self.batch = Dictionary(uniqueKeysWithValues: batch.map { ($0.key, $0.requests) })
  }

  /// Executes the requests, as far as possible.
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
      isConnected = false
      (answers, again) = ([], [])
      let error = error as? FactorStoreError
      // Another connection will find out what was lost; or the server is a standby now.
      if error?.isPassing ?? true { return again = Array(batch.values.joined()) }
      // Data that this store never writes.
      return fail(Array(batch.values.joined()), error ?? FactorStoreError(.failed))
    }
    write(writes.filter { $0.old != nil && $0.document != nil }, by: update)
    write(writes.filter { $0.old == nil }, by: insert)
    write(writes.filter { $0.document == nil }, by: delete)
  }

  /// Makes the changes, and completes those that change nothing.
  private mutating func makeChanges(in rows: Rows, of keys: [DocumentKey]) throws -> [Write] {
    guard rows.count == keys.count else { throw FactorStoreError(.corrupt) }
    switch rows.text(0, 5) {
    case connection.timeline: break
    case Schema.standby: throw FactorStoreError(.readOnly)
    case Schema.hidden: throw FactorStoreError(.forbidden)
    default: throw NewTimeline()
    }
    // It may have ceased since the connection was checked.
    guard rows.isTrue(0, 6) || !server.configuration.requiresDurability else { throw FactorStoreError(.notDurable) }
    var writes: [Write] = []
    for row in 0..<rows.count {
      let version = rows.integer(row, 1)
      let document = rows.bytes(row, 2)
      guard let key = rows.bytes(row, 0).flatMap(DocumentKey.init(bytes:)), let requests = batch[key],
        (version == nil) == (document == nil)
      else { throw FactorStoreError(.corrupt) }
      var stored = StoredDocument(document) { rows.bytes(row, 4) }
      var made: [Request.Answer] = []
      for request in requests {
        // The mark was not read with the document, so once that is deleted, the rest must read again.
        guard document == nil || stored.bytes != nil else { break }
        made.append(request.make(&stored))
      }
      again += requests[made.count...]
      if stored.bytes == document {
        answers += made
      } else {
        writes.append(
          Write(
            key: key, old: version, mark: rows.integer(row, 3), document: stored.bytes, answers: made,
            requests: Array(requests.prefix(made.count))))
      }
    }
    return writes.sorted { $0.key < $1.key }
  }

  private func update(_ writes: [Write]) throws(Connection.Failure) -> Rows {
    let old = writes.map { $0.old ?? 0 }
    if writes.count == 1, let write = writes.first {
      return try connection.run(
        server.schema.updateOne,
        [
          write.key.bytes, Binary.integer(old[0]), Binary.integer(write.version), write.document ?? [],
          Array(connection.timeline.utf8),
        ],
        until: server.deadline)
    }
    return try connection.run(
      server.schema.update,
      [
        Binary.array(writes.map(\.key.bytes)), Binary.array(old), Binary.array(writes.map(\.version)),
        Binary.array(writes.map { $0.document ?? [] }), Array(connection.timeline.utf8),
      ], until: server.deadline)
  }

  private func insert(_ writes: [Write]) throws(Connection.Failure) -> Rows {
    try connection.run(
      server.schema.insert,
      [
        Binary.array(writes.map(\.key.bytes)), Binary.array(writes.map(\.version)),
        Binary.array(writes.map { $0.document ?? [] }), Array(connection.timeline.utf8),
        writes.first?.mark.map(Binary.integer),
      ], until: server.deadline)
  }

  private func delete(_ writes: [Write]) throws(Connection.Failure) -> Rows {
    try connection.run(
      server.schema.delete,
      [
        Binary.array(writes.map(\.key.bytes)), Binary.array(writes.map { $0.old ?? 0 }),
        Array(connection.timeline.utf8),
      ], until: server.deadline)
  }

  /// Writes with one statement, and completes what was written. Requests for documents that another machine has changed
  /// meanwhile run again.
  private mutating func write(_ writes: [Write], by statement: ([Write]) throws(Connection.Failure) -> Rows) {
    guard !writes.isEmpty else { return }
    guard isConnected else {
      // None of them was sent.
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
      // A deadlock or a serialization failure: the server has rolled it back.
      case .refused("40P01"), .refused("40001"): again += writes.flatMap(\.requests)
      case .refused(let code):
        isConnected = ["55P03", "57014"].contains(code) || code.hasPrefix("53")
        fail(writes.flatMap(\.requests), FactorStoreError(sqlState: code))
      case .lost:
        isConnected = false
        fail(writes.flatMap(\.requests), FactorStoreError(.outcomeUnknown))
      }
    }
  }

  /// Handles a failed read, after which nothing was changed.
  private mutating func failRead(_ error: Connection.Failure) {
    isConnected = false
    switch error {
    case .lost(inTime: true): again = Array(batch.values.joined())
    case .lost: fail(Array(batch.values.joined()), FactorStoreError(.timeout))
    case .refused(let code): fail(Array(batch.values.joined()), FactorStoreError(sqlState: code))
    }
  }

  private mutating func fail(_ requests: [Request], _ error: FactorStoreError) {
    answers += requests.map { request in { request.fail(error) } }
  }
}
#endif
