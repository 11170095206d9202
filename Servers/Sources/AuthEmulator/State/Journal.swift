import MultiFactor
import Synchronization

/// Writes changes in their order, and answers each request after its changes are written.
///
/// So what is in the data folder is always what was in memory at some moment, and nothing is missing that was answered.
/// While some changes are written, requests go on and add others, which are then written at once.
final class Journal: Sendable {
  private struct State {
    var isWriting = false
    var changes: [Change] = []
    /// What to print after the changes are written.
    var lines: [String] = []
    /// The requests that wait for the changes.
    var ended: [CheckedContinuation<Void, any Error>] = []

    var isEmpty: Bool { changes.isEmpty && lines.isEmpty }
  }

  private let folder: DataFolder
  private let state = Mutex(State())

  init(folder: DataFolder) { self.folder = folder }

  /// Runs a request. What it has changed, and what others had changed before, is written when this returns, also if it
  /// throws.
  ///
  /// - Throws: What `body` throws; ``DataFolderError`` if the changes could not be written. They are then written with
  ///   the next ones.
  func transaction<R: Sendable>(_ body: () async throws -> R) async throws -> R {
    let result: Result<R, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    if state.withLock({ $0.isWriting || !$0.isEmpty }) {
      try await withCheckedThrowingContinuation { continuation in
        state.withLock { $0.ended.append(continuation) }
        writeWhileDue()
      }
    }
    return try result.get()
  }

  /// Adds changes, in their order.
  func add(_ changes: [Change]) {
    guard !changes.isEmpty else { return }
    state.withLock { $0.changes += changes }
  }

  /// Adds a line to print after the changes before it are written.
  func add(_ line: String) { state.withLock { $0.lines.append(line) } }

  /// Writes on the thread of a request: a write does not wait for the disk.
  private func writeWhileDue() {
    while let batch = state.withLock({ Self.batch(of: &$0) }) {
      let result = Result { try folder.write(batch.changes) }
      state.withLock { state in
        state.isWriting = false
        guard case .failure = result else { return }
        state.changes = batch.changes + state.changes
        state.lines = batch.lines + state.lines
      }
      if case .success = result { for line in batch.lines { Console.print(line) } }
      for continuation in batch.ended { continuation.resume(with: result) }
    }
  }

  /// What is to be written at once; `nil` if no request waits, or another one writes and will go on.
  private static func batch(of state: inout State) -> State? {
    guard !state.isWriting, !state.ended.isEmpty else { return nil }
    let batch = state
    state = State(isWriting: true)
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
