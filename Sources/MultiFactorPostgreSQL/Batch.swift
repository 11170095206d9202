#if PostgreSQL
import MultiFactor

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
    /// The requests after these, which must read again.
    var later: [Request] = []
    /// Drawn at random for each write, so that version numbers never recur, as they could if a document were deleted
    /// and created again.
    let version = Int64.random(in: .min ... .max)
  }

  /// What one statement does.
  private enum Step {
    case read([Entry])
    /// Updates, insertions, or deletions.
    case write([Write])
    case list(Request.Listing, Request)

    var requests: [Request] {
      switch self {
      case .read(let entries): entries.flatMap(\.requests)
      case .write(let writes): writes.flatMap(\.requests)
      case .list(_, let request): [request]
      }
    }
  }

  let keys: [DocumentKey]
  let connection: Connection
  private let server: Server
  /// What is left to do. The first one may wait for its response.
  private var steps: [Step] = []

  /// What resumes the tasks whose requests are done.
  private(set) var answers: [Request.Answer] = []
  /// The requests that must run again.
  private(set) var again: [Request] = []
  /// Whether the connection can be used again.
  private(set) var isConnected = true

  /// Makes the changes of documents that are known.
  init(server: Server, connection: Connection, _ entries: [Entry]) {
    self.server = server
    self.connection = connection
    keys = entries.map(\.key)
    // If the connection may have been lost, all documents are read, since a read can be repeated.
    let isLively = connection.isLively
    var (writes, unknown): ([Write], [Entry]) = ([], [])
    for var entry in entries.sorted(by: { $0.key < $1.key }) {
      entry.requests.removeAll { $0.listing != nil }
      guard !entry.requests.isEmpty else { continue }
      if isLively, let write = changeOfKnown(entry) { writes.append(write) } else { unknown.append(entry) }
    }
    plan(writes)
    if !unknown.isEmpty { steps.append(.read(unknown)) }
    steps += entries.flatMap(\.requests).compactMap { request in request.listing.map { .list($0, request) } }
  }

  private mutating func plan(_ writes: [Write]) { if !writes.isEmpty { steps.append(.write(writes)) } }

  /// Executes the requests, as far as possible.
  ///
  /// - Parameter patience: How long to wait for the server at most; `nil` for as long as a statement may take.
  /// - Returns: Whether this is done; otherwise it must run again, on any thread.
  mutating func run(until patience: ContinuousClock.Instant? = nil) -> Bool {
    while let step = steps.first {
      do {
        if isConnected {
          if !connection.isWaiting { try send(step) }
          guard let rows = try connection.response(by: patience) else { return false }
          try receive(rows, for: step)
        } else {
          again += step.requests
        }
      } catch {
        switch step {
        case .read, .list: failRead(step.requests, error)
        case .write(let writes):
          server.memory.withLock { $0.forget(writes.map(\.key)) }
          failWrite(step.requests, error)
        }
      }
      steps.removeFirst()
      if case .write(let writes) = step { again += writes.flatMap(\.later) }
    }
    return true
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

  private func send(_ step: Step) throws(Connection.Failure) {
    let schema = server.schema
    func send(_ sql: String, _ arguments: [UInt8]?...) throws(Connection.Failure) {
      try connection.send(sql, arguments, until: server.deadline)
    }
    let writes: [Write]
    switch step {
    case .read(let entries): return try send(schema.read, Binary.array(entries.map(\.key.bytes)))
    case .list(let page, _):
      return try send(schema.list, page.key?.bytes ?? [], Binary.integer(Int64(max(0, page.limit))))
    case .write(let all): writes = all
    }
    let timeline = Array(connection.timeline.utf8)
    let mayLose = Binary.bool(!server.configuration.requiresDurability)
    if writes.count == 1, let write = writes.first, let old = write.old, let document = write.document {
      return try send(
        schema.updateOne, write.key.bytes, Binary.integer(old), Binary.integer(write.version), document, timeline,
        mayLose)
    }
    let keys = Binary.array(writes.map(\.key.bytes))
    let old = Binary.array(writes.map { $0.old ?? 0 })
    let versions = Binary.array(writes.map(\.version))
    let documents = Binary.array(writes.map { $0.document ?? [] })
    switch (writes.first?.old, writes.first?.document) {
    case (nil, _):
      try send(schema.insert, keys, versions, documents, timeline, writes.first?.mark.map(Binary.integer))
    case (_, nil): try send(schema.delete, keys, old, timeline)
    default: try send(schema.update, keys, old, versions, documents, timeline, mayLose)
    }
  }

  private mutating func receive(_ rows: Rows, for step: Step) throws {
    switch step {
    case .read(let entries):
      let writes = try makeChanges(in: rows, of: entries)
      plan(writes.filter { $0.old != nil && $0.document != nil })
      plan(writes.filter { $0.old == nil })
      plan(writes.filter { $0.document == nil })
    case .write(let writes): complete(writes, in: rows)
    case .list(let listing, _):
      let page = try page(in: rows)
      answers.append { listing.answer(page) }
    }
  }

  private func page(in rows: Rows) throws -> Request.Page {
    guard rows.count > 0, let date = rows.date(0, 0) else { throw FactorStoreError(.corrupt) }
    guard !rows.isTrue(0, 1) else { throw FactorStoreError(.readOnly) }
    let keys = (1..<rows.count).compactMap { rows.bytes($0, 0).flatMap(DocumentKey.init(bytes:)) }
    guard keys.count == rows.count - 1 else { throw FactorStoreError(.corrupt) }
    return (keys, date)
  }

  /// Makes the changes, and completes those that change nothing.
  private mutating func makeChanges(in rows: Rows, of entries: [Entry]) throws -> [Write] {
    guard rows.count == entries.count else { throw FactorStoreError(.corrupt) }
    switch rows.text(0, 5) {
    case connection.timeline where server.isCurrent(connection): break
    case Schema.standby: throw FactorStoreError(.readOnly)
    case Schema.hidden: throw FactorStoreError(.forbidden)
    // Than when the connection was checked for lost changes.
    default: throw FactorStoreError(.outdated)
    }
    // The server may have stopped being durable since the connection was checked.
    guard rows.isTrue(0, 6) || !server.configuration.requiresDurability else { throw FactorStoreError(.notDurable) }
    // The rows are in any order.
    let asked = Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.requests) })
    var writes: [Write] = []
    var unchanged: [Request.Answer] = []
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
      if let version, stored.bytes == document {
        server.memory.withLock { $0.note(document, version, under: key) }
      }
      if stored.bytes == document {
        unchanged += made
      } else {
        writes.append(
          Write(
            key: key, old: version, mark: rows.integer(row, 3), document: stored.bytes, answers: made,
            requests: Array(requests.prefix(made.count)), later: Array(requests.dropFirst(made.count))))
      }
    }
    answers += unchanged
    return writes.sorted { $0.key < $1.key }
  }

  /// Completes what was written. Requests for documents that another machine has changed meanwhile run again.
  private mutating func complete(_ writes: [Write], in rows: Rows) {
    let written = Set((0..<rows.count).map { rows.bytes($0, 0).flatMap(DocumentKey.init(bytes:)) })
    let isCurrent = server.isCurrent(connection)
    for write in writes {
      let isWritten = written.contains(write.key)
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
  private mutating func failWrite(_ requests: [Request], _ error: any Error) {
    switch error {
    // A deadlock or a serialization failure; or the server has become a standby, and was not asked before.
    case Connection.Failure.refused(let code) where ["40P01", "40001", "25006"].contains(code):
      isConnected = code != "25006"
      again += requests
    case Connection.Failure.refused(let code):
      isConnected = ["55P03", "57014"].contains(code) || code.hasPrefix("53")
      fail(requests, FactorStoreError(sqlState: code))
    default:
      isConnected = false
      fail(requests, FactorStoreError(.outcomeUnknown))
    }
  }

  /// Handles a failed read, after which nothing was changed.
  private mutating func failRead(_ requests: [Request], _ error: any Error) {
    isConnected = false
    switch error {
    case Connection.Failure.lost(inTime: false): fail(requests, FactorStoreError(.timeout))
    case Connection.Failure.refused(let code): fail(requests, FactorStoreError(sqlState: code))
    // Data that this store never writes.
    case let error as FactorStoreError where !error.isPassing: fail(requests, error)
    // The connection was lost, or the server is a standby or on another timeline now.
    default: again += requests
    }
  }

  private mutating func fail(_ requests: [Request], _ error: FactorStoreError) {
    answers += requests.map { request in { request.fail(error) } }
  }
}
#endif
