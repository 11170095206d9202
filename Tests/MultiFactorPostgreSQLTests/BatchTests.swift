#if PostgreSQL
import Foundation
import Keyring
import MultiFactor
import Testing

@testable import MultiFactorPostgreSQL

@Suite struct BatchTests {
  private struct Refusal: Error, Equatable {}

  /// Blocks a store's only connection until this many requests wait, so that the next batch takes them all.
  private func gather<Value: Sendable>(
    _ count: Int, on store: PostgreSQLFactorStore, of database: Database,
    _ body: @escaping @Sendable (Int) async throws -> Value
  ) async throws -> [Result<Value, any Error>] {
    try await store.append(DocumentKey(number: -1))
    let holder = try database.hold()
    let first = Task { try await store.append(DocumentKey(number: -1)) }
    while try database.waiting == 0 { await Task.yield() }
    let tasks = (0..<count).map { index in Task { try await body(index) } }
    while store.queue.waitingCount < count { await Task.yield() }
    try holder.release()
    _ = try await first.value
    var results: [Result<Value, any Error>] = []
    for task in tasks { results.append(await task.result) }
    return results
  }

  @Test func `changes that wait share a commit, and if one throws, only that one is undone`() async throws {
    let database = try Database()
    let store = try database.store { $0.connections = 1 }
    // In turn the changes create documents, replace them, and delete them.
    for (round, document) in ([[1], [2], nil] as [[UInt8]?]).enumerated() {
      let results = try await gather(100, on: store, of: database) { index in
        try await store.update(DocumentKey(number: index)) { stored in
          stored = document
          if index == 40 { throw Refusal() }
        }
      }
      for (index, result) in results.enumerated() {
        if index == 40 {
          #expect(throws: Refusal()) { try result.get() }
        } else {
          #expect(throws: Never.self) { try result.get() }
        }
      }
      let rows = try database.run(
        "SELECT count(*), count(DISTINCT xmin::text) FROM \(database.schema).documents WHERE key <> 'user/-1'")
      #expect(rows.integer(0, 0) == (round == 2 ? 0 : 99))
      #expect(rows.integer(0, 1) == (round == 2 ? 0 : 1))
    }
  }

  @Test func `calls one after another use one connection`() async throws {
    let database = try Database()
    let store = try database.store("application_name=\(database.schema)")
    for number in 1...20 { try await store.append(DocumentKey(number: number)) }
    let connections = "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(database.schema)'"
    #expect(try database.run(connections).integer(0, 0) == 1)
  }

  @Test func `more changes than fit into a batch are all made, those of one key in their order`() async throws {
    let database = try Database()
    let store = try database.store { $0.connections = 1 }
    let lengths = try await gather(600, on: store, of: database) { index in
      try await store.append(DocumentKey(number: index % 2))
    }
    for start in 0..<2 {
      let made = try stride(from: start, to: 600, by: 2).map { try lengths[$0].get() }
      #expect(made.sorted() == Array(1...300))
    }
  }

