#if Observability
import MetricsTestKit
import MultiFactorObservability
import OTP
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// Nothing that a server writes in any flow, failures included, contains a secret, code, token or number.
@Suite struct SilenceTests {
  /// A server with everything that it writes.
  private final class Watched {
    let log = CapturedLog()
    let events = RecordingLog()
    let host: Host
    var errors: [any Error] = []

    init() async throws {
      _ = TestMetrics.shared
      let eventLog = EventLog(logger: log.logger())
      host = try await Host(log: { [events] event in
        eventLog.record(event)
        events.append(event)
      })
    }

    func run(_ work: () async throws -> Void) async {
      do { try await work() } catch { errors.append(error) }
    }

    /// What its user has by now, and the codes that were sent, or that the user's devices show.
    func search() async throws -> SecretSearch {
      var search = SecretSearch()
      for message in host.sender.messages {
        search.add(code: message.code)
        search.add(phoneNumber: message.phoneNumber)
      }
      for secret in try await host.account().factors.compactMap({ $0.record?.secret }) {
        let key = secret.secret.base32String()
        try search.add(key: key)
        for number in 0...40 {
          search.add(
            code: secret.isTimeBased
              ? try host.code(of: key, stepsAhead: number - 20)
              : try HOTP(secret: secret.secret).code(counter: UInt64(number)).description)
        }
      }
      return search
    }

    /// The names of the secrets that it has written, or that its errors show.
    func shown(_ search: SecretSearch) -> Set<String> {
      let metrics = TestMetrics.shared.names.map { $0.label + " " + $0.dimensions.joined(separator: " ") }
      var names: Set<String> = []
      for value in errors + events.events as [Any] { names.formUnion(search.shown(by: value)) }
      for line in log.lines + metrics {
        names.formUnion(search.found(in: line))
        let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != "_" }
        if words.contains(where: { $0.count > 40 }) { names.insert("token") }
        if words.contains(where: { $0.split(separator: "-").map(\.count) == [4, 4, 4, 4, 4, 4] }) {
          names.insert("recovery code")
        }
      }
      return names
    }
  }

  @Test(arguments: Flow.all)
  func `No flow writes a secret to logs, metrics or errors, also if the store fails`(flow: Flow) async throws {
    for failingCall in [1, 2, .max] {
      let server = try await Watched()
      let ready = try await flow.prepare(server.host)
      server.host.store.fail(atCall: failingCall, .failsAfter)
      await server.run(ready.run)
      server.host.store.recover()
      #expect(try await server.shown(server.search()).isEmpty)
    }
  }

  @Test func `No refusal of a code writes it, and the search finds what is planted`() async throws {
    let server = try await Watched()
    let host = server.host
    let (user, key, uid) = try await host.enrollTOTP()
    let (_, phone) = try await host.enrollPhone(as: user)
    let recoveryCode = try await user.multiFactor.generateRecoveryCodes().codes[0]
    let (resolver, id) = try await host.challenge(phone)
    for code in [try host.code(of: key), try host.code(of: key, stepsAhead: 9), host.sender.lastCode, "12"] {
      await server.run { _ = try await host.resolve(uid, code: code) }
      // A client that passes the code as the wrong argument.
      await server.run { _ = try await host.resolve(code, code: code) }
      await server.run { _ = try await host.answer(id, otherCode(than: code), resolver) }
      await server.run { _ = try await host.recover(code) }
    }
    var search = try await server.search()
    #expect(server.errors.count == 16 && server.shown(search).isEmpty)
    #expect(server.log.lines.count == server.events.events.count)

    try search.add(recoveryCode: recoveryCode)
    for (text, name) in [
      ("code=\(host.sender.lastCode);", "code"), ("x\(key)x", "secret"), ("+1 5105551234", "phone number"),
      ("[\(try user.token())]", "token"), (recoveryCode, "recovery code"),
    ] {
      let other = try await Watched()
      other.log.logger().trace("x", metadata: ["y": "\(text)"])
      #expect(other.shown(search) == [name])
    }
    struct Leaky: Error {
      let inner: [[UInt8]]
    }
    server.errors.append(Leaky(inner: [try Base32.decode(key)]))
    #expect(server.shown(search) == ["secret"])
  }

  @Test func `Dimensions have a few fixed values`() async throws {
    for flow in Flow.all {
      let server = try await Watched()
      try await flow.prepare(server.host).run()
    }
    let kinds = Set(AuditEvent.Kind.allCases.map { "event=\($0.rawValue)" })
    let reasons = Set(AuditEvent.Reason.allCases.map { "reason=\($0.rawValue)" }).union(["reason=none"])
    let factors = Set(["totp", "hotp", "phone", "recovery", "remembered", "none"].map { "factor=\($0)" })
    let names = TestMetrics.shared.names
    #expect(names.count > 20)
    for name in names where name.label.hasPrefix("otp_") {
      #expect(["otp_multifactor_events_total", "otp_multifactor_sign_in_duration"].contains(name.label))
      try #require(name.dimensions.count == 3)
      #expect(kinds.contains(name.dimensions[0]))
      #expect(reasons.contains(name.dimensions[1]))
      #expect(factors.contains(name.dimensions[2]))
    }
  }
}
#endif
