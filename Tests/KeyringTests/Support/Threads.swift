import Foundation

/// Runs work on so many threads, which all begin when the last of them is there, and waits for all.
func onThreads(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) async {
  await withCheckedContinuation { continuation in
    let gate = NSCondition()
    let waiting = Counter(count)
    let running = Counter(count)
    for index in 0..<count {
      Thread.detachNewThread {
        gate.lock()
        if waiting.countDown() { gate.broadcast() }
        while !waiting.isZero { gate.wait() }
        gate.unlock()
        work(index)
        if running.countDown() { continuation.resume() }
      }
    }
  }
}

private final class Counter: @unchecked Sendable {
  // Sendable because nothing reaches the count but under the lock.
  private let lock = NSLock()
  private var count: Int

  init(_ count: Int) { self.count = count }

  /// Whether this was the last.
  func countDown() -> Bool {
    lock.withLock {
      count -= 1
      return count == 0
    }
  }

  var isZero: Bool { lock.withLock { count == 0 } }
}
