#if PostgreSQL
import MultiFactor

/// The server is on another timeline than when the connection was checked for lost changes.
private struct NewTimeline: Error {}

/// Requests for different keys that one connection executes together: it reads their documents with one statement, as
/// far as it does not know them, makes the changes, and writes the changed documents with another, each only if it is
/// still in the version that was read.
///
/// Each statement is its own transaction. Nothing is locked while the changes run, and changes of one document do not
/// affect another.
struct Batch {
  /// A key, and the requests for it in their order.
  typealias Entry = (key: DocumentKey, requests: [Request])

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
  private let entries: [Entry]

  /// What resumes the tasks whose requests are done.
  private(set) var answers: [Request.Answer] = []
  /// The requests that must run again.
  private(set) var again: [Request] = []
  /// Whether the connection can be used again.
  private(set) var isConnected = true

  init(server: Server, connection: Connection, _ entries: [Entry]) {
    self.server = server
    self.connection = connection
    self.entries = entries.sorted { $0.key < $1.key }
  }

  /// Executes the requests, as far as possible.
  mutating func run() {
    // If the connection may have been lost, all documents are read, since a read can be repeated.
    let isLively = connection.isLively(for: .seconds(server.configuration.livelySeconds))
    var (writes, unknown): ([Write], [Entry]) = ([], [])
    for entry in entries {
      if isLively, let write = changeOfKnown(entry) { writes.append(write) } else { unknown.append(entry) }
    }
    write(writes, by: update)
    readAndWrite(unknown)
  }

  /// Makes the changes of a document that need not be read again. One that they leave as it is, or for which they
  /// throw, is read after all, since only a write is checked by the server.
  private func changeOfKnown(_ entry: Entry) -> Write? {
    guard entry.requests.allSatisfy(\.mayWrite), let known = server.memory.withLock({ $0.document(entry.key) })
    else { return nil }
    var stored = StoredDocument(known.bytes) { nil }
    var made: [Request.Answer] = []
    for request in entry.requests where stored.bytes != nil { made.append(request.make(&stored)) }
    guard let bytes = stored.bytes, bytes != known.bytes else { return nil }
    return Write(
      key: entry.key, old: known.version, mark: nil, document: bytes, answers: made, requests: entry.requests)
  }

  private mutating func readAndWrite(_ entries: [Entry]) {
    guard !entries.isEmpty else { return }
    guard isConnected else {
      again += entries.flatMap(\.requests)
      return
    }
    let (writes, later): ([Write], [Request])
    do {
      let rows = try connection.run(
        server.schema.read, [Binary.array(entries.map(\.key.bytes))], until: server.deadline)
      (writes, later) = try makeChanges(in: rows, of: entries)
    } catch {
      return failRead(entries.flatMap(\.requests), error)
    }
    write(writes.filter { $0.old != nil && $0.document != nil }, by: update)
    write(writes.filter { $0.old == nil }, by: insert)
    write(writes.filter { $0.document == nil }, by: delete)
    // After those of a write that must be repeated.
    again += later
  }

