#if SQLite
import GRDB
import MultiFactor

/// Where changes wait for their transaction.
///
/// A durable transaction costs one wait for the disk, however much is in it. So while one is being committed, changes
/// gather, and the next transaction takes them all: each in a savepoint of its own, so that one that fails is undone
/// alone. Nobody is answered before the commit.
///
/// A task that is cancelled while it waits gets the result of its change all the same: a change that was handed in is
/// made, or an attempt could go uncounted.
final class WriteQueue: Sendable {
  /// How many changes one transaction takes at most, so that other processes get the file in between.
  static let largestTransaction = 256

  /// How long transactions take at most that a task's own thread makes: beside more, two wake-ups are nothing.
  static let longestOnTaskThread = Duration.milliseconds(1)

  /// A change that waits.
  struct Change: Sendable {
    /// Makes the change, and returns what answers its task, for after the commit.
    let make: @Sendable (Database) throws -> @Sendable () -> Void
    /// Answers its task where it is not made.
    let fail: @Sendable (SQLiteFactorStoreError) -> Void
  }

  private struct State {
    var waiting: [Change] = []
    var isAtWork = false
    /// How long the last transaction took.
    var lastDuration = Duration.zero

    /// Ends the work, unless changes wait; returns whether it has ended.
    mutating func endUnlessWaiting() -> Bool {
      isAtWork = !waiting.isEmpty
      return waiting.isEmpty
    }
  }

  private let pool: DatabasePool
  private let busyWait: BusyWait
  private let state = Locked(State())

  init(pool: DatabasePool, busyWait: BusyWait) {
    self.pool = pool
    self.busyWait = busyWait
  }

  /// How many changes wait now.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Makes a change in a transaction, and returns when that is durable.
  ///
  /// - Throws: `SQLiteFactorStoreError`; the change has not been made.
  func write<Value: Sendable>(_ change: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      enqueue(
        Change(
          make: { db in
            let value = try change(db)
            return { continuation.resume(returning: value) }
          },
          fail: { continuation.resume(throwing: $0) }))
    }
  }

  /// Where nobody is at work and the disk is quick, the task's own thread makes the change: to wake another one and be
  /// woken again would cost as much as the transaction. It waits for no other process. The store's own thread makes
  /// all the rest.
  ///
  /// So of the few threads on which all tasks run, a store holds one at most, and no longer than the disk takes.
  private func enqueue(_ change: Change) {
    let (isFirst, isQuick) = state.withLock { state in
      state.waiting.append(change)
      defer { state.isAtWork = true }
      return (!state.isAtWork, state.lastDuration < Self.longestOnTaskThread)
    }
    guard isFirst else { return }
    if isQuick {
      let isDone = pool.writeWithoutTransaction { db in
        busyWait.withoutWaiting { (try? db.begin()) != nil } && makeWaiting(db)
      }
      if isDone { return }
    }
    pool.asyncWriteWithoutTransaction { db in
      var isDone = false
      while !isDone {
        do {
          try db.begin()
          isDone = self.makeWaiting(db)
        } catch {
          isDone = self.failWaiting(SQLiteFactorStoreError(error))
        }
      }
    }
  }

  /// Makes the changes that wait, as many as one transaction takes, in the one that has begun, and answers their tasks.
  ///
  /// - Returns: Whether no more wait. The next one is then first again.
  private func makeWaiting(_ db: Database) -> Bool {
    let changes = takeWaiting()
    let start = ContinuousClock.now
    let answers = db.make(changes)
    let duration = start.duration(to: .now)
    let isDone = state.withLock { state in
      state.lastDuration = duration
      return state.endUnlessWaiting()
    }
    for answer in answers { answer() }
    return isDone
  }

  /// Answers the tasks of as many changes as one transaction takes that their changes have not been made.
  ///
  /// - Returns: Whether no more wait.
  private func failWaiting(_ error: SQLiteFactorStoreError) -> Bool {
    let changes = takeWaiting()
    let isDone = state.withLock { $0.endUnlessWaiting() }
    for change in changes { change.fail(error) }
    return isDone
  }

  private func takeWaiting() -> [Change] {
    state.withLock { state in
      let changes = Array(state.waiting.prefix(Self.largestTransaction))
      state.waiting.removeFirst(changes.count)
      return changes
    }
  }
}

extension Database {
  /// Begins a transaction, as the only one who writes to the file.
  fileprivate func begin() throws { try run("BEGIN IMMEDIATE TRANSACTION") }

  /// Makes the changes in the transaction that has begun, and commits it.
  ///
  /// - Returns: What answers the task of each.
  fileprivate func make(_ changes: [WriteQueue.Change]) -> [@Sendable () -> Void] {
    var answers: [@Sendable () -> Void] = []
    do {
      if changes.count == 1 {
        answers.append(try changes[0].make(self))
      } else {
        for change in changes { answers.append(try savepoint(change)) }
      }
      try run("COMMIT TRANSACTION")
      return answers
    } catch {
      let error = SQLiteFactorStoreError(error)
      // Where even this fails, SQLite has ended the transaction itself.
      if isInsideTransaction { try? rollback() }
      return changes.map { change in { change.fail(error) } }
    }
  }

  /// Makes a change that is undone alone if it fails.
  ///
  /// - Throws: Where the whole transaction has come to nothing.
  private func savepoint(_ change: WriteQueue.Change) throws -> @Sendable () -> Void {
    try run("SAVEPOINT change")
    do {
      let answer = try change.make(self)
      try run("RELEASE SAVEPOINT change")
      return answer
    } catch {
      // A full disk and the like end the transaction, and with it the changes before this one.
      guard isInsideTransaction else { throw error }
      try run("ROLLBACK TRANSACTION TO SAVEPOINT change")
      try run("RELEASE SAVEPOINT change")
      let error = SQLiteFactorStoreError(error)
      return { change.fail(error) }
    }
  }
}
#endif
