#if Observability
import Keyring
import MetricsTestKit
import MultiFactorObservability
import SharedFixtures
import Testing

@testable import MultiFactor

/// How long sign-ins take, by outcome.
@Suite struct TimerTests {
  @Test func `Only the outcomes of sign-ins are timed, and the timer has their dimensions and time`() async throws {
    _ = TestMetrics.shared
    let log = RecordingLog()
    let events = EventLog(logger: CapturedLog().logger())
    let host = try await Host(log: { event in
      log.append(event)
      events.record(event)
    })
    let (_, key, uid) = try await host.enrollTOTP()
    host.clock.advance(by: 30)
    _ = try await host.resolve(uid, code: host.code(of: key))
    let duration = try #require(log.events.last?.duration)
    let wrong = try host.wrongCode(for: key)
    await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: wrong) }
    let timed = log.events.filter { $0.duration != nil }
    #expect(timed.map(\.summary) == ["signed_in", "code_refused wrong"])
    #expect(timed.allSatisfy { $0.duration ?? .zero > .zero })
    let timer = try TestMetrics.shared.expectTimer(
      "otp_multifactor_sign_in_duration",
      [("event", "signed_in"), ("reason", "none"), ("factor", TOTPMultiFactorID)])
    // Other tests of the process may sign in at the same time.
    #expect(timer.values.contains(Int64(duration / .nanoseconds(1))))
    #expect(!TestMetrics.shared.timers.contains { $0.dimensions.contains { $0 == ("event", "enrolled") } })
  }

  @Test func `A document that a sign-in seals again is reported, and not timed`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file()
    let old = try await Host(keyring: Keyring.create(file: path))
    let (_, key, uid) = try await old.enrollTOTP()
    _ = try Keyring.rotate(file: path)
    let log = RecordingLog()
    let host = try await Host(store: old.store, keyring: Keyring(file: path), log: log.append)
    host.clock.advance(by: 30)
    let resolver = try await host.resolver()
    let assertion = try TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: uid, oneTimePassword: host.code(of: key))
    let before = log.events.count
    _ = try await resolver.resolveSignIn(with: assertion)
    let events = log.events.dropFirst(before)
    #expect(events.map(\.kind) == [.resealed, .signedIn])
    #expect(events.map { $0.duration != nil } == [false, true])
  }
}
#endif
