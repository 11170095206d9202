import Foundation

/// A value that one thread at a time can use: `Synchronization.Mutex` for systems that do not have it.
///
/// Inlinable, since a generic function of another module looks its types up each time.
@usableFromInline package final class Locked<Value>: @unchecked Sendable {
  @usableFromInline let lock = NSLock()
  @usableFromInline var value: Value

  /// A value that nothing else keeps.
  package init(_ value: sending Value) { self.value = value }

  /// Runs `body` while no other thread has the value. The lock is not reentrant.
  @inlinable package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
