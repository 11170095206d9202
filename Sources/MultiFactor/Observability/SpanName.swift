#if Tracing
import Tracing
#endif

/// The spans that swift-distributed-tracing is given, under the trait `Tracing`.
enum SpanName: String {
  case signIn = "otp_multifactor.sign_in"
  case enroll = "otp_multifactor.enroll"
  case unenroll = "otp_multifactor.unenroll"
  /// A document read from the store; the part that the store has in what the span stands in.
  case read = "otp_multifactor.store.read"
  /// A document changed in a transaction of the store, the rule that changes it included.
  case change = "otp_multifactor.store.change"
}

/// Does something in a span of the tracer that the process has bootstrapped; without the trait, it is only done.
///
/// A span has its name, its time and the error if there is one: nothing of the user, the factor or the code.
func inSpan<R>(
  _ name: SpanName, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
) async throws -> R {
  #if Tracing
  return try await withSpan(name.rawValue) { _ in try await body() }
  #else
  return try await body()
  #endif
}
