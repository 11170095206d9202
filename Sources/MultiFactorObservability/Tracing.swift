#if Tracing
import MultiFactor
import Tracing

extension MultiFactorHandlers {
  /// Runs an operation in a span of the process's tracer, with its name, its time, and the error if there is one: pass
  /// this as ``MultiFactor/MultiFactorHandlers/span``.
  public static let tracing: Span = { name, operation in
    try await withSpan(name) { _ in try await operation() }
  }
}
#endif
