/// Hands each value to everyone who listens at that moment.
///
/// A listener that does not keep up loses the oldest values, not the newest: sign-ins never wait for one.
final class Broadcaster<Value: Sendable>: Sendable {
  /// How many values wait for a listener at most.
  static var bufferedValueCount: Int { 4096 }

  private struct State {
    var nextKey: UInt64 = 0
    var listeners: [UInt64: AsyncStream<Value>.Continuation] = [:]
  }

  private let state = Locked(State())

  /// A new listener's values, from now on. It ends with its task.
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

  /// Hands a value to all who listen.
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
