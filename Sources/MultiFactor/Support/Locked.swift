import Foundation

/// A value that one thread at a time may use.
final class Locked<Value>: @unchecked Sendable {
  // Sendable because nothing reaches the value but under the lock.
  private let lock = NSLock()
  private var value: Value

  init(_ value: Value) { self.value = value }

  /// Lends the value to `body`, which must neither wait nor take this lock again.
  func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
