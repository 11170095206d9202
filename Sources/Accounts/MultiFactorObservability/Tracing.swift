#if Tracing
import MultiFactor
import Tracing

extension MultiFactorHandlers {
  /// Runs an operation in a span of the process's tracer, with its name, its time, and the error if there is one: pass
  /// this as `MultiFactorHandlers.span`.
  public static let tracing: Span = { name, operation in
    try await withSpan(name) { _ in try await operation() }
  }
}
#else
import MultiFactor

extension MultiFactorHandlers {
  /// A placeholder while the trait is off, so that the compiler says what is missing.
  @available(*, unavailable, message: "needs swift-otp's trait Tracing: .package(…, traits: [\"Tracing\"])")
  public static var tracing: Span { { _, operation in try await operation() } }
}
#endif
