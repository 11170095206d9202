#if PostgreSQL
import Foundation
import MultiFactor

/// What a task waits for: a document, read or changed.
struct Request: Sendable {
  /// Answers the task.
  typealias Answer = @Sendable () -> Void

  let key: DocumentKey
  /// When it stops waiting for a connection.
  let deadline: ContinuousClock.Instant
  /// Makes the change, and returns what answers its task, also that the change itself has thrown. It may run again.
  let make: @Sendable (inout [UInt8]?) -> Answer
  /// Answers the task if it came to nothing.
  let fail: @Sendable (PostgreSQLFactorStoreError) -> Void
}

/// What a task waits for: a page of keys.
struct Listing: Sendable {
  struct Page: Sendable {
    let keys: [DocumentKey]
    /// The server's time.
    let date: Date
  }

  let key: DocumentKey?
  let limit: Int
  let deadline: ContinuousClock.Instant
  let answer: @Sendable (Result<Page, PostgreSQLFactorStoreError>) -> Void
}

/// What a connection does next.
enum Work {
  /// Requests for different keys, those for each in their order.
  case requests([(key: DocumentKey, requests: [Request])])
  case listing(Listing)
}

/// Where requests wait for a connection.
///
/// While each connection is at work, requests gather, and the next one that is done takes them together. No two have
/// requests for one key, which would only be in each other's way.
final class RequestQueue: @unchecked Sendable {
  /// How many requests a connection takes at most, so that none waits for too many others.
  static let largestBatch = 256

  private let configuration: PostgreSQLFactorStore.Configuration
  private let condition = NSCondition()
  private var waiting: [DocumentKey: [Request]] = [:]
  /// The keys that have requests and are at no connection, in the order in which they are taken.
  private var ready: [DocumentKey] = []
  private var atWork: Set<DocumentKey> = []
  private var listings: [Listing] = []
  private var count = 0
  private var (idleWorkers, workers) = (0, 0)
  private var expects = false
  private var isClosed = false
  /// Why there is no connection, since one was last tried.
  private var passing: PostgreSQLFactorStoreError?

  /// Begins a worker, which takes work for as long as there may be any.
  private let begin: @Sendable (RequestQueue) -> Void

  init(_ configuration: PostgreSQLFactorStore.Configuration, begin: @escaping @Sendable (RequestQueue) -> Void) {
    self.configuration = configuration
    self.begin = begin
  }

  /// How many requests wait now.
  var waitingCount: Int { condition.withLock { count } }

  /// Hands in a request, whose task is answered in any case.
  func enqueue(_ request: Request) {
    let isTaken = condition.withLock {
      guard count < configuration.maximumWaiting else { return false }
      append([request], to: request.key)
      wake()
      return true
    }
    if !isTaken { request.fail(PostgreSQLFactorStoreError(.overloaded)) }
  }

  func enqueue(_ listing: Listing) {
    let isTaken = condition.withLock {
      guard count < configuration.maximumWaiting else { return false }
      listings.append(listing)
      count += 1
      wake()
      return true
    }
    if !isTaken { listing.answer(.failure(PostgreSQLFactorStoreError(.overloaded))) }
  }

  /// Waits for something to do.
  ///
  /// - Returns: What it is; `nil` when there will be nothing more.
  func take() -> Work? {
    condition.withLock {
      while !isClosed {
        if !listings.isEmpty {
          count -= 1
          return .listing(listings.removeFirst())
        }
        if !ready.isEmpty { return .requests(takeReady()) }
        idleWorkers += 1
        condition.wait()
        idleWorkers -= 1
      }
      return nil
    }
  }

  private func takeReady() -> [(key: DocumentKey, requests: [Request])] {
    var (batch, taken): ([(key: DocumentKey, requests: [Request])], Int) = ([], 0)
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

  /// Takes a worker's keys back.
  ///
  /// - Parameters:
  ///   - keys: All keys that it has taken.
  ///   - again: The requests that must be made again, unless they have waited for too long.
  ///   - error: Why, if for want of a connection.
  func finish(_ keys: [DocumentKey], again: [Request], for error: PostgreSQLFactorStoreError? = nil) {
    let now = ContinuousClock.now
    condition.withLock {
      passing = error
      for request in again.reversed() where request.deadline > now {
        waiting[request.key, default: []].insert(request, at: 0)
        count += 1
      }
      for key in keys {
        atWork.remove(key)
        if waiting[key] != nil { ready.append(key) }
      }
      if !ready.isEmpty { wake() }
    }
    for request in again where request.deadline <= now {
      request.fail(error ?? PostgreSQLFactorStoreError(.timeout))
    }
  }

  /// Puts a listing back, unless it has waited for too long.
  func finish(_ listing: Listing, for error: PostgreSQLFactorStoreError) {
    let isLate = listing.deadline <= .now
    condition.withLock {
      passing = error
      guard !isLate else { return }
      listings.append(listing)
      count += 1
      wake()
    }
    if isLate { listing.answer(.failure(error)) }
  }

  /// Whether the store is gone, after a pause.
  func isOver(after pause: Duration) -> Bool {
    Thread.sleep(forTimeInterval: pause / .seconds(1))
    return condition.withLock { isClosed }
  }

  /// Lets all workers end. Nothing waits: each task that does has the store.
  func close() {
    condition.withLock {
      isClosed = true
      condition.broadcast()
    }
  }

  private func append(_ requests: [Request], to key: DocumentKey) {
    if waiting[key] == nil, !atWork.contains(key) { ready.append(key) }
    waiting[key, default: []] += requests
    count += requests.count
  }

  /// Has a worker look, and a timer beside them.
  private func wake() {
    if idleWorkers > 0 {
      condition.signal()
    } else if workers < configuration.connections {
      workers += 1
      begin(self)
    }
    expect()
  }
}

// Requests that have waited for too long.
extension RequestQueue {
  /// Looks for them soon, unless somebody does already.
  private func expect() {
    guard !expects else { return }
    expects = true
    let pause = configuration.waitingSeconds / 8
    DispatchQueue.global().asyncAfter(deadline: .now() + pause) { [weak self] in self?.expire() }
  }

  private func expire() {
    let now = ContinuousClock.now
    let (requests, pages, error) = condition.withLock {
      expects = false
      var overdue: [Request] = []
      for (key, requests) in waiting {
        // They came one after the other.
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
      return (overdue, pages, passing ?? PostgreSQLFactorStoreError(.timeout))
    }
    for request in requests { request.fail(error) }
    for page in pages { page.answer(.failure(error)) }
  }
}
#endif
