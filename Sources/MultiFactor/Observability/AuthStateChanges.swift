/// A change to who is signed in, or how.
@nonexhaustive public enum AuthStateChange: Sendable {
  /// A user has signed in, with a second factor or, if none is required, without; or has proved a second factor again,
  /// in a step-up.
  case signedIn(User)
  /// A signed-in user has enrolled or removed a factor.
  case updated(User)
  /// A user's handles were revoked; the host must end the user's web sessions.
  case revoked(userID: String)
}

/// The state changes of a ``MultiFactorAuth``, starting when this sequence was requested. The SDK has state listeners.
///
/// It reports only what this process did. A loop that falls more than 4,096 changes behind loses the oldest: to end web
/// sessions, use the `revocationHandler` of ``MultiFactorAuth``, which misses none.
public struct AuthStateChanges: AsyncSequence, Sendable {
  let stream: AsyncStream<AuthStateChange>

  /// Iterates over the changes as they happen.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var iterator: AsyncStream<AuthStateChange>.Iterator

    /// The next change; `nil` once the ``MultiFactorAuth`` is gone.
    public mutating func next() async -> AuthStateChange? { await iterator.next() }
  }

  /// An iterator.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(iterator: stream.makeAsyncIterator()) }
}
