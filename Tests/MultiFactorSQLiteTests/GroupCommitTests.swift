#if SQLite
import Foundation
import GRDB
import MultiFactor
import Testing

@testable import MultiFactorSQLite

@Suite struct GroupCommitTests {
  /// Counts commits of the connection that writes.
  final class CommitCounter: TransactionObserver, @unchecked Sendable {
    private(set) var commits = 0
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { commits += 1 }
    func databaseDidRollback(_ db: Database) {}
  }

  /// Another connection, as of another process, that holds the file until it is told to let go.
  private struct Holder {
    private let queue: DatabaseQueue

    init(of store: SQLiteFactorStore) async throws {
      var configuration = Configuration()
      configuration.allowsUnsafeTransactions = true
      queue = try DatabaseQueue(path: store.path, configuration: configuration)
      try await queue.writeWithoutTransaction { try $0.beginTransaction(.immediate) }
    }

    func letGo() async throws { try await queue.writeWithoutTransaction { try $0.rollback() } }
  }

  /// Has the file held until so many changes wait, so that they share a transaction.
  private func gather<Value: Sendable>(
    _ count: Int, on store: SQLiteFactorStore, _ body: @escaping @Sendable (Int) async throws -> Value
  ) async throws -> [Result<Value, any Error>] {
    let holder = try await Holder(of: store)
    return try await withThrowingTaskGroup(of: (Int, Result<Value, any Error>).self) { group in
      for index in 0..<count {
        group.addTask {
          do { return (index, .success(try await body(index))) } catch { return (index, .failure(error)) }
        }
      }
      while store.changes.waitingCount < count { await Task.yield() }
      try await holder.letGo()
      return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  @Test func `changes that wait share a transaction, and one that fails is undone alone`() async throws {
    let file = try TemporaryFile()
    let store = try SQLiteFactorStore(path: file.path)
    let counter = CommitCounter()
    store.pool.add(transactionObserver: counter)
    let results = try await gather(100, on: store) { index in
      if index == 40 { return try await store.enroll(.impossible("f40"), under: .any) }
      if index == 60 {
        return try await store.write { db in
          // What it did before it failed is undone too.
          try db.run("DELETE FROM factors")
          throw SQLiteFactorStoreError(.corrupt)
        }
      }
      return try await store.enroll(.sample("f\(index)"), under: .any)
    }
    for (index, result) in results.enumerated() {
      switch index {
      case 40, 60: #expect(throws: SQLiteFactorStoreError.self) { try result.get() }
      default: #expect(try result.get() == .enrolled)
      }
    }
    #expect(try await store.account(of: "u").factors.count == 98)
    #expect(counter.commits == 1)
  }

  @Test func `more changes than a transaction takes are all made`() async throws {
    let file = try TemporaryFile()
    let store = try SQLiteFactorStore(path: file.path)
    let counter = CommitCounter()
    store.pool.add(transactionObserver: counter)
    let count = WriteQueue.largestTransaction * 2 + 1
    let generations = try await gather(count, on: store) { _ in try await store.revokeHandles(of: "u") }
    #expect(try generations.map { try $0.get() }.sorted() == Array(1...UInt64(count)))
    #expect(counter.commits == 3)
  }

  @Test func `a commit that fails fails all, with a typed error, and nothing is changed`() async throws {
    let file = try TemporaryFile()
    let store = try SQLiteFactorStore(path: file.path)
    _ = try await store.enroll(.sample("f"), under: .any)
    try await store.pool.write { db in
      try db.execute(
        sql: """
          CREATE TABLE late (a INTEGER REFERENCES late (rowid_of_none) DEFERRABLE INITIALLY DEFERRED,
            rowid_of_none INTEGER UNIQUE)
          """)
    }
    let results = try await gather(10, on: store) { index -> UInt64 in
      if index == 3 {
        return try await store.write { db in
          try db.run("INSERT INTO late VALUES (1, 2)")
          return 0
        }
      }
      return try await store.revokeHandles(of: "u")
    }
    for result in results { #expect(throws: SQLiteFactorStoreError.self) { try result.get() } }
    #expect(try await store.account(of: "u").generation == 0)
    // The store goes on.
    #expect(try await store.revokeHandles(of: "u") == 1)
  }

  @Test func `a full disk fails typed, and what was answered is what is there`() async throws {
    let file = try TemporaryFile()
    let store = try SQLiteFactorStore(path: file.path)
    try await store.pool.writeWithoutTransaction { db in
      let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
      try db.execute(sql: "PRAGMA max_page_count = \(pages + 20)")
    }
    let results = try await gather(30, on: store) { index in
      try await store.enroll(
        .sample("f\(index)", sealed: Array(repeating: 7, count: index == 15 ? 1_000_000 : 10)), under: .any)
    }
    let enrolled = results.filter { (try? $0.get()) == .enrolled }.count
    #expect(enrolled < 30)
    for case .failure(let error) in results { #expect((error as? SQLiteFactorStoreError)?.kind == .failed) }
    #expect(try await SQLiteFactorStore(path: file.path).account(of: "u").factors.count == enrolled)
  }

  @Test func `an attempt is counted although its task was cancelled while it waited`() async throws {
    let file = try TemporaryFile()
    let store = try await file.filled()
    let before = try await store.account(of: "u").factors[0].attempts.attempts
    let holder = try await Holder(of: store)
    let task = Task {
      try await store.reserveAttempt(on: .factor(uid: "f"), of: "u", at: .now, under: .standard)
    }
    while store.changes.waitingCount == 0 { await Task.yield() }
    task.cancel()
    try await holder.letGo()
    guard case .reserved(let reservation) = try await task.value else {
      Issue.record("the attempt was not reserved")
      return
    }
    #expect(reservation.number == before + 1)
    #expect(try await store.account(of: "u").factors[0].attempts.attempts == before + 1)
  }

  @Test func `the caller's own transaction, rolled back, does not undo a counted failure`() async throws {
    let file = try TemporaryFile()
    let store = try await file.filled()
    let before = try await store.account(of: "u").factors[0].attempts.attempts
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let own = try DatabaseQueue(path: file.path, configuration: configuration)
    try await own.writeWithoutTransaction { db in
      try db.beginTransaction(.deferred)
      _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM factors")
    }
    _ = try await store.reserveAttempt(on: .factor(uid: "f"), of: "u", at: .now, under: .standard)
    try await own.writeWithoutTransaction { try $0.rollback() }
    #expect(try await store.account(of: "u").factors[0].attempts.attempts == before + 1)
  }

  @Test func `a file that another holds is waited for, within a bound`() async throws {
    let file = try TemporaryFile()
    do { _ = try await file.filled() }
    let store = try SQLiteFactorStore(path: file.path, busyAttempts: 50)
    let before = try await store.account(of: "u")
    let holder = try await Holder(of: store)
    #expect(
      await kind { _ = try await store.reserveAttempt(on: .recoveryCodes, of: "u", at: .now, under: .standard) }
        == .busy
    )
    #expect(try await store.account(of: "u") == before)

    let waiting = Task { try await SQLiteFactorStore(path: file.path).revokeHandles(of: "u") }
    try await Task.sleep(for: .milliseconds(50))
    try await holder.letGo()
    #expect(try await waiting.value == 1)
  }

  @Test func `a task's own thread waits for no other process, and every other one may`() async throws {
    let busyWait = BusyWait(attempts: 2)
    #expect(busyWait.isWorthwhile(after: 1))
    #expect(!busyWait.isWorthwhile(after: 2))
    let elsewhere = DispatchQueue(label: "elsewhere")
    busyWait.withoutWaiting {
      #expect(!busyWait.isWorthwhile(after: 0))
      let other = Locked(false)
      let done = DispatchSemaphore(value: 0)
      elsewhere.async {
        other.withLock { $0 = busyWait.isWorthwhile(after: 0) }
        done.signal()
      }
      done.wait()
      #expect(other.withLock { $0 })
    }
    #expect(busyWait.isWorthwhile(after: 0))
  }
}
#endif
