import Foundation
import Keyring
import MultiFactor

/// One machine's view of a shared store, whose changes stop before they write and before they return, until a test says
/// how they go on. Each is written only if the document is still the one that was read, as on PostgreSQL.
final class SteppedStore: FactorStore {
  /// How a change that has stopped goes on.
  enum Command: Sendable { case write, readAgain, finish, breakOff }

  /// What a change has done when it stops.
  enum Report: Sendable, Equatable { case unchanged, changed, written, conflict }

  /// The connection or the process ends before the outcome is known.
  struct BrokenOff: Error {}

  private let shared: Locked<InMemoryFactorStore>
  private let isStepped = Locked(false)
  private let loss = Locked<Date?>(nil)
  private let commands = AsyncStream.makeStream(of: Command.self)
  private let reports = AsyncStream.makeStream(of: Report.self)

  init(_ shared: Locked<InMemoryFactorStore>) { self.shared = shared }

  var lossDate: Date? {
    get { loss.withLock { $0 } }
    set { loss.withLock { $0 = newValue } }
  }

  /// From now on, changes stop.
  func beginSteps() { isStepped.withLock { $0 = true } }

  /// Lets the change that has stopped go on.
  func proceed(_ command: Command) { commands.continuation.yield(command) }

  /// What the change has done, once it stops.
  func nextReport() async -> Report? {
    var reports = reports.stream.makeAsyncIterator()
    return await reports.next()
  }

  func read(_ key: DocumentKey) async throws -> StoredDocument { await shared.withLock { $0 }.read(key) }

  func keys(after key: DocumentKey?, limit: Int) async throws -> [DocumentKey] {
    await shared.withLock { $0 }.keys(after: key, limit: limit)
  }

  func change<R: Sendable>(
    _ key: DocumentKey, _ change: @escaping @Sendable (inout StoredDocument) throws -> R
  ) async throws -> R {
    guard isStepped.withLock({ $0 }) else { return try await shared.withLock { $0 }.change(key, change) }
    var commands = commands.stream.makeAsyncIterator()
    while true {
      let old = try await read(key)
      var new = old
      let result = try change(&new)
      guard new != old else {
        reports.continuation.yield(.unchanged)
        return result
      }
      reports.continuation.yield(.changed)
      switch await commands.next() {
      case .readAgain: continue
      case .write: break
      default: throw BrokenOff()
      }
      let isWritten = try await shared.withLock { $0 }.change(key) { [new] current in
        guard current.bytes == old.bytes else { return false }
        current.bytes = new.bytes
        return true
      }
      reports.continuation.yield(isWritten ? .written : .conflict)
      guard isWritten, await commands.next() == .finish else { throw BrokenOff() }
      return result
    }
  }
}
