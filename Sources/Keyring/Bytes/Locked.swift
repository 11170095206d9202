import Foundation

/// A value that only one thread at a time can use: `Synchronization.Mutex` for systems that lack it.
///
/// Inlinable, since a generic function in another module looks up its types on every call.
@usableFromInline package final class Locked<Value>: @unchecked Sendable {
  @usableFromInline let lock = NSLock()
  @usableFromInline var value: Value

  /// Takes a value that nothing else refers to.
  package init(_ value: sending Value) { self.value = value }

  /// Runs `body` while no other thread uses the value. The lock is not reentrant.
  @inlinable package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
