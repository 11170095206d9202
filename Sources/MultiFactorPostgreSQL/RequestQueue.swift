#if PostgreSQL
import Foundation
import MultiFactor

/// A task's request to read or change a document, or to list keys.
struct Request: Sendable {
  /// Resumes the task.
  typealias Answer = @Sendable () -> Void
  /// A page of keys, and the server's time.
  typealias Page = (keys: [DocumentKey], date: Date)
  /// After which key, how many at most, and what resumes the task.
  typealias Listing = (key: DocumentKey?, limit: Int, answer: @Sendable (Page) -> Void)

  /// The document's key. Requests for the same key are not executed at once.
  let key: DocumentKey
  /// Whether it may change the document; otherwise the document is read.
  var mayWrite = false
  /// The time until which it waits for a connection.
  let deadline: ContinuousClock.Instant
  /// Makes the change, and returns what resumes its task, also if the change itself has thrown. It may run again.
  var make: @Sendable (inout StoredDocument) -> Answer = { _ in {} }
  /// If keys are listed instead.
  var listing: Listing?
  /// Resumes the task with an error.
  let fail: @Sendable (FactorStoreError) -> Void
}

/// The requests that wait for a connection.
///
/// While all connections are working, requests gather, and the next one to finish takes them together. Two connections
/// never have requests for the same key at once, because they would only conflict.
final class RequestQueue: @unchecked Sendable {
  /// The maximum number of requests in a batch, so that none waits for too many others.
  static let largestBatch = 256

  private let server: Server
  private let lock = NSLock()
  private var waiting: [DocumentKey: [Request]] = [:]
  /// The keys with waiting requests that no connection is working on, in the order in which they will be taken.
  private var ready: [DocumentKey] = []
  private var atWork: Set<DocumentKey> = []
  private var count = 0
  /// The workers without work. The last one to finish is the first to be used: what its server process needs is in the
  /// processor's caches, and it may not have fallen asleep yet.
  private var idle: [Worker] = []
  private var workers = 0
  /// How many requests tasks' own threads may execute until a worker's thread has found only one again. Otherwise, no
  /// requests would gather if all tasks run on one thread.
  private var credit = 0
  private var expects = false
  private var isClosed = false
  /// Why the last attempt to connect failed, if it did.
  private var passing: FactorStoreError?
  private var configuration: PostgreSQLFactorStore.Configuration { server.configuration }

  init(_ server: Server) { self.server = server }

  /// How many requests are waiting.
  var waitingCount: Int { lock.withLock { count } }

  /// Enqueues a request, whose task is resumed in any case.
  ///
  /// If nothing else is in progress and the server is fast, the task's own thread executes it: waking another one, and
  /// being woken again, would take as long as the server does. So a store blocks at most one of the few threads on
  /// which all tasks run, for at most a millisecond.
  func enqueue(_ request: Request) {
    var own: (worker: Worker, connection: Connection)?
    let isTaken = lock.withLock {
      guard count < configuration.maximumWaiting else { return false }
      if credit > 0, count == 0, atWork.isEmpty, let worker = idle.last, let connection = worker.fastConnection {
        own = (idle.removeLast(), connection)
        credit -= 1
        atWork.insert(request.key)
        return true
      }
      if waiting[request.key] == nil, !atWork.contains(request.key) { ready.append(request.key) }
      waiting[request.key, default: []].append(request)
      count += 1
      return true
    }
    guard isTaken else { return request.fail(FactorStoreError(.overloaded)) }
    guard let own else { return wake() }
    let batch = Batch(server: server, connection: own.connection, [(request.key, [request])])
    own.worker.execute(batch, until: .now + configuration.longestOnTaskThread)
  }

  /// Lets a worker's thread continue a batch.
  func handOver(_ batch: Batch, to worker: Worker) {
    lock.withLock { worker.begun = batch }
    worker.wake.signal()
  }

  /// Says that a worker has no work.
  func free(_ worker: Worker) {
    lock.withLock { idle.append(worker) }
    wake()
  }

