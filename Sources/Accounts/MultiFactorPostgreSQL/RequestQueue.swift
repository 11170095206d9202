#if PostgreSQL
import Foundation
import MultiFactor

/// A task's request to read or change a document.
struct Request: Sendable {
  /// Resumes the task.
  typealias Answer = @Sendable () -> Void

  let key: DocumentKey
  /// Whether it may change the document; otherwise the document is read.
  let mayWrite: Bool
  /// The time until which it waits for a connection.
  let deadline: ContinuousClock.Instant
  /// Makes the change, and returns what resumes its task, also if the change itself has thrown. It may run again.
  let make: @Sendable (inout StoredDocument) -> Answer
  /// Resumes the task with an error.
  let fail: @Sendable (FactorStoreError) -> Void
}

/// A task's request for a page of keys.
struct Listing: Sendable {
  struct Page: Sendable {
    let keys: [DocumentKey]
    /// The server's time.
    let date: Date
  }

  let key: DocumentKey?
  let limit: Int
  let deadline: ContinuousClock.Instant
  let answer: @Sendable (Result<Page, FactorStoreError>) -> Void
}

/// The next work for a connection.
enum Work {
  /// Requests for different keys, those for each key in order.
  case requests([Batch.Entry])
  case listing(Listing)
}

/// The requests that wait for a connection.
///
/// While all connections are working, requests gather, and the next one to finish takes them together. Two connections
/// never have requests for the same key at once, because they would only conflict.
final class RequestQueue: @unchecked Sendable {
  /// The maximum number of requests in a batch, so that none waits for too many others.
  static let largestBatch = 256

  private let configuration: PostgreSQLFactorStore.Configuration
  private let lock = NSLock()
  private var waiting: [DocumentKey: [Request]] = [:]
  /// The keys with waiting requests that no connection is working on, in the order in which they will be taken.
  private var ready: [DocumentKey] = []
  private var atWork: Set<DocumentKey> = []
  private var listings: [Listing] = []
  private var count = 0
  /// What wakes each worker without work. The last one to finish is the first to be woken: what its server process
  /// needs is in the processor's caches, and it may not have fallen asleep yet.
  private var idle: [DispatchSemaphore] = []
  private var workers = 0
  private var expects = false
  private var isClosed = false
  /// Why the last attempt to connect failed, if it did.
  private var passing: FactorStoreError?

  /// Starts a worker, which takes work until the queue is closed.
  private let begin: @Sendable (RequestQueue) -> Void

  init(_ configuration: PostgreSQLFactorStore.Configuration, begin: @escaping @Sendable (RequestQueue) -> Void) {
    self.configuration = configuration
    self.begin = begin
  }

  /// How many requests are waiting.
  var waitingCount: Int { lock.withLock { count } }

  /// Enqueues a request, whose task is resumed in any case.
  func enqueue(_ request: Request) {
    let isTaken = lock.withLock {
      guard count < configuration.maximumWaiting else { return false }
      if waiting[request.key] == nil, !atWork.contains(request.key) { ready.append(request.key) }
      waiting[request.key, default: []].append(request)
      count += 1
      return true
    }
    if isTaken { wake() } else { request.fail(FactorStoreError(.overloaded)) }
  }

  func enqueue(_ listing: Listing) {
    let isTaken = lock.withLock {
      guard count < configuration.maximumWaiting else { return false }
      listings.append(listing)
      count += 1
      return true
    }
    if isTaken { wake() } else { listing.answer(.failure(FactorStoreError(.overloaded))) }
  }

  /// Says that a worker has no work.
  ///
  /// - Parameter worker: What wakes it.
  func free(_ worker: DispatchSemaphore) {
    lock.withLock { idle.append(worker) }
    wake()
  }

  /// Waits for work, for a worker that has said that it has none.
  ///
  /// - Returns: The work; `nil` once the queue is closed.
  func next(for worker: DispatchSemaphore) -> Work? {
    while true {
      worker.wait()
      // More may be ready than fit into one batch.
      defer { wake() }
      let (work, isOver): (Work?, Bool) = lock.withLock {
        if !listings.isEmpty {
          count -= 1
          return (.listing(listings.removeFirst()), true)
        }
        if !ready.isEmpty { return (.requests(nextBatch()), true) }
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

  /// Puts a listing back, unless it is past its deadline.
  func finish(_ listing: Listing, for error: FactorStoreError) {
    let isLate = listing.deadline <= .now
    lock.withLock {
      passing = error
      guard !isLate else { return }
      listings.append(listing)
      count += 1
    }
    if isLate { listing.answer(.failure(error)) } else { wake() }
  }

  /// Lets all workers end. No requests can be waiting, because every waiting task keeps the store alive.
  func close() {
    lock.withLock {
      isClosed = true
      for worker in idle { worker.signal() }
      idle = []
    }
  }

  /// Wakes or starts a worker if there is work, and schedules the expiry of late requests. It wakes it without the
  /// lock, for which the worker would otherwise wait.
  private func wake() {
    let worker: DispatchSemaphore? = lock.withLock {
      if count > 0 { expect() }
      guard isClosed || !ready.isEmpty || !listings.isEmpty else { return nil }
      if idle.isEmpty, workers < configuration.connections {
        workers += 1
        begin(self)
      }
      return idle.popLast()
    }
    worker?.signal()
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
    let (requests, pages, error) = lock.withLock {
      expects = false
      var overdue: [Request] = []
      for (key, requests) in waiting {
        // They are in the order of their deadlines.
        let late = requests.prefix { $0.deadline <= now }
        guard !late.isEmpty else { continue }
        overdue += late
        waiting[key] = late.count < requests.count ? Array(requests.dropFirst(late.count)) : nil
      }
      let pages = listings.filter { $0.deadline <= now }
      listings.removeAll { $0.deadline <= now }
      ready.removeAll { waiting[$0] == nil }
      count -= overdue.count + pages.count
      if count > 0 { expect() }
      return (overdue, pages, passing ?? FactorStoreError(.timeout))
    }
    for request in requests { request.fail(error) }
    for page in pages { page.answer(.failure(error)) }
  }
}
#endif
