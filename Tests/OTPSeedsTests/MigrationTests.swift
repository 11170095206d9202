import Foundation
import OTP
import OTPSeeds
import Testing

/// Google Authenticator's export.
@Suite struct MigrationTests {
  private func number(_ value: UInt64) -> [UInt8] {
    value < 128 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + number(value >> 7)
  }

  private func field(_ name: UInt64, _ value: UInt64) -> [UInt8] { number(name << 3) + number(value) }

  private func field(_ name: UInt64, _ bytes: [UInt8]) -> [UInt8] {
    number(name << 3 | 2) + number(UInt64(bytes.count)) + bytes
  }

  private func key(
    _ name: String, secret: [UInt8] = Array("12345678901234567890".utf8), algorithm: UInt64 = 1, digits: UInt64 = 1,
    type: UInt64 = 2, counter: UInt64 = 0
  ) -> [UInt8] {
    field(1, secret) + field(2, Array(name.utf8)) + field(3, Array("Example".utf8))
      + field(4, algorithm) + field(5, digits) + field(6, type) + (counter == 0 ? [] : field(7, counter))
  }

  private func uri(_ keys: [[UInt8]], size: UInt64 = 1, place: UInt64 = 0, id: UInt64 = 77) -> String {
    let payload = keys.flatMap { field(1, $0) } + field(2, 1) + field(3, size) + field(4, place) + field(5, id)
    let text = Data(payload).base64EncodedString()
    let escaped = text.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
    return "otpauth-migration://offline?data=\(escaped)\n"
  }

  @Test func `the URIs of a batch are read in any order`() throws {
    let first = uri([key("alice"), key("bob", algorithm: 3, digits: 2, type: 1, counter: 300)], size: 2)
    let second = uri([key("carol", algorithm: 2)], size: 2, place: 1)
    let reading = Reading(.migration, second + first)
    #expect(reading.faults.isEmpty && reading.seeds.compactMap(\.account) == ["carol", "alice", "bob"])
    #expect(reading.seeds.map(\.algorithm) == [.sha256, .sha1, .sha512] && reading.seeds.map(\.line) == [1, 2, 2])
    #expect(reading.seeds.map(\.kind) == [.totp(), .totp(), .hotp(counter: 300)])
    #expect(reading.seeds.map(\.digits) == [.six, .six, .eight] && reading.seeds.first?.issuer == "Example")
    #expect(try reading.seeds.allSatisfy { try $0.secret == .rfc })
  }

  @Test func `an incomplete or inconsistent batch is refused`() {
    let part = uri([key("alice")], size: 2)
    #expect(Reading(.migration, part).faults == ["line 1: batch: missing"])
    #expect(Reading(.migration, "").faults == ["batch: missing"])
    #expect(Reading(.migration, part + part).faults == ["line 2: batch: duplicate"])
    #expect(Reading(.migration, part + uri([], size: 2, place: 1, id: 78)).faults == ["line 2: batch: mismatched"])
    #expect(Reading(.migration, part + uri([], size: 3, place: 1)).faults == ["line 2: batch: mismatched"])
    #expect(Reading(.migration, uri([], size: 1001)).faults == ["line 1: batch: too long"])
    #expect(Reading(.migration, uri([], size: 1000)).faults == ["line 1: batch: missing"])
    #expect(Reading(.migration, uri([], size: 2, place: 2)).faults == ["line 1: batch: out of range"])
  }

  @Test(arguments: [
    ("Example:alice", "alice"), ("Example: alice", "alice"), ("Example:", "Example:"), ("Exampl:alice", "Exampl:alice"),
    ("Example:a:b", "a:b"), ("EXAMPLE:alice", "EXAMPLE:alice"),
  ]) func `an account is what follows the issuer in a name`(name: String, account: String) {
    #expect(Reading(.migration, uri([key(name)])).seeds.map(\.account) == [account])
  }

  @Test(
    arguments: [
      (0, 1, 2, "algorithm: missing"), (4, 1, 2, "algorithm: unsupported"), (1, 0, 2, "digits: missing"),
      (1, 3, 2, "digits: unsupported"), (1, 1, 0, "type: missing"), (1, 1, 3, "type: unsupported"),
    ] as [(UInt64, UInt64, UInt64, String)])
  func `an algorithm, digits or type that is missing or unknown is not guessed`(
    algorithm: UInt64, digits: UInt64, type: UInt64, fault: String
  ) {
    let text = uri([key("alice", algorithm: algorithm, digits: digits, type: type), key("bob")])
    let reading = Reading(.migration, text)
    #expect(reading.faults == ["line 1: " + fault] && reading.seeds.compactMap(\.account) == ["bob"])
  }

  @Test func `a secret of up to 1,024 bytes is read`() {
    for (count, faults) in [(1024, []), (1025, ["line 1: secret: too long"]), (0, ["line 1: secret: missing"])] {
      let reading = Reading(.migration, uri([key("alice", secret: [UInt8](repeating: 7, count: count))]))
      #expect(reading.faults == faults && reading.seeds.map(\.secret.byteCount) == (faults.isEmpty ? [count] : []))
    }
  }

  @Test(arguments: [
    "otpauth-migration://offline?data=", "otpauth-migration://offline?data=%4", "otpauth://totp/a?secret=A",
    "otpauth-migration://offline?data=AAAA", "otpauth-migration://offline?data=CgX_",
    "otpauth-migration://offline?data=Cv%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F8B",
  ])
  func `a URI of another kind ends the reading`(text: String) {
    let reading = Reading(.migration, text)
    #expect(reading.seeds.isEmpty && reading.end != nil)
  }

  @Test func `every prefix of a payload is refused or read, and none traps`() {
    let whole = Array(uri([key("alice"), key("bob", type: 1, counter: 1 << 62)]).utf8)
    for count in 0..<whole.count {
      _ = Reading(.migration, SeedSource(bytes: Array(whole.prefix(count))))
    }
    #expect(Reading(.migration, SeedSource(bytes: whole)).seeds.count == 2)
  }
}
