import Testing

@testable import Keyring
@testable import OTP

@Suite struct KeyringTests {
  private let secret: OTPSecret

  init() throws { secret = try OTPSecret(bytes: Array("0123456789abcdefghijklmnopqrstuv".utf8)) }

  @Test(arguments: ["a", "2026-11", "A.b_c-9", String(repeating: "x", count: 32)])
  func `names of allowed characters are accepted`(name: String) throws {
    #expect(try Keyring.Key(name: name, secret: secret).name == name)
  }

  @Test(arguments: ["", String(repeating: "x", count: 33), "a b", "a\"", "a/b", "a\\", "é", "ａ", "a\0", "\n", "😀"])
  func `other names are refused`(name: String) {
    #expect(keyringFailure { try Keyring.Key(name: name, secret: secret) } == .invalidName)
  }

  @Test(arguments: [1, 16, 31, 33, 64]) func `keys that are not 32 bytes long are refused`(count: Int) throws {
    let short = try OTPSecret(bytes: [UInt8](repeating: 1, count: count))
    #expect(keyringFailure { try Keyring.Key(name: "a", secret: short) } == .invalidKey)
    let key = try Keyring.Key(name: "a", secret: secret)
    #expect(keyringFailure { try Keyring(activeKey: key, hashKey: short) } == .invalidKey)
  }

  @Test func `two keys with the same name are refused`() throws {
    #expect(keyringFailure { try Keyring.fixed(active: ("a", 1), others: [("a", 2)]) } == .duplicateName)
    #expect(keyringFailure { try Keyring.fixed(active: ("a", 1), others: [("b", 2), ("b", 2)]) } == .duplicateName)
  }
}
