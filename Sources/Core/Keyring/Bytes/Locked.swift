internal import COTPSupport

/// A value that only one thread at a time can use: `Synchronization.Mutex` for systems that lack it.
///
/// Inlinable, since a generic function in another module looks up its types on every call.
@usableFromInline @safe package final class Locked<Value>: @unchecked Sendable {
  @usableFromInline let lock = Lock()
  // The lock gives exclusive access.
  @exclusivity(unchecked) @usableFromInline var value: Value

  /// Takes a value that nothing else refers to.
  package init(_ value: sending Value) { unsafe self.value = value }

  /// Runs `body` while no other thread uses the value. The lock is not reentrant.
  @inlinable package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.acquire()
    defer { lock.release() }
    return try unsafe body(&value)
  }
}

/// A lock that one thread at a time holds.
@usableFromInline @safe final class Lock: @unchecked Sendable {
  private let mutex: OpaquePointer?

  @usableFromInline init() { unsafe mutex = otp_mutex_create() }

  deinit { unsafe otp_mutex_destroy(mutex) }

  @usableFromInline func acquire() { unsafe otp_mutex_lock(mutex) }
  @usableFromInline func release() { unsafe otp_mutex_unlock(mutex) }
}

/// A value that a thread uses if no other is using it.
@safe final class LockedIfFree<Value>: @unchecked Sendable {
  private let lock: OpaquePointer?
  @exclusivity(unchecked) private var value: Value

  /// Takes a value that nothing else refers to.
  init(_ value: sending Value) {
    unsafe lock = otp_try_lock_create()
    unsafe self.value = value
  }

  deinit { unsafe otp_try_lock_destroy(lock) }

  /// Runs `body`, unless another thread is using the value: then `nil`, at once. A process that was forked while
  /// another thread used the value always gets `nil`.
  func withLockIfFree<Result>(_ body: (inout Value) -> Result) -> Result? {
    guard unsafe otp_try_lock_take(lock) == 1 else { return nil }
    defer { unsafe otp_try_lock_release(lock) }
    return unsafe body(&value)
  }
}
