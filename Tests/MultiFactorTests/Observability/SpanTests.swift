#if Tracing
import InMemoryTracing
import MultiFactorOperations
import Testing
import Tracing

@testable import MultiFactor

/// What is passed to a tracer.
@Suite struct SpanTests {
  /// There is one per process.
  private static let tracer: InMemoryTracer = {
    let tracer = InMemoryTracer()
    InstrumentationSystem.bootstrap(tracer)
    return tracer
  }()

  /// The spans of one operation, each as its parent, a slash and its name; other tests record theirs at the same time.
  private func spans(of operation: () async throws -> Void) async throws -> [FinishedInMemorySpan] {
    var trace = ""
    try await Self.tracer.withSpan("test") { span in
      trace = span.traceID
      try await operation()
    }
    return Self.tracer.finishedSpans.filter { $0.traceID == trace }
  }

  @Test func `An operation has a span, with child spans for its reads and updates`() async throws {
    let (host, user, key, uid) = try await Host.withApp()
    host.clock.advance(by: 30)
    for (name, operation) in [
      ("sign_in", { _ = try await host.resolve(uid, code: host.code(of: key)) }),
      ("unenroll", { try await user.multiFactor.unenroll(withFactorUID: uid) }),
      ("enroll", { _ = try await host.enrollTOTP(Host.bob) }),
    ] as [(String, () async throws -> Void)] {
      let spans = try await spans(of: operation)
      let outer = try #require(spans.first { $0.operationName == "otp_multifactor.\(name)" })
      #expect(spans.contains { $0.operationName == "otp_multifactor.store.change" && $0.parentSpanID == outer.spanID })
      #expect(spans.allSatisfy { $0.errors.isEmpty && $0.attributes.isEmpty && $0.events.isEmpty })
    }
    let spans = try await spans { _ = try await host.auth.admin.user("u1") }
    #expect(spans.map(\.operationName) == ["otp_multifactor.store.read", "test"])
  }

  @Test func `A refusal is recorded without the input or the user`() async throws {
    let (host, _, key, uid) = try await Host.withApp()
    let wrong = try host.wrongCode(for: key)
    let spans = try await spans { _ = try? await host.resolve(uid, code: wrong) }
    let outer = try #require(spans.first { $0.operationName == "otp_multifactor.sign_in" })
    #expect(outer.errors.map { ($0.error as? AuthError)?.code } == [.invalidVerificationCode])
    let said = String(reflecting: spans.flatMap { $0.errors.map(\.error) }) + "\(spans.map(\.attributes))"
    #expect([wrong, uid, "u1"].allSatisfy { !said.contains($0) })
  }

  @Test func `A store's failure is recorded in the span of the store's call`() async throws {
    let (host, _, key, uid) = try await Host.withApp()
    host.clock.advance(by: 30)
    let resolver = try await host.resolver()
    host.store.fail(atCall: 1, .failsBefore)
    let spans = try await spans {
      let assertion = try TOTPMultiFactorGenerator.assertionForSignIn(
        withEnrollmentID: uid, oneTimePassword: host.code(of: key))
      _ = try? await resolver.resolveSignIn(with: assertion)
    }
    let failed = spans.filter { !$0.errors.isEmpty }
    #expect(failed.first.map { $0.errors.first?.error is TestStore.Failure } == true)
    #expect(failed.first?.operationName.hasPrefix("otp_multifactor.store.") == true)
    #expect(failed.last?.operationName == "otp_multifactor.sign_in")
  }
}
#endif
