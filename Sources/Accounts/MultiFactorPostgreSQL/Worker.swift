#if PostgreSQL
import Foundation
import MultiFactor

/// Executes a queue's work, on its own thread and connection.
///
/// Waiting for the socket with a `DispatchSource` was slower, since then an answer wakes one thread more; sending on
/// the caller's thread was not faster.
struct Worker: Sendable {
  /// The pause before it tries to connect again, in seconds.
  private static let pause = 0.1

  let server: Server
  let queue: RequestQueue
  /// What the queue wakes it by.
  let wake = DispatchSemaphore(value: 0)

  /// Runs until the queue is closed.
  func run() {
    var connection: Connection?
    queue.free(wake)
    while let work = queue.next(for: wake) {
      do throws(FactorStoreError) {
        let open = if let connection, server.isCurrent(connection) { connection } else { try server.connect() }
        connection = perform(work, on: open) ? open : nil
      } catch {
        connection = nil
        giveUp(work, for: error)
        queue.free(wake)
      }
    }
  }

  /// Puts work back if the error may pass, and otherwise fails it.
  private func giveUp(_ work: Work, for error: FactorStoreError) {
    switch work {
    case .requests(let batch):
      if !error.isPassing { for request in batch.flatMap(\.requests) { request.fail(error) } }
      queue.finish(
        batch.map(\.key), again: error.isPassing ? batch.flatMap(\.requests) : [], for: error.isPassing ? error : nil)
    case .listing(let listing):
      if error.isPassing { queue.finish(listing, for: error) } else { listing.answer(.failure(error)) }
    }
    if error.isPassing { Thread.sleep(forTimeInterval: Self.pause) }
  }

  /// - Returns: Whether the connection can be used again.
  private func perform(_ work: Work, on connection: Connection) -> Bool {
    switch work {
    case .requests(let batch):
      var made = Batch(server: server, connection: connection, batch)
      made.run()
      queue.finish(batch.map(\.key), again: made.again)
      // Before the answers, so that the next request of one of these tasks finds this worker, and wakes no other.
      queue.free(wake)
      for answer in made.answers { answer() }
      return made.isConnected
    case .listing(let listing):
      defer { queue.free(wake) }
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
