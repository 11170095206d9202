#if SQLite
import Foundation
import GRDB
import Keyring
import MultiFactor

/// The changes that wait for their transaction.
///
/// A durable transaction costs one wait for the disk, however much is in it. So while one is being committed, changes
/// gather, and the next transaction takes them all. No task is resumed before the commit.
///
/// A task that is cancelled while it waits still gets the result of its change: every enqueued change is made, or an
/// attempt could go uncounted.
final class WriteQueue: Sendable {
  /// The maximum number of changes in one transaction, so that other processes get the file in between.
  static let largestTransaction = 256

  /// Transactions run on a task's own thread only if they are shorter than this: for longer ones, two wake-ups do not
  /// matter.
  static let longestOnTaskThread = Duration.milliseconds(1)

  /// Resumes the task of a change, after the commit.
  typealias Answer = @Sendable () -> Void

  /// A waiting change.
  struct Change: Sendable {
    /// Makes the change, and returns what resumes its task, also if the change itself has thrown, before writing
    /// anything.
    ///
    /// It writes with at most one statement, which SQLite undoes if it fails. So a change that throws does not affect
    /// the others in its transaction, without a savepoint.
    let make: @Sendable (Database) throws -> Answer
    /// Resumes its task with an error if the transaction failed.
    let fail: @Sendable (FactorStoreError) -> Void
  }

  private struct State {
    var waiting: [Change] = []
    var isAtWork = false
    /// How long the last transaction took.
    var lastDuration = Duration.zero
  }

  private let pool: DatabasePool
  private let identity: FileIdentity
  private let busyWait: BusyWait
  private let state = Locked(State())

  init(pool: DatabasePool, identity: FileIdentity, busyWait: BusyWait) {
    self.pool = pool
    self.identity = identity
    self.busyWait = busyWait
  }

  /// How many changes are waiting.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Enqueues a change, whose task is resumed in any case.
  ///
  /// If no transaction is in progress and the disk is fast, the task's own thread makes the change: waking another one
  /// and being woken again would take 10 µs more. It does not wait for other processes. GRDB's thread makes all other
  /// changes. So a store blocks at most one of the few threads on which all tasks run, and no longer than the disk
  /// takes.
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

  /// Makes the waiting changes, as many as fit into one transaction, and resumes their tasks.
  ///
  /// - Returns: Whether none are left. The next one enqueued is then first again.
  private func makeWaiting(_ db: Database, hasBegun: Bool) -> Bool {
    // Begin before taking the changes: more may arrive while waiting for another process.
    let begun = Result {
      if !hasBegun { try db.begin() }
      try identity.check()
    }
    let changes = state.withLock { state in
      let changes = Array(state.waiting.prefix(Self.largestTransaction))
      state.waiting.removeFirst(changes.count)
      return changes
    }
    let start = ContinuousClock.now
    let answers = db.make(changes, in: begun)
    // Save what is in a log that was removed.
    if case .failure = begun, identity.hasOnlyLostLog { _ = try? db.checkpoint(.passive) }
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
  /// Begins a transaction, which keeps other connections from writing to the file.
  fileprivate func begin() throws { try cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute() }

  /// Makes the changes in the transaction that has begun, if it has, and commits it.
  ///
  /// - Returns: What resumes the task of each.
  fileprivate func make(_ changes: [WriteQueue.Change], in begun: Result<Void, any Error>) -> [WriteQueue.Answer] {
    do {
      try begun.get()
      let answers = try changes.map { change in
        do {
          return try change.make(self)
        } catch {
          // An error such as a full disk ends the transaction, and with it the changes before this one.
          guard isInsideTransaction else { throw error }
          let error = FactorStoreError(error)
          return { change.fail(error) }
        }
      }
      do {
        try cachedStatement(sql: "COMMIT TRANSACTION").execute()
      } catch let error as DatabaseError where error.resultCode == .SQLITE_IOERR {
        // The log may contain the commit, and SQLite may find it there after a crash.
        throw FactorStoreError(error, otherwise: .outcomeUnknown)
      }
      return answers
    } catch {
      let error = FactorStoreError(error)
      // If even this fails, SQLite has ended the transaction itself.
      if isInsideTransaction { try? rollback() }
      return changes.map { change in { change.fail(error) } }
    }
  }
}
#endif
