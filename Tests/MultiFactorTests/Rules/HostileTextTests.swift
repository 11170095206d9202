import Foundation
import MultiFactorObservability
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// Names and texts that are too long, or that would forge a log line.
@Suite struct HostileTextTests {
  private static let tenMegabytes = String(repeating: "x", count: 10 << 20)

  /// A hint made by the host, since the protocol is public.
  private struct ForgedHint: MultiFactorInfo {
    let uid: String
    let displayName: String? = nil
    let factorID = PhoneMultiFactorID
    let enrollmentDate = Date.distantPast
  }

  /// Every call that takes a text from a client or a host.
  private static func uses(of text: String, by host: Host) async throws -> [(String, () async throws -> Any)] {
    let (user, key, uid) = try await host.enrollTOTP()
    let resolver = try await host.resolver()
    let session = try await user.multiFactor.session()
    let admin = host.auth.admin
    let code = try host.wrongCode(for: key)
    func resolve(_ assertion: MultiFactorAssertion) async throws -> Any {
      try await resolver.resolveSignIn(with: assertion)
    }
    return [
      ("user", { try await host.signIn(Principal(id: text)) }),
      ("email", { try await host.signIn(Principal(id: "u9", email: text)) }),
      (
        "first factor",
        { try await host.auth.signIn(Principal(id: "u9"), firstFactor: FirstFactor(providerID: text)) }
      ),
      ("factor by time", { try await host.resolve(text, code: code) }),
      ("code by time", { try await host.resolve(uid, code: text) }),
      (
        "factor in a row",
        {
          try await resolve(
            TOTPMultiFactorGenerator.assertionForResynchronization(
              withEnrollmentID: text, oneTimePasswords: [code, code]))
        }
      ),
      ("factor by counter", { try await host.resolve(hotp: text, codes: [code]) }),
      ("codes by counter", { try await host.resolve(hotp: uid, codes: [text, text]) }),
      ("recovery code", { try await host.recover(text) }),
      ("message's ID", { try await host.answer(text, code, resolver) }),
      ("number", { try await host.phones.verifyPhoneNumber(text, multiFactorSession: session) }),
      (
        "hint",
        { try await host.phones.verifyPhoneNumber(with: ForgedHint(uid: text), multiFactorSession: resolver.session) }
      ),
      ("factor to be removed", { try await user.multiFactor.unenroll(withFactorUID: text) }),
      ("handle", { try await host.auth.user(from: text) }), ("resolver", { try await host.auth.resolver(from: text) }),
      ("session", { try host.auth.session(from: text) }), ("secret", { try host.auth.secret(from: text) }),
      ("administered user", { try await admin.user(text).factors }),
      ("exported", { try await admin.users(after: text) }),
      ("deleted user", { try await admin.deleteUser(text) }),
      ("revoked user", { try await admin.revokeTokens(of: text) }),
      ("imported user", { try await admin.importFactor(.hotp(secret: .vector), for: text) }),
      ("removed factor", { try await admin.removeFactor(text, of: "u1") }),
      ("unlocked factor", { try await admin.unlock(text, of: "u1") }),
    ]
  }

  /// The calls that read the user's account before the text, to make the resolver.
  private static let signsInFirst: Set<String> = [
    "factor by time", "code by time", "factor by counter", "codes by counter", "recovery code",
  ]

  @Test func `A name, token, uid or code of 10 MB is refused before it reaches the store`() async throws {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    for (name, use) in try await Self.uses(of: Self.tenMegabytes, by: host) {
      host.store.recover()
      let code = await errorCode(use)
      #expect(code != nil && code != .internalError, "\(name): \(String(describing: code))")
      let calls = host.store.recover().calls.map(\.operation)
      #expect(calls == (Self.signsInFirst.contains(name) ? [.document] : []), "\(name): \(calls)")
    }
    #expect(log.events.allSatisfy { $0.kind != .failed && ($0.userID?.utf8.count ?? 0) < 300 })
  }

  @Test func `A name of 10 MB is truncated before it reaches a QR code`() async throws {
    let host = try await Host()
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: host.signIn().multiFactor.session())
    let uri = secret.generateQRCodeURL(withAccountName: Self.tenMegabytes, issuer: Self.tenMegabytes)
    #expect(uri.utf8.count <= 2048)
    #expect(try OTPAuthURI(uri).secret.base32String() == secret.sharedSecretKey())
  }

  private static let forgeries = [
    "u1\nerror failed", "u1\r\n", "u1\0", "\u{1B}[2Ju1", "u1\u{7F}", "u1\u{85}", "u1\u{2028}x", "u1\u{2029}x",
    "\u{202E}1u", "\n1\n2\n3\n4-\n5\n6-\n7\n8-9ABC-DEF012345678", "u1\u{200F}", "u1\u{2066}", "u1\u{61C}", "\u{9B}2Ju1",
  ]

  @Test(arguments: forgeries) func `A user name that could forge a log line is refused, and no input forges one`(
    text: String
  ) async throws {
    let log = RecordingLog()
    #if Observability
    let lines = CapturedLog()
    let host = try await Host(log: { event in
      EventLog(logger: lines.logger()).record(event)
      log.append(event)
    })
    #else
    let host = try await Host(log: log.append)
    #endif
    for (name, use) in try await Self.uses(of: text, by: host) {
      let code = await errorCode(use)
      // No event contains an address.
      #expect(code != nil || name == "email", "\(name)")
      #expect(code != .internalError, "\(name)")
    }
    // The user that the host expects, who is named in the event if the token is another's.
    let token = try await host.signIn(Host.bob).token()
    await expectError(.userMismatch) { try await host.auth.user(from: token, for: text) }
    #expect(log.events.contains { $0.userID == "u1" } && log.events.allSatisfy { $0.userID != text })
    #expect(log.events.allSatisfy { $0.factorUID != text && $0.kind != .failed })
    #if Observability
    #expect(lines.lines.count == log.events.count)
    for line in lines.lines {
      #expect(!line.contains(text))
      #expect(
        line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && !$0.properties.isBidiControl })
    }
    #endif
  }

  @Test(arguments: ["alice@example.com", "Zoë", "利用者", "שלום", "👨‍👩‍👧", "a b", "u\u{301}", "DOMAIN\\alice"])
  func `A user's name may be in any script`(text: String) async throws {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    #expect(try await host.signIn(Principal(id: text)).uid == text)
    #expect(log.events.last?.userID == text)
  }

  @Test func `Bytes that are not UTF-8 are not a user's name, and are not mapped to one`() throws {
    let key = try #require(DocumentKey(bytes: Array("user/u".utf8) + [0xFF]))
    #expect(key.userID == nil && key.text == nil)
    #expect(key != .user("u\u{FFFD}"))
  }
}
