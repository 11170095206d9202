import Foundation

/// Runs work on this many threads, which all begin once the last of them has started, and waits for all.
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
  // Sendable because the count is accessed only under the lock.
  private let lock = NSLock()
  private var count: Int

  init(_ count: Int) { self.count = count }

  /// Whether this call was the last.
  func countDown() -> Bool {
    lock.withLock {
      count -= 1
      return count == 0
    }
  }

  var isZero: Bool { lock.withLock { count == 0 } }
}
