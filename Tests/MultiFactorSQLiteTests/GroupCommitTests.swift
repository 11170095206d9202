#if SQLite
import Foundation
import GRDB
import Keyring
import MultiFactor
import Testing

@testable import MultiFactorSQLite

@Suite struct GroupCommitTests {
  /// Counts the commits of the writing connection.
  final class CommitCounter: TransactionObserver, @unchecked Sendable {
    private(set) var commits = 0
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { commits += 1 }
    func databaseDidRollback(_ db: Database) {}
  }

  /// A disk on which no commit can be written.
  final class FailingDisk: TransactionObserver {
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseWillCommit() throws { throw DatabaseError(resultCode: .SQLITE_IOERR) }
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
  }

  /// Another connection, like another process's, that locks the file until it is released.
  private struct Holder {
    private let queue: DatabaseQueue

    init(of store: SQLiteFactorStore) async throws {
      var configuration = Configuration()
      configuration.allowsUnsafeTransactions = true
      queue = try DatabaseQueue(path: store.path, configuration: configuration)
      try await queue.writeWithoutTransaction { try $0.beginTransaction(.immediate) }
    }

    func release() async throws { try await queue.writeWithoutTransaction { try $0.rollback() } }
  }

  /// Keeps the file locked until this many changes wait, so that they share a transaction.
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
      try await holder.release()
      return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  private struct Refusal: Error, Equatable {}

  @Test func `changes that wait share a transaction, and if one fails, only that one is undone`() async throws {
    let file = try TemporaryFile()
    let store = try file.store()
    try file.change(
      """
      CREATE TRIGGER refuse BEFORE INSERT ON documents WHEN NEW.document = x'60'
      BEGIN SELECT RAISE (ABORT, 'no'); END
      """)
    let counter = CommitCounter()
    store.pool.add(transactionObserver: counter)
    let results = try await gather(100, on: store) { index in
      try await store.update(DocumentKey(number: index)) { document in
        document = [index == 60 ? 0x60 : 1]
        if index == 40 { throw Refusal() }
      }
    }
    for (index, result) in results.enumerated() {
      switch index {
      case 40: #expect(throws: Refusal()) { try result.get() }
      case 60: #expect(throws: FactorStoreError.self) { try result.get() }
      default: #expect(throws: Never.self) { try result.get() }
      }
    }
    #expect(try await store.keys(after: nil, limit: 200).count == 98)
    #expect(counter.commits == 1)
  }

  @Test func `more changes than fit into a transaction are all made`() async throws {
    let file = try TemporaryFile()
    let store = try file.store()
    let counter = CommitCounter()
    store.pool.add(transactionObserver: counter)
    let count = WriteQueue.largestTransaction * 2 + 1
    let lengths = try await gather(count, on: store) { _ in
      try await store.update(.sample) { document in
        document = (document ?? []) + [1]
        return document?.count ?? 0
      }
    }
    #expect(try lengths.map { try $0.get() }.sorted() == Array(1...count))
    #expect(counter.commits == 3)
  }

  @Test func `a failed commit fails all of its changes with a typed error, and nothing is changed`() async throws {
    let file = try TemporaryFile()
    let store = try await file.filled()
    try await store.pool.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA foreign_keys = 1;
          CREATE TABLE late (a INTEGER REFERENCES late (b) DEFERRABLE INITIALLY DEFERRED, b INTEGER UNIQUE);
          CREATE TRIGGER fail AFTER INSERT ON documents WHEN NEW.document = x'60'
          BEGIN INSERT INTO late VALUES (1, 2); END
          """)
    }
    let results = try await gather(10, on: store) { index in
      try await store.update(DocumentKey(number: index)) { document in
        document = [index == 3 ? 0x60 : 1]
        if index == 5 { throw Refusal() }
      }
    }
    // Even the refused change gets this error: its refusal may have been due to a change that was undone.
    for result in results { #expect(throws: FactorStoreError.self) { try result.get() } }
    #expect(try await store.keys(after: nil, limit: 20) == [.sample])
    // The store keeps working.
    #expect(try await store.increment() == 2)
  }

  @Test func `if the disk fails at a commit, its outcome is unknown`() async throws {
    let file = try TemporaryFile()
    let store = try await file.filled()
    store.pool.add(transactionObserver: FailingDisk(), extent: .databaseLifetime)
    #expect(await kind { _ = try await store.increment() } == .outcomeUnknown)
  }

  @Test func `a full disk is a typed error, and exactly the acknowledged changes are stored`() async throws {
    let file = try TemporaryFile()
    let store = try file.store()
    try await store.pool.writeWithoutTransaction { db in
      let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
      try db.execute(sql: "PRAGMA max_page_count = \(pages + 20)")
    }
    let results = try await gather(30, on: store) { index in
      try await store.update(DocumentKey(number: index)) { document in
        document = Array(repeating: 7, count: index == 15 ? 1_000_000 : 10)
      }
    }
    let made = results.count { if case .success = $0 { true } else { false } }
    #expect(made < 30)
    for case .failure(let error) in results { #expect((error as? FactorStoreError)?.kind == .full) }
    #expect(try await SQLiteFactorStore(path: file.path).keys(after: nil, limit: 99).count == made)
  }

  @Test func `the wait for a file that another connection locks is limited`() async throws {
    let file = try TemporaryFile()
    do { _ = try await file.filled() }
    let store = try SQLiteFactorStore(path: file.path, busyAttempts: 50)
    let holder = try await Holder(of: store)
    #expect(await kind { _ = try await store.increment() } == .timeout)
    #expect(try await store.document(.sample) == [1, 2, 3])

    let waiting = Task { try await file.store().increment() }
    try await Task.sleep(for: .milliseconds(50))
    try await holder.release()
    #expect(try await waiting.value == 2)
  }

  @Test func `a task's own thread never waits for another process, but any other thread may`() async throws {
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
