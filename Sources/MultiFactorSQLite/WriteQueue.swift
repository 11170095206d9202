#if SQLite
import Foundation
import GRDB
import MultiFactor

/// Where changes wait for their transaction.
///
/// A durable transaction costs one wait for the disk, however much is in it. So while one is being committed, changes
/// gather, and the next transaction takes them all. No task is answered before the commit.
///
/// A task that is cancelled while it waits gets the result of its change all the same: a change that was handed in is
/// made, or an attempt could go uncounted.
final class WriteQueue: Sendable {
  /// How many changes one transaction takes at most, so that other processes get the file in between.
  static let largestTransaction = 256

  /// How long transactions take at most that a task's own thread makes: beside more, two wake-ups are nothing.
  static let longestOnTaskThread = Duration.milliseconds(1)

  /// Answers the task of a change, after the commit.
  typealias Answer = @Sendable () -> Void

  /// A change that waits.
  struct Change: Sendable {
    /// Makes the change, and returns what answers its task: also that the change itself has thrown, before it wrote.
    ///
    /// It writes by one statement at most, which SQLite undoes if it fails. So a change that throws leaves those that
    /// share its transaction as they are, without a savepoint.
    let make: @Sendable (Database) throws -> Answer
    /// Answers its task if the transaction has come to nothing.
    let fail: @Sendable (SQLiteFactorStoreError) -> Void
  }

  private struct State {
    var waiting: [Change] = []
    var isAtWork = false
    /// How long the last transaction took.
    var lastDuration = Duration.zero
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

  /// Hands in a change, whose task is answered in any case.
  ///
  /// If no transaction is under way and the disk is quick, the task's own thread makes the change: waking another one
  /// and being woken again would take 10 µs more. It waits for no other process. GRDB's thread makes all the rest. So
  /// of the few threads on which all tasks run, a store holds at most one, and no longer than the disk takes.
  func enqueue(_ change: Change) {
    let (isFirst, isQuick) = state.withLock { state in
      state.waiting.append(change)
      defer { state.isAtWork = true }
      return (!state.isAtWork, state.lastDuration < Self.longestOnTaskThread)
    }
    guard isFirst else { return }
    if isQuick {
      let isDone = pool.writeWithoutTransaction { db in
        busyWait.withoutWaiting { (try? db.begin()) != nil } && makeWaiting(db, hasBegun: true)
      }
      if isDone { return }
    }
    pool.asyncWriteWithoutTransaction { db in while !self.makeWaiting(db, hasBegun: false) {} }
  }

  /// Makes the changes that wait, as many as one transaction takes, and answers their tasks.
  ///
  /// - Returns: Whether no more wait. The next one is then first again.
  private func makeWaiting(_ db: Database, hasBegun: Bool) -> Bool {
    // Before it takes the changes: more come while another process is waited for.
    let begun = Result { if !hasBegun { try db.begin() } }
    let changes = state.withLock { state in
      let changes = Array(state.waiting.prefix(Self.largestTransaction))
      state.waiting.removeFirst(changes.count)
      return changes
    }
    let start = ContinuousClock.now
    let answers = db.make(changes, in: begun)
    let duration = start.duration(to: .now)
    let isDone = state.withLock { state in
      state.lastDuration = duration
      state.isAtWork = !state.waiting.isEmpty
      return !state.isAtWork
    }
    for answer in answers { answer() }
    return isDone
  }
}

extension Database {
  /// Begins a transaction, and keeps all others from writing to the file.
  fileprivate func begin() throws { try cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute() }

  /// Makes the changes in the transaction that has begun, if it has, and commits it.
  ///
  /// - Returns: What answers the task of each.
  fileprivate func make(_ changes: [WriteQueue.Change], in begun: Result<Void, any Error>) -> [WriteQueue.Answer] {
    do {
      try begun.get()
      let answers = try changes.map { change in
        do {
          return try change.make(self)
        } catch {
          // A full disk and the like end the transaction, and with it the changes before this one.
          guard isInsideTransaction else { throw error }
          let error = SQLiteFactorStoreError(error)
          return { change.fail(error) }
        }
      }
      try cachedStatement(sql: "COMMIT TRANSACTION").execute()
      return answers
    } catch {
      let error = SQLiteFactorStoreError(error)
      // If even this fails, SQLite has ended the transaction itself.
      if isInsideTransaction { try? rollback() }
      return changes.map { change in { change.fail(error) } }
    }
  }
}
#endif
