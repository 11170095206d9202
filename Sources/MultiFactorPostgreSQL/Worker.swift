#if PostgreSQL
import Foundation
import MultiFactor

/// Executes a queue's work, on its own thread and connection.
struct Worker: Sendable {
  /// The pause before it tries to connect again.
  private static let pause = Duration.milliseconds(100)

  let server: Server
  let queue: RequestQueue

  /// Runs until the queue is closed.
  func run() {
    var connection: Connection?
    while let work = queue.next() {
      do throws(FactorStoreError) {
        let open = if let connection, server.isCurrent(connection) { connection } else { try server.connect() }
        connection = perform(work, on: open) ? open : nil
      } catch {
        connection = nil
        guard giveUp(work, for: error) else { return }
      }
    }
  }

  /// Puts work back if the error may pass, and otherwise fails it.
  ///
  /// - Returns: Whether to continue.
  private func giveUp(_ work: Work, for error: FactorStoreError) -> Bool {
    switch work {
    case .requests(let batch):
      if !error.isPassing { for request in batch.flatMap(\.requests) { request.fail(error) } }
      queue.finish(
        batch.map(\.key), again: error.isPassing ? batch.flatMap(\.requests) : [], for: error.isPassing ? error : nil)
    case .listing(let listing):
      if error.isPassing { queue.finish(listing, for: error) } else { listing.answer(.failure(error)) }
    }
    return !error.isPassing || !queue.isOver(after: Self.pause)
  }

  /// - Returns: Whether the connection can be used again.
  private func perform(_ work: Work, on connection: Connection) -> Bool {
    switch work {
    case .requests(let batch):
      var made = Batch(server: server, connection: connection, batch)
      made.run()
      queue.finish(batch.map(\.key), again: made.again)
      for answer in made.answers { answer() }
      return made.isConnected
    case .listing(let listing):
      do {
        let arguments = [listing.key?.bytes ?? [], Binary.integer(Int64(max(0, listing.limit)))]
        let rows = try connection.run(server.schema.list, arguments, until: server.deadline)
        listing.answer(Result { () throws(FactorStoreError) in try page(in: rows) })
        return true
      } catch {
        switch error {
        // Nothing was changed, so it may run again.
        case .lost(inTime: true): queue.finish(listing, for: FactorStoreError(.unreachable))
        case .lost: listing.answer(.failure(FactorStoreError(.timeout)))
        case .refused(let code): listing.answer(.failure(FactorStoreError(sqlState: code)))
        }
        return false
      }
    }
  }

  private func page(in rows: Rows) throws(FactorStoreError) -> Listing.Page {
    guard rows.count > 0, let date = rows.date(0, 0) else { throw FactorStoreError(.corrupt) }
    guard !rows.isTrue(0, 1) else { throw FactorStoreError(.readOnly) }
    var keys: [DocumentKey] = []
    for row in 1..<rows.count {
      guard let key = rows.bytes(row, 0).flatMap(DocumentKey.init(bytes:)) else {
        throw FactorStoreError(.corrupt)
      }
      keys.append(key)
    }
    return Listing.Page(keys: keys, date: date)
  }
}
#endif
