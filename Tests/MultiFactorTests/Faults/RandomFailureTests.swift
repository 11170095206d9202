import Foundation
import Keyring
import OTP
import Testing

@testable import MultiFactor

/// A random source that fails at each of its calls in turn.
@Suite struct RandomFailureTests {
  /// A source that a test can break.
  private final class Source: Sendable {
    private let state = Locked((calls: 0, failingCall: Int.max))

    var random: SecureRandom {
      unsafe SecureRandom { [self] bytes in
        let isAllowed = state.withLock { state in
          state.calls += 1
          return state.calls < state.failingCall
        }
        return unsafe isAllowed && SecureRandom.system.fill(bytes)
      }
    }

    var hasFailed: Bool { state.withLock { $0.calls >= $0.failingCall } }

    /// Fails at the n-th call and all after it: a store may run a change again.
    func fail(atCall number: Int) { state.withLock { $0 = (0, number) } }
  }

  /// Every flow that uses random bytes: for secrets, names or codes.
  private static let flows: [Flow] = Flow.all.filter { flow in
    [
      "enroll a first app", "enroll another app", "enroll a token", "enroll a phone", "make recovery codes",
      "sign in by a phone", "import a factor", "overwrite factors", "delete a user",
    ].contains(flow.testDescription)
  }

  @Test(arguments: flows, StoreKind.available)
  func `Without random bytes a typed error is thrown, and nothing is enrolled or removed`(
    flow: Flow, on kind: StoreKind
  ) async throws {
    for call in 1...100 {
      let source = Source()
      let host = try await Host(kind, keyring: Keyring(random: source.random), random: source.random)
      let ready = try await flow.prepare(host)
      let before = try await host.account(Host.alice.id)
      source.fail(atCall: call)
      var failure: (any Error)?
      do { try await ready.run() } catch { failure = error }
      guard source.hasFailed else {
        #expect(failure == nil)
        #expect(call > 1)
        return
      }
      if failure == nil, flow.hasNote {
        #expect(try await host.account().factors.count == before.factors.count + 1)
        continue
      }
      let error = try #require(failure as? AuthError)
      #expect(error.code == .internalError && error.reason == .randomness, "call \(call): \(error)")
      let after = try await host.account()
      // An attempt on an external factor is counted before its service is asked.
      let isCountedFirst = after.factors.contains { $0.record == nil }
      #expect(isCountedFirst || after.factors == before.factors, "call \(call)")
      #expect(after.factors.map(\.attempts.acceptances) == before.factors.map(\.attempts.acceptances), "call \(call)")
      #expect(
        after.factors.map(\.uid) == before.factors.map(\.uid) && after.recoveryCodes == before.recoveryCodes,
        "call \(call)")
      source.fail(atCall: .max)
      try await ready.again()
    }
    Issue.record("it never ends")
  }
}