  /// Waits for work, for a worker that has said that it has none.
  ///
  /// - Returns: The work, which is empty if the worker has begun a batch; `nil` once the queue is closed.
  func next(for worker: Worker) -> [Batch.Entry]? {
    while true {
      worker.wake.wait()
      // More may be ready than fit into one batch.
      defer { wake() }
      let (work, isOver): ([Batch.Entry]?, Bool) = lock.withLock {
        if worker.begun != nil { return ([], true) }
        if !ready.isEmpty { return (nextBatch(), true) }
        // If it is not closed, another worker took the work.
        if !isClosed { idle.append(worker) }
        return (nil, isClosed)
      }
      if isOver { return work }
    }
  }

  private func nextBatch() -> [Batch.Entry] {
    var (batch, taken): ([Batch.Entry], Int) = ([], 0)
    for key in ready {
      guard taken < Self.largestBatch else { break }
      var requests = waiting.removeValue(forKey: key) ?? []
      let rest = Array(requests.dropFirst(Self.largestBatch - taken))
      if !rest.isEmpty { waiting[key] = rest }
      requests.removeLast(rest.count)
      taken += requests.count
      batch.append((key, requests))
    }
    ready.removeFirst(batch.count)
    atWork.formUnion(batch.map(\.key))
    count -= taken
    credit = taken == 1 ? 64 : 0
    return batch
  }

  /// Releases a worker's keys.
  ///
  /// - Parameters:
  ///   - keys: All keys that the worker has taken.
  ///   - again: The requests that must run again, unless they are past their deadline.
  ///   - error: Why, if there was no connection.
  func finish(_ keys: [DocumentKey], again: [Request], for error: FactorStoreError? = nil) {
    let now = ContinuousClock.now
    lock.withLock {
      passing = error
      for request in again.reversed() where request.deadline > now {
        waiting[request.key, default: []].insert(request, at: 0)
        count += 1
      }
      for key in keys {
        atWork.remove(key)
        if waiting[key] != nil { ready.append(key) }
      }
    }
    // Otherwise the worker itself is free at once.
    if error != nil { wake() }
    for request in again where request.deadline <= now {
      request.fail(error ?? FactorStoreError(.timeout))
    }
  }

  /// Lets all workers end. No requests can be waiting, because every waiting task keeps the store alive.
  func close() {
    lock.withLock {
      isClosed = true
      for worker in idle { worker.wake.signal() }
      idle = []
    }
  }

  /// Wakes or starts a worker if there is work, and schedules the expiry of late requests. It wakes it without the
  /// lock, for which the worker would otherwise wait.
  private func wake() {
    let worker: Worker? = lock.withLock {
      if count > 0 { expect() }
      guard isClosed || !ready.isEmpty else { return nil }
      if idle.isEmpty, workers < configuration.connections {
        workers += 1
        Thread.detachNewThread { Worker(server: self.server, queue: self).run() }
      }
      return idle.popLast()
    }
    worker?.wake.signal()
  }
}

// Requests past their deadline.
extension RequestQueue {
  /// Schedules a check for them, unless one is already scheduled.
  private func expect() {
    guard !expects else { return }
    expects = true
    let pause = configuration.waitingSeconds / 8
    DispatchQueue.global().asyncAfter(deadline: .now() + pause) { [weak self] in self?.expire() }
  }

  private func expire() {
    let now = ContinuousClock.now
    let (requests, error) = lock.withLock {
      expects = false
      var overdue: [Request] = []
      for (key, requests) in waiting {
        // They are in the order of their deadlines.
        let late = requests.prefix { $0.deadline <= now }
        guard !late.isEmpty else { continue }
        overdue += late
        waiting[key] = late.count < requests.count ? Array(requests.dropFirst(late.count)) : nil
      }
      ready.removeAll { waiting[$0] == nil }
      count -= overdue.count
      if count > 0 { expect() }
      return (overdue, passing ?? FactorStoreError(.timeout))
    }
    for request in requests { request.fail(error) }
  }
}
#endif
