/// Sends each value to all current listeners.
///
/// A listener that does not keep up loses the oldest values: sign-ins never wait for a listener.
final class Broadcaster<Value: Sendable>: Sendable {
  /// The maximum number of values buffered for a listener.
  static var bufferedValueCount: Int { 4096 }

  private struct State {
    var nextKey: UInt64 = 0
    var listeners: [UInt64: AsyncStream<Value>.Continuation] = [:]
  }

  private let state = Locked(State())

  /// The values for a new listener, from now on. The stream ends with its task.
  func listen() -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Value.self, bufferingPolicy: .bufferingNewest(Self.bufferedValueCount))
    let key = state.withLock { state in
      defer { state.nextKey += 1 }
      state.listeners[state.nextKey] = continuation
      return state.nextKey
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { state in _ = state.listeners.removeValue(forKey: key) }
    }
    return stream
  }

  /// Sends a value to all listeners.
  func send(_ value: @autoclosure () -> Value) {
    let listeners = state.withLock { state in state.listeners.isEmpty ? [] : Array(state.listeners.values) }
    guard !listeners.isEmpty else { return }
    let value = value()
    for listener in listeners { listener.yield(value) }
  }

  deinit {
    state.withLock { state in for listener in state.listeners.values { listener.finish() } }
  }
}
