import Keyring
import OTP
import Testing

/// Secrets that a server keeps in a table of its own.
@Suite struct OwnTableTests {
  private let secret: OTPSecret

  init() throws { secret = try OTPSecret(bytes: Array("12345678901234567890".utf8)) }

  // Computed by an independent Python program that uses the package `cryptography`.
  @Test func `a sealed secret has the bytes that the format defines`() throws {
    let sealed: [UInt8] = [
      0x01, 0x02, 0x6B, 0x31, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07,
      0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0xF3, 0xF7, 0x5B, 0x4B, 0x1C, 0xC3, 0xD1, 0x95, 0x34, 0xB0,
      0x04, 0x53, 0x8D, 0xE1, 0x51, 0xC7, 0x81, 0x8A, 0xE0, 0xD4, 0x1E, 0xDB, 0xAF, 0x97, 0x6B, 0x96, 0x31, 0xEB, 0xF7,
      0xCF, 0x4C, 0x71, 0x9F, 0xF6, 0x49, 0x87,
    ]
    let keyring = try Keyring.fixed(active: ("k1", 5))
    #expect(try keyring.openSecret(sealed, boundTo: ["second factor", "42"]) == secret)
  }

  @Test(arguments: [1, 20, 32, 64, 1000]) func `a secret opens as it was sealed`(byteCount: Int) throws {
    let secret = try OTPSecret(bytes: [UInt8](repeating: 7, count: byteCount))
    let keyring = try Keyring()
    let sealed = try keyring.seal(secret, boundTo: ["second factor", "42"])
    #expect(try keyring.openSecret(sealed, boundTo: ["second factor", "42"]) == secret)
    #expect(sealed.count == byteCount + 42 + keyring.activeKeyName.utf8.count)
    #expect(try keyring.seal(secret, boundTo: ["second factor", "42"]) != sealed)
  }

  @Test(arguments: [
    ["second factor", "43"], ["second factor4", "2"], ["42", "second factor"], ["second factor"], [],
  ])
  func `another user's secret does not open`(context: [String]) throws {
    let keyring = try Keyring()
    let sealed = try keyring.seal(secret, boundTo: ["second factor", "42"])
    #expect(keyringFailure { try keyring.openSecret(sealed, boundTo: context) } == .notAuthentic)
  }

  @Test func `a secret sealed by an old key opens, and is known to be sealed by it`() throws {
    let old = try Keyring.fixed(active: ("a", 1), others: [])
    let sealed = try old.seal(secret, boundTo: ["42"])
    #expect(old.isSealedByActiveKey(sealed) && !old.isSealedByActiveKey([]))
    let new = try Keyring.fixed(active: ("b", 2), others: [("a", 1)])
    #expect(!new.isSealedByActiveKey(sealed))
    #expect(try new.openSecret(sealed, boundTo: ["42"]) == secret)
    #expect(try new.isSealedByActiveKey(new.seal(secret, boundTo: ["42"])))
    let without = try Keyring.fixed(active: ("b", 2), others: [])
    #expect(keyringFailure { try without.openSecret(sealed, boundTo: ["42"]) } == .unknownKey)
  }

  @Test func `what was sealed for another purpose is not a secret`() throws {
    let keyring = try Keyring()
    let sealed = try secret.withBytes { bytes in
      try keyring.seal(SecretBytes(copying: bytes), for: Purpose("account"), boundTo: ["42"])
    }
    #expect(keyringFailure { try keyring.openSecret(sealed, boundTo: ["42"]) } == .notAuthentic)
  }
}
