/// The audit events of a ``MultiFactorAuth``, from the moment on when this sequence was asked for.
///
/// Each `for await` loop should have a sequence of its own. A loop that falls more than 4,096 events behind loses the
/// oldest: what has to be kept whole is kept by a loop that only writes events on.
public struct AuditEvents: AsyncSequence, Sendable {
  let stream: AsyncStream<AuditEvent>

  /// Iterates over the events as they happen.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var iterator: AsyncStream<AuditEvent>.Iterator

    /// The next event; `nil` once the ``MultiFactorAuth`` is gone.
    public mutating func next() async -> AuditEvent? { await iterator.next() }
  }

  /// An iterator.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(iterator: stream.makeAsyncIterator()) }
}
