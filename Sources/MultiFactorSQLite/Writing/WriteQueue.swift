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

  /// A change that waits.
  struct Change: Sendable {
    /// Makes the change, and returns what answers its task, for after the commit.
    let make: @Sendable (Database) throws -> @Sendable () -> Void
    /// Answers its task where it is not made.
    let fail: @Sendable (SQLiteFactorStoreError) -> Void
  }

  private struct State {
    var waiting: [Change] = []
    var isDraining = false
  }

  private let pool: DatabasePool
  private let state = Locked(State())

  init(pool: DatabasePool) { self.pool = pool }

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

  /// The change of a task that finds nobody at work is made on its own thread: to wake another one and be woken again
  /// would cost as much as the transaction. So of all tasks one at most, for each store, keeps a thread that waits for the
  /// disk. What has gathered meanwhile is made on the store's own thread.
  private func enqueue(_ change: Change) {
    let isFirst = state.withLock { state in
      state.waiting.append(change)
      defer { state.isDraining = true }
      return !state.isDraining
    }
    guard isFirst else { return }
    let isEmpty = pool.writeWithoutTransaction(makeWaiting)
    if !isEmpty {
      pool.asyncWriteWithoutTransaction { db in
        while !self.makeWaiting(db) {}
      }
    }
  }

  /// Makes the changes that wait, as many as one transaction takes, and answers their tasks.
  ///
  /// - Returns: Whether no more wait. The next one is then first again.
  private func makeWaiting(_ db: Database) -> Bool {
    let changes = state.withLock { state in
      let changes = Array(state.waiting.prefix(Self.largestTransaction))
      state.waiting.removeFirst(changes.count)
      return changes
    }
    let answers = db.transaction(of: changes)
    let isEmpty = state.withLock { state in
      state.isDraining = !state.waiting.isEmpty
      return state.waiting.isEmpty
    }
    for answer in answers { answer() }
    return isEmpty
  }
}

extension Database {
  /// Makes the changes in one transaction.
  ///
  /// - Returns: What answers the task of each.
  fileprivate func transaction(of changes: [WriteQueue.Change]) -> [@Sendable () -> Void] {
    var answers: [@Sendable () -> Void] = []
    do {
      try run("BEGIN IMMEDIATE TRANSACTION")
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
