import Foundation
import Testing

@testable import MultiFactor

/// What the server is told and the client is not.
@Suite struct AuditTests {
  @Test func `The event says what was wrong with a code, and the client's error does not`() async throws {
    let log = RecordingLog()
    let host = try Host(
      configuration: MultiFactorConfiguration(
        providerConfigs: [.totp(adjacentIntervals: 1)], attemptPolicy: AttemptPolicy(firstDelayedFailure: 100)),
      log: log.append)
    let (_, key, uid) = try await host.enrollTOTP()
    host.clock.advance(by: 3600)
    let used = try host.code(of: key, stepsAhead: -1)
    _ = try await host.resolve(uid, code: used)
    host.clock.advance(by: 3600)
    let accepted = try host.code(of: key)
    _ = try await host.resolve(uid, code: accepted)

    let attempts = try [
      ("wrong", host.wrongCode(for: key)), ("replayed", accepted), ("replayed", host.code(of: key, stepsAhead: -1)),
      ("early", host.code(of: key, stepsAhead: 3)), ("malformed", "12345"), ("malformed", "abcdef"),
      ("malformed", "1234567"),
    ]
    var errors: [AuthError] = []
    for (reason, code) in attempts {
      errors.append(try #require(await authError { try await host.resolve(uid, code: code) }))
      let event = try #require(log.events.last)
      #expect([event.kind.rawValue, event.reason?.rawValue] == ["code_refused", reason])
      #expect([event.userID, event.factorUID, event.factorID] == ["u1", uid, TOTPMultiFactorID])
      #expect(event.date == host.clock.now)
    }
    host.clock.advance(by: 300)
    let late = try host.code(of: key, stepsAhead: -3)
    errors.append(try #require(await authError { try await host.resolve(uid, code: late) }))
    #expect(log.last == "code_refused late")
    // Not the code alone: all that an error has.
    #expect(Set(errors.map { String(reflecting: $0) }).count == 1)
    #expect(errors.allSatisfy { $0.retryAfter == nil && $0.resolver == nil && $0.reason == nil })
  }

  @Test func `A delay and a lock are told apart`() async throws {
    let log = RecordingLog()
    let host = try Host(
      configuration: MultiFactorConfiguration(
        providerConfigs: [.totp()], attemptPolicy: AttemptPolicy(failuresUntilLock: 3, firstDelayedFailure: 1)),
      log: log.append)
    let (_, key, uid) = try await host.enrollTOTP()
    let wrong = try host.wrongCode(for: key)
    var reasons: [String] = []
    for delay in [1, 2, 3600] {
      _ = await errorCode { try await host.resolve(uid, code: wrong) }
      if await errorCode({ try await host.resolve(uid, code: wrong) }) == .tooManyRequests { reasons.append(log.last) }
      host.clock.advance(by: TimeInterval(delay))
    }
    #expect(reasons == ["attempt_refused delayed", "attempt_refused delayed", "attempt_refused locked"])
  }

  @Test(arguments: [
    "123456", "line\nbreak", String(repeating: "x", count: 100_000), "0123456789ABCDEF0123456789ABCDEF",
  ])
  func `What a client writes in a factor's place is in no event`(text: String) async throws {
    let log = RecordingLog()
    let host = try Host(log: log.append)
    let (_, key, _) = try await host.enrollTOTP()
    let wrong = try host.wrongCode(for: key)
    #expect(await errorCode { try await host.resolve(text, code: wrong) } == .multiFactorInfoNotFound)
    #expect(log.last == "code_refused not_found")
    #expect(await errorCode { try await host.resolve(text, code: "abc") } == .invalidVerificationCode)
    #expect(log.events.allSatisfy { $0.factorUID != text })
  }

  @Test func `A token that was changed is told of without its text`() async throws {
    let log = RecordingLog()
    let host = try Host(log: log.append)
    let token = try await host.signIn().token
    _ = await errorCode { try await host.auth.user(from: String(token.dropLast())) }
    #expect(log.last == "token_refused invalid")
    #expect(log.events.last?.userID == nil)
    host.clock.advance(by: 3600)
    _ = await errorCode { try await host.auth.user(from: token) }
    #expect(log.last == "token_refused expired")
  }
}
