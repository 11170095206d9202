import Dispatch
import Foundation

/// Runs asynchronous work to its end on other threads, and waits, for the runner, which calls subjects one by one.
///
/// The switch of threads costs some microseconds; a subject performs many operations per call, so that this is
/// negligible.
func blocking<R: Sendable>(_ work: @escaping @Sendable () async throws -> R) throws -> R {
  let done = DispatchSemaphore(value: 0)
  let box = Box<Result<R, any Error>>()
  Task.detached {
    do { box.value = .success(try await work()) } catch { box.value = .failure(error) }
    done.signal()
  }
  done.wait()
  guard let result = box.value else { throw CancellationError() }
  return try result.get()
}

/// A result that one thread writes before it signals, and another reads after it has waited for the signal.
private final class Box<Value>: @unchecked Sendable {
  var value: Value?
}
