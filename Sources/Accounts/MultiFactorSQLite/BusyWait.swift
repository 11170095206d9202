#if SQLite
import Foundation
import Keyring
import MultiFactor

/// How a store's connections wait for another process.
final class BusyWait: Sendable {
  /// How many times a connection retries by default: with pauses of average length, for about 10 seconds in total.
  static let attempts = 4000

  private let attempts: Int
  private let impatient = Locked<ObjectIdentifier?>(nil)

  /// - Parameter attempts: How many times a connection retries while another process holds the file.
  init(attempts: Int) { self.attempts = attempts }

  /// Runs an operation during which this thread does not wait: SQLite then returns immediately if the file is busy. For
  /// one thread at a time.
  func withoutWaiting<Result>(_ body: () throws -> Result) rethrows -> Result {
    impatient.withLock { $0 = ObjectIdentifier(Thread.current) }
    defer { impatient.withLock { $0 = nil } }
    return try body()
  }

  /// Pauses, and returns whether to try again.
  ///
  /// SQLite's own pauses grow to 100 ms, so that a waiting process rarely finds the file free if others are busy. These
  /// are short, and random so that processes do not wait in lockstep.
  func isWorthwhile(after attempt: Int) -> Bool {
    guard attempt < attempts, impatient.withLock({ $0 }) != ObjectIdentifier(Thread.current) else { return false }
    Thread.sleep(forTimeInterval: attempt < 10 ? .random(in: 0.00005...0.0005) : .random(in: 0.0005...0.0045))
    return true
  }
}
#endif
