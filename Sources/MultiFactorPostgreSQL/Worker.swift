#if PostgreSQL
import Foundation
import MultiFactor

/// A connection, and a thread that executes a queue's work on it.
///
/// It is used by one at a time: its thread, or a task's own thread, which the queue has lent it.
///
/// Waiting for the socket with a `DispatchSource` was slower, since then an answer wakes one thread more.
final class Worker: @unchecked Sendable {
  /// The pause before it tries to connect again, in seconds.
  private static let pause = 0.1

  private let server: Server
  private let queue: RequestQueue
  /// What the queue wakes its thread by.
  let wake = DispatchSemaphore(value: 0)
  private var connection: Connection?
  /// What a task's own thread has begun, and no longer waits for.
  var begun: Batch?

  init(server: Server, queue: RequestQueue) {
    self.server = server
    self.queue = queue
  }

  /// Runs until the queue is closed.
  func run() {
    queue.free(self)
    while let entries = queue.next(for: self) {
      do throws(FactorStoreError) {
        if let batch = begun.take() {
          execute(batch)
        } else {
          try execute(Batch(server: server, connection: connected(), entries))
        }
      } catch {
        giveUp(entries, for: error)
        queue.free(self)
      }
    }
  }

  private func connected() throws(FactorStoreError) -> Connection {
    if let connection, server.isCurrent(connection) { return connection }
    connection = nil
    let new = try server.connect()
    connection = new
    return new
  }

  /// The connection, if a task's own thread may wait for it, and probably need not wait for longer.
  var fastConnection: Connection? {
    let longest = server.configuration.longestOnTaskThread
    return connection.flatMap { $0.lastDuration < longest && server.isCurrent($0) ? $0 : nil }
  }

  /// Executes a batch on this thread; with `patience`, only until then, and on its own thread from then on.
  func execute(_ batch: Batch, until patience: ContinuousClock.Instant? = nil) {
    var batch = batch
    guard batch.run(until: patience) else { return queue.handOver(batch, to: self) }
    connection = batch.isConnected ? batch.connection : nil
    queue.finish(batch.keys, again: batch.again)
    // Before the answers, so that the next request of one of these tasks finds this worker, and wakes no other.
    queue.free(self)
    for answer in batch.answers { answer() }
  }

  /// Puts work back if the error may pass, and otherwise fails it.
  private func giveUp(_ entries: [Batch.Entry], for error: FactorStoreError) {
    let requests = entries.flatMap(\.requests)
    if !error.isPassing { for request in requests { request.fail(error) } }
    queue.finish(entries.map(\.key), again: error.isPassing ? requests : [], for: error.isPassing ? error : nil)
    if error.isPassing { Thread.sleep(forTimeInterval: Self.pause) }
  }
}
#endif
