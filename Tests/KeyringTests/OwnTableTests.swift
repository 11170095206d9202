import Keyring
import OTP
import Testing

/// Secrets that a server keeps in a table of its own.
@Suite struct OwnTableTests {
  private let secret: OTPSecret

  init() throws { secret = try OTPSecret(bytes: Array("12345678901234567890".utf8)) }

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
