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
  /// Runs each operation, and each call of the store, in a span: its name says which. A span has nothing about the
  /// user, the factor or the code.
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

/// The spans of ``MultiFactorHandlers/span``.
enum SpanName: String {
  case signIn = "otp_multifactor.sign_in"
  case enroll = "otp_multifactor.enroll"
  case unenroll = "otp_multifactor.unenroll"
  /// Reading a document: the store's part of the enclosing span.
  case read = "otp_multifactor.store.read"
  /// Changing a document in a transaction of the store, including the rule that changes it.
  case change = "otp_multifactor.store.change"
}

extension Context {
  /// Runs an operation in a span, if the host has a tracer.
  nonisolated(nonsending) func inSpan<R>(
    _ name: SpanName, _ operation: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    guard let span = handlers.span else { return try await operation() }
    var result: R?
    try await span(name.rawValue) { result = try await operation() }
    guard let result else { throw OperationNotRun() }
    return result
  }
}

/// The error if a host's handler of spans has not run the operation.
private struct OperationNotRun: Error {}
