/// A change of who is signed in, and how.
@nonexhaustive public enum AuthStateChange: Sendable {
  /// A user has signed in, with a second factor or, having none enrolled, without; or has proved a second factor once
  /// more, in a step-up.
  case signedIn(User)
  /// A signed-in user has enrolled or removed a factor.
  case updated(User)
  /// The handles of a user were revoked; the host ends its web sessions of this user.
  case revoked(userID: String)
}

/// The changes of state of a ``MultiFactorAuth``, from the moment on when this sequence was asked for: what the SDK
/// calls a state listener.
///
/// It tells of what this process did; another process on the same store tells of its own. A loop that falls more than
/// 4,096 changes behind loses the oldest: end web sessions by the `revocationHandler` of ``MultiFactorAuth``, which misses
/// none.
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
