import Foundation

@testable import Keyring

/// Runs work on this many threads, which all begin once the last of them has started, and waits for all.
func onThreads(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) async {
  await withCheckedContinuation { continuation in
    let gate = NSCondition()
    let (waiting, running) = (Locked(count), Locked(count))
    /// Whether this call was the last.
    @Sendable func countDown(_ number: Locked<Int>) -> Bool {
      number.withLock { number in
        number -= 1
        return number == 0
      }
    }
    for index in 0..<count {
      Thread.detachNewThread {
        gate.lock()
        if countDown(waiting) { gate.broadcast() }
        while waiting.withLock({ $0 }) > 0 { gate.wait() }
        gate.unlock()
        work(index)
        if countDown(running) { continuation.resume() }
      }
    }
  }
}
