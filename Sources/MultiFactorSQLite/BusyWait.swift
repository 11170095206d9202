#if SQLite
import Foundation
import MultiFactor

/// How a store's connections wait for another process.
final class BusyWait: Sendable {
  /// How many times a connection looks again by default. With the mean of a pause: about 10 seconds in all.
  static let attempts = 4000

  private let attempts: Int
  private let impatient = Locked<ObjectIdentifier?>(nil)

  /// - Parameter attempts: How many times a connection looks whether another process is done, before it gives up.
  init(attempts: Int) { self.attempts = attempts }

  /// Does something during which this thread does not wait: SQLite then answers at once that the file is busy. One
  /// thread at a time.
  func withoutWaiting<Result>(_ body: () throws -> Result) rethrows -> Result {
    impatient.withLock { $0 = ObjectIdentifier(Thread.current) }
    defer { impatient.withLock { $0 = nil } }
    return try body()
  }

  /// Pauses, unless it is time to give up.
  ///
  /// SQLite's own pauses grow to 100 ms, so that beside busy processes a waiting one rarely finds the file free. These
  /// are short, and random so that no two processes wait in step.
  func isWorthwhile(after attempt: Int) -> Bool {
    guard attempt < attempts, impatient.withLock({ $0 }) != ObjectIdentifier(Thread.current) else { return false }
    Thread.sleep(forTimeInterval: attempt < 10 ? .random(in: 0.00005...0.0005) : .random(in: 0.0005...0.0045))
    return true
  }
}
#endif