  /// Makes the changes, and completes those that change nothing.
  ///
  /// - Returns: What must be written, and the requests that must read again after that.
  private mutating func makeChanges(in rows: Rows, of entries: [Entry]) throws -> ([Write], later: [Request]) {
    guard rows.count == entries.count else { throw FactorStoreError(.corrupt) }
    switch rows.text(0, 5) {
    case connection.timeline where server.isCurrent(connection): break
    case Schema.standby: throw FactorStoreError(.readOnly)
    case Schema.hidden: throw FactorStoreError(.forbidden)
    default: throw NewTimeline()
    }
    // The server may have stopped being durable since the connection was checked.
    guard rows.isTrue(0, 6) || !server.configuration.requiresDurability else { throw FactorStoreError(.notDurable) }
    // The rows are in any order.
    let asked = Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.requests) })
    var writes: [Write] = []
    var (unchanged, later): ([Request.Answer], [Request]) = ([], [])
    for row in 0..<rows.count {
      let version = rows.integer(row, 1)
      let document = rows.bytes(row, 2)
      guard let key = rows.bytes(row, 0).flatMap(DocumentKey.init(bytes:)), let requests = asked[key],
        (version == nil) == (document == nil)
      else { throw FactorStoreError(.corrupt) }
      var stored = StoredDocument(document) { rows.bytes(row, 4) }
      var made: [Request.Answer] = []
      for request in requests {
        // The mark was not read with the document, so once that is deleted, the rest must read again.
        guard document == nil || stored.bytes != nil else { break }
        made.append(request.make(&stored))
      }
      later += requests[made.count...]
      if let version, stored.bytes == document {
        server.memory.withLock { $0.note(document, version, under: key) }
      }
      if stored.bytes == document {
        unchanged += made
      } else {
        writes.append(
          Write(
            key: key, old: version, mark: rows.integer(row, 3), document: stored.bytes, answers: made,
            requests: Array(requests.prefix(made.count))))
      }
    }
    answers += unchanged
    return (writes.sorted { $0.key < $1.key }, later)
  }

  private func update(_ writes: [Write]) throws(Connection.Failure) -> Rows {
    let old = writes.map { $0.old ?? 0 }
    if writes.count == 1, let write = writes.first {
      return try connection.run(
        server.schema.updateOne,
        [
          write.key.bytes, Binary.integer(old[0]), Binary.integer(write.version), write.document ?? [],
          Array(connection.timeline.utf8), Binary.bool(!server.configuration.requiresDurability),
        ],
        until: server.deadline)
    }
    return try connection.run(
      server.schema.update,
      [
        Binary.array(writes.map(\.key.bytes)), Binary.array(old), Binary.array(writes.map(\.version)),
        Binary.array(writes.map { $0.document ?? [] }), Array(connection.timeline.utf8),
        Binary.bool(!server.configuration.requiresDurability),
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
    let rows: Rows
    do {
      rows = try statement(writes)
    } catch {
      server.memory.withLock { $0.forget(writes.map(\.key)) }
      return failWrite(writes.flatMap(\.requests), error)
    }
    let written = Set((0..<rows.count).map { rows.bytes($0, 0) })
    let isCurrent = server.isCurrent(connection)
    for write in writes {
      let isWritten = written.contains(write.key.bytes)
      server.memory.withLock { $0.note(isWritten ? write.document : nil, write.version, under: write.key) }
      if !isWritten {
        again += write.requests
      } else if isCurrent {
        answers += write.answers
      } else {
        // Another connection has found a newer primary, which lacks it.
        fail(write.requests, FactorStoreError(.outcomeUnknown))
      }
    }
  }

  /// Handles a failed write.
  private mutating func failWrite(_ requests: [Request], _ error: Connection.Failure) {
    switch error {
    // A deadlock or a serialization failure: the server has rolled it back.
    case .refused("40P01"), .refused("40001"): again += requests
    // The server has become a standby, and was not asked before.
    case .refused("25006"):
      isConnected = false
      again += requests
    case .refused(let code):
      isConnected = ["55P03", "57014"].contains(code) || code.hasPrefix("53")
      fail(requests, FactorStoreError(sqlState: code))
    case .lost:
      isConnected = false
      fail(requests, FactorStoreError(.outcomeUnknown))
    }
  }

  /// Handles a failed read, after which nothing was changed.
  private mutating func failRead(_ requests: [Request], _ error: any Error) {
    isConnected = false
    switch error {
    case Connection.Failure.lost(inTime: true): again += requests
    case Connection.Failure.lost: fail(requests, FactorStoreError(.timeout))
    case Connection.Failure.refused(let code): fail(requests, FactorStoreError(sqlState: code))
    // Data that this store never writes.
    case let error as FactorStoreError where !error.isPassing: fail(requests, error)
    // Another connection will find out what was lost; or the server is a standby now.
    default: again += requests
    }
  }

  private mutating func fail(_ requests: [Request], _ error: FactorStoreError) {
    answers += requests.map { request in { request.fail(error) } }
  }
}
#endif