  /// Updates the sample document, and lets something else happen once the change has run for the first time.
  private func update<Value: Sendable>(
    on store: PostgreSQLFactorStore, while other: () async throws -> Void,
    _ change: @escaping @Sendable (inout [UInt8]?) -> Value
  ) async throws -> (result: Value, runs: Int) {
    let runs = Locked(0)
    let (began, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let update = Task {
      try await store.update(.sample) { document in
        let isFirst = runs.withLock { runs in
          runs += 1
          return runs == 1
        }
        if isFirst {
          began.signal()
          goesOn.wait()
        }
        return change(&document)
      }
    }
    await began.waiting()
    try await other()
    goesOn.signal()
    return (try await update.value, runs.withLock { $0 })
  }

  @Test func `a change runs again if another machine changed the document first`() async throws {
    let database = try Database()
    let (one, other) = try await (database.filled(), database.store())
    let made = try await update(on: one, while: { try await other.append() }) { $0 = ($0 ?? []) + [7] }
    #expect(made.runs == 2)
    #expect(try await other.document(.sample) == [1, 1, 7])
  }

  @Test(arguments: [[1], nil] as [[UInt8]?])
  func `a document that was deleted and created again counts as changed`(before: [UInt8]?) async throws {
    let database = try Database()
    let (one, other) = try (database.store(), database.store())
    try await one.update(.sample) { $0 = before }
    let changes: [[UInt8]?] = [nil, [1], nil, [2]]
    let made = try await update(on: one) {
      for document in changes { try await other.update(.sample) { $0 = document } }
    } _: { document in
      defer { document = [9] }
      return document
    }
    #expect(made.result == [2])
  }

  @Test func `a document is created only beside the mark that the change has seen`() async throws {
    let database = try Database()
    let (one, other) = try (database.store(), database.store())
    try await one.update(.mark) { $0 = [1] }
    let made = try await update(on: one, while: { try await other.update(.mark) { $0 = [2] } }) { $0 = [7] }
    #expect(made.runs == 2)
  }

  @Test func `requests for one document stay in their order if a write must be repeated`() async throws {
    let database = try Database()
    _ = try await database.filled()
    let server = try PostgreSQLFactorStore.server(database.url, database.configuration())
    let requests = ([nil, [2]] as [[UInt8]?]).enumerated().map { index, new in
      Request(
        key: .sample, mayWrite: true, deadline: .now + .seconds(index),
        make: { stored in
          _ = try? database.run("UPDATE \(database.schema).documents SET version = 0")
          stored.bytes = new
          return {}
        }, fail: { _ in })
    }
    var batch = Batch(server: server, connection: try server.connect(), [(.sample, requests)])
    batch.run()
    #expect(batch.again.map(\.deadline) == requests.map(\.deadline))
  }

  @Test func `a worker without work is woken for what does not fit into a batch`() throws {
    let queue = RequestQueue(try Database().configuration()) { _ in }
    let workers = (0..<2).map { _ in DispatchSemaphore(value: 0) }
    queue.free(workers[0])
    let requests = (0..<300).map { number in
      Request(
        key: DocumentKey(number: number), mayWrite: false, deadline: .now + .seconds(Database.patience),
        make: { _ in {} }, fail: { _ in })
    }
    queue.finish(requests.map(\.key), again: requests)
    queue.free(workers[1])
    guard case .requests(let batch)? = queue.next(for: workers[1]) else {
      Issue.record("no requests")
      return
    }
    #expect(batch.count == 256)
    #expect(workers[0].wait(timeout: .now()) == .success)
  }

  @Test func `changes that the server aborts to resolve a deadlock are made again`() async throws {
    let database = try Database()
    // Long enough for a slow machine to reach the deadlock: the server looks for one only once.
    let store = try database.store("application_name=\(database.schema) options='-c deadlock_timeout=10s'") {
      $0.connections = 1
    }
    for number in 0...2 { try await store.append(DocumentKey(number: number)) }
    // Another program's transaction, which locks the rows in another order.
    let holder = try database.connection("options='-c deadlock_timeout=20min'")
    func lock(_ number: Int) throws {
      let row = "UPDATE \(database.schema).documents SET key = key WHERE key = 'user/\(number)'"
      _ = try holder.ask(row)
    }
    _ = try holder.ask("BEGIN")
    try lock(2)
    let runs = Locked(0)
    let (began, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let first = Task {
      try await store.update(DocumentKey(number: 0)) { _ in
        began.signal()
        goesOn.wait()
      }
    }
    await began.waiting()
    let tasks = (1...2).map { number in
      Task {
        try await store.update(DocumentKey(number: number)) { document in
          document = [9]
          runs.withLock { $0 += 1 }
        }
      }
    }
    while store.queue.waitingCount < 2 { await Task.yield() }
    // For the document as it is known, and, since it is left as it is, as it is then read.
    for _ in 0..<2 { goesOn.signal() }
    try await first.value
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(database.schema)'"
    while try database.run("\(waits) AND wait_event_type = 'Lock'").integer(0, 0) == 0 { await Task.yield() }
    // It now waits for the store, which waits for it.
    try lock(1)
    try holder.release()
    for task in tasks { try await task.value }
    // At least once again each: the store may lock the first row again before the other transaction does, for another
    // deadlock.
    #expect(runs.withLock { $0 >= 4 && $0.isMultiple(of: 2) })
    for number in 1...2 { #expect(try await store.document(DocumentKey(number: number)) == [9]) }
  }

  @Test func `the number of waiting calls is limited`() async throws {
    let database = try Database()
    _ = try await database.filled()
    let store = try database.store { ($0.connections, $0.maximumWaiting, $0.waitingSeconds) = (1, 2, 60) }
    let holder = try database.hold()
    let held = Task { await kind { try await store.append() } }
    while try database.waiting == 0 { await Task.yield() }
    let waiting = [
      Task { await kind { try await store.append() } },
      Task { await kind { try await store.keys(after: nil, limit: 1) } },
    ]
    while store.queue.waitingCount < 2 { await Task.yield() }
    #expect(await kind { try await store.append() } == .overloaded)
    #expect(await kind { try await store.keys(after: nil, limit: 1) } == .overloaded)
    try holder.release()
    for task in [held] + waiting { #expect(await task.value == nil) }
    #expect(try await store.document(.sample) == [1, 1, 1])
  }

  @Test func `the wait for a connection is limited`() async throws {
    let database = try Database()
    _ = try await database.filled()
    let store = try database.store { ($0.connections, $0.waitingSeconds) = (1, 8) }
    let holder = try database.hold()
    let held = Task { await kind { try await store.append() } }
    while try database.waiting == 0 { await Task.yield() }
    async let append = kind { try await store.append() }
    async let listing = kind { try await store.keys(after: nil, limit: 1) }
    #expect(await append == .timeout)
    #expect(await listing == .timeout)
    try holder.release()
    #expect(await held.value == nil)
    #expect(try await store.document(.sample) == [1, 1])
  }

  @Test func `the wait for a lock that another connection holds is limited`() async throws {
    let database = try Database()
    let patient = try await database.filled()
    // The server's own timeout comes before the store's, which could not tell that nothing was changed.
    let store = try database.store { $0.statementSeconds = 12 }
    let holder = try database.hold()
    #expect(await kind { try await store.append() } == .timeout)
    try holder.release()
    #expect(try await patient.append() == 2)
  }
}

extension DispatchSemaphore {
  /// Waits without blocking a thread of the task pool.
  func waiting() async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        self.wait()
        continuation.resume()
      }
    }
  }
}

extension Database {
  /// The number of statements on this schema that wait for a lock.
  var waiting: Int64 {
    get throws {
      try run(
        """
        SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = to_regclass('\(schema).documents')
        """
      ).integer(0, 0) ?? 0
    }
  }
}
#endif
