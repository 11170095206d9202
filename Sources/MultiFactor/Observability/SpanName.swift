#if Tracing
import Tracing
#endif

/// The spans for swift-distributed-tracing, with the trait `Tracing`.
enum SpanName: String {
  case signIn = "otp_multifactor.sign_in"
  case enroll = "otp_multifactor.enroll"
  case unenroll = "otp_multifactor.unenroll"
  /// Reading a document: the store's part of the enclosing span.
  case read = "otp_multifactor.store.read"
  /// Changing a document in a transaction of the store, including the rule that changes it.
  case change = "otp_multifactor.store.change"
}

/// Runs an operation in a span of the process's tracer; without the trait, just runs it.
///
/// A span has its name, its time and the error if there is one: nothing about the user, the factor or the code.
func inSpan<R>(
  _ name: SpanName, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
) async throws -> R {
  #if Tracing
  return try await withSpan(name.rawValue) { _ in try await body() }
  #else
  return try await body()
  #endif
}
