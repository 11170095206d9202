import MultiFactor
import Synchronization

/// Makes each request one transaction of the data folder's file, and answers it after its changes are written.
///
/// Requests run at the same time, so the changes of one can build on those of another. So they are written only at
/// moments when no request is running, and as the changes of all requests that ended since the last such moment: a
/// request that wants to begin while others should end waits for them, and one that has ended waits for the write.
/// While one set of changes is written, the requests of the next one run.
final class Journal: Sendable {
  private struct State {
    var runningCount = 0
    /// Whether requests wait to begin until the running ones have ended.
    var isClosed = false
    var isWriting = false
    var entering: [CheckedContinuation<Void, Never>] = []
    var ended: [CheckedContinuation<Void, any Error>] = []
    var changes: [Change] = []
    var lines: [String] = []
  }

  /// What is written at once.
  private struct Batch {
    let changes: [Change]
    let lines: [String]
    let ended: [CheckedContinuation<Void, any Error>]
    let entering: [CheckedContinuation<Void, Never>]
  }

  private let folder: DataFolder
  private let state = Mutex(State())

  init(folder: DataFolder) { self.folder = folder }

  /// Runs a request. What it changes is written when this returns, also if it throws.
  ///
  /// - Throws: What `body` throws; ``DataFolderError`` if its changes could not be written. They are then written with
  ///   the next ones.
  func transaction<R: Sendable>(_ body: () async throws -> R) async throws -> R {
    await enter()
    let result: Result<R, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    try await end()
    return try result.get()
  }

  /// Adds changes, in their order.
  func add(_ changes: [Change]) {
    guard !changes.isEmpty else { return }
    state.withLock { $0.changes += changes }
  }

  /// Adds a line to print after the changes before it are written.
  func add(_ line: String) { state.withLock { $0.lines.append(line) } }

  private func enter() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if state.isClosed { state.entering.append(continuation) } else { state.runningCount += 1 }
        return !state.isClosed
      }
      if isOpen { continuation.resume() }
    }
  }

  private func end() async throws {
    try await withCheckedThrowingContinuation { continuation in
      state.withLock { state in
        state.runningCount -= 1
        state.ended.append(continuation)
        if !state.isWriting { state.isClosed = true }
      }
      writeWhileDue()
    }
  }

  /// Writes on the thread of the request that ended last: a write does not wait for the disk.
  private func writeWhileDue() {
    while let batch = state.withLock({ Self.batch(of: &$0) }) {
      for continuation in batch.entering { continuation.resume() }
      let result = Result { try folder.write(batch.changes) }
      state.withLock { state in
        state.isWriting = false
        state.isClosed = !state.ended.isEmpty
        guard case .failure = result else { return }
        state.changes = batch.changes + state.changes
        state.lines = batch.lines + state.lines
      }
      if case .success = result { for line in batch.lines { Console.print(line) } }
      for continuation in batch.ended { continuation.resume(with: result) }
    }
  }

  private static func batch(of state: inout State) -> Batch? {
    guard !state.isWriting, state.runningCount == 0, !state.ended.isEmpty else { return nil }
    let batch = Batch(changes: state.changes, lines: state.lines, ended: state.ended, entering: state.entering)
    state = State(runningCount: state.entering.count, isWriting: true)
    return batch
  }
}

/// Second factors in memory, whose changes the journal writes.
struct JournaledStore: FactorStore {
  let memory: InMemoryFactorStore
  let journal: Journal
  private var isCreating = false

  init(memory: InMemoryFactorStore, journal: Journal) {
    self.memory = memory
    self.journal = journal
  }

  /// The store as it is created, outside of requests: each change is a transaction.
  var creating: JournaledStore {
    var store = self
    store.isCreating = true
    return store
  }

  func read(_ key: DocumentKey) async -> StoredDocument { await memory.read(key) }

  func change<R: Sendable>(
    _ key: DocumentKey, _ change: @escaping @Sendable (inout StoredDocument) throws -> R
  ) async throws -> R {
    guard !isCreating else {
      let store = JournaledStore(memory: memory, journal: journal)
      return try await journal.transaction { try await store.change(key, change) }
    }
    return try await memory.change(key) { [journal] stored in
      let old = stored.bytes
      let result = try change(&stored)
      if stored.bytes != old {
        // While the store is locked, so that the journal has the changes in their order.
        journal.add([Change(subject: .document(key), value: stored.bytes.map(Change.Value.bytes))])
      }
      return result
    }
  }

  func keys(after key: DocumentKey?, limit: Int) async -> [DocumentKey] { await memory.keys(after: key, limit: limit) }
}
