import OTP

/// What a ``MultiFactorAuth`` calls in the host: nothing, by default.
public struct MultiFactorHandlers: Sendable {
  /// Runs an operation in a span of the host's tracer. It must run it once, and throw what it throws.
  public typealias Span =
    nonisolated(nonsending) @Sendable (
      _ name: String, _ operation: nonisolated(nonsending) () async throws -> Void
    ) async throws -> Void

  /// Gets each audit event, on the task on which it happens.
  public var event: (@Sendable (AuditEvent) -> Void)?
  /// Gets the host's ID of a user whose handles were revoked, to end the user's web sessions.
  ///
  /// It is called once the revocation is durable, and the revoking call returns after it does: it misses none, however
  /// many there are, even if a client disconnects. It is also called if the store fails during a revocation, when it is
  /// unknown whether it was made. It is called only for revocations by this process, and a process may die before
  /// calling it, which is why each use of a handle also looks it up in the store.
  public var revocation: (@Sendable (_ userID: String) async -> Void)?
  /// Runs each sign-in by a second factor, enrollment and removal, and each read and change of the store, in a span:
  /// its name says which. A span has nothing about the user, the factor or the code.
  public var span: Span?

  /// The handlers to call; those left out do nothing.
  public init(
    event: (@Sendable (AuditEvent) -> Void)? = nil, revocation: (@Sendable (_ userID: String) async -> Void)? = nil,
    span: Span? = nil
  ) {
    self.event = event
    self.revocation = revocation
    self.span = span
  }
}
