#if PostgreSQL
import Foundation
import MultiFactor

/// Executes a queue's work, on its own thread and connection.
struct Worker: Sendable {
  /// The pause before it tries to connect again, in seconds.
  private static let pause = 0.1

  let server: Server
  let queue: RequestQueue

  /// Runs until the queue is closed.
  func run() {
    var connection: Connection?
    let wake = DispatchSemaphore(value: 0)
    queue.free(wake)
    while let work = queue.next(for: wake) {
      let answers: [Request.Answer]
      do throws(FactorStoreError) {
        let open = if let connection, server.isCurrent(connection) { connection } else { try server.connect() }
        let done = perform(work, on: open)
        answers = done.answers
        connection = done.isConnected ? open : nil
      } catch {
        connection = nil
        answers = giveUp(work, for: error)
        if error.isPassing { Thread.sleep(forTimeInterval: Self.pause) }
      }
      // Before the answers, so that the next request of one of these tasks finds this worker, and wakes no other.
      queue.free(wake)
      for answer in answers { answer() }
    }
  }

  /// Puts work back if the error may pass, and otherwise fails it.
  private func giveUp(_ work: Work, for error: FactorStoreError) -> [Request.Answer] {
    switch work {
    case .requests(let entries):
      let requests = entries.flatMap(\.requests)
      guard error.isPassing else {
        queue.finish(entries.map(\.key), again: [])
        return requests.map { request in { request.fail(error) } }
      }
      queue.finish(entries.map(\.key), again: requests, for: error)
    case .listing(let listing):
      guard error.isPassing else { return [{ listing.answer(.failure(error)) }] }
      queue.finish(listing, for: error)
    }
    return []
  }

  /// - Returns: What resumes the tasks whose requests are done, and whether the connection can be used again.
  private func perform(_ work: Work, on connection: Connection) -> (answers: [Request.Answer], isConnected: Bool) {
    switch work {
    case .requests(let entries):
      var batch = Batch(server: server, connection: connection, entries)
      batch.run()
      queue.finish(entries.map(\.key), again: batch.again)
      return (batch.answers, batch.isConnected)
    case .listing(let listing):
      do {
        let arguments = [listing.key?.bytes ?? [], Binary.integer(Int64(max(0, listing.limit)))]
        let rows = try connection.run(server.schema.list, arguments, until: server.deadline)
        let found = Result { () throws(FactorStoreError) in try page(in: rows) }
        return ([{ listing.answer(found) }], true)
      } catch {
        switch error {
        // Nothing was changed, so it may run again.
        case .lost(inTime: true):
          queue.finish(listing, for: FactorStoreError(.unreachable))
          return ([], false)
        case .lost: return ([{ listing.answer(.failure(FactorStoreError(.timeout))) }], false)
        case .refused(let code): return ([{ listing.answer(.failure(FactorStoreError(sqlState: code))) }], false)
        }
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
