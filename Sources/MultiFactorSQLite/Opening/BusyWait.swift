#if SQLite
import Foundation

/// How long a connection waits for another process.
enum BusyWait {
  /// How many times it looks again. With the mean of a pause: about 10 seconds in all.
  static let attempts = 4000

  /// SQLite's own pauses grow to 100 ms, so that beside busy processes a waiting one rarely finds the file free. These
  /// are short, and random so that no two processes wait in step.
  static func isWorthwhile(after attempt: Int, of attempts: Int) -> Bool {
    guard attempt < attempts else { return false }
    Thread.sleep(forTimeInterval: attempt < 10 ? .random(in: 0.00005...0.0005) : .random(in: 0.0005...0.0045))
    return true
  }
}
#endif
