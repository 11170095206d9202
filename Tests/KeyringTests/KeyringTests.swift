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

  @Test func `a keyring lists its keys' names, the active one first`() throws {
    let keyring = try Keyring.fixed(active: ("b", 1), others: [("a", 2), ("c", 3)])
    #expect(keyring.activeKeyName == "b")
    #expect(keyring.keyNames == ["b", "a", "c"])
  }

  @Test func `two new keyrings in memory have different names and keys`() throws {
    let (first, second) = try (Keyring(), Keyring())
    #expect(first.activeKeyName != second.activeKeyName)
    let hashes = try [first, second].map { try $0.hash([1], for: .smsCode, boundTo: []) }
    #expect(hashes[0] != hashes[1])
  }

  @Test func `descriptions, dumps and mirrors show no key and no opened value`() throws {
    let marker = "0123456789abcdefghijklmnopqrstuv"
    let key = try Keyring.Key(name: "name", secret: secret)
    let keyring = try Keyring(activeKey: key, otherKeys: [], hashKey: secret)
    let document = try KeyringDocument(active: "name", keys: [key], hashKey: key.bytes)
    let opened = try keyring.open(keyring.sealed(marker), for: .totpSecret, boundTo: ["u1", "f1"])
    let bytes = Array(marker.utf8)
    let spellings = [
      marker, bytes.map { String($0, radix: 16) }.joined(), bytes.prefix(4).map(String.init).joined(separator: ", "),
      bytes.prefix(2).map(String.init).joined(separator: "\n"),
    ]
    for value in [key, keyring, document, opened, [key], ["k": keyring], Optional(opened) as Any] as [Any] {
      var dumped = ""
      dump(value, to: &dumped)
      let texts = ["\(value)", String(reflecting: value), dumped]
      for text in texts {
        #expect(spellings.allSatisfy { !text.contains($0) })
        #expect(text.contains("redacted") || text.contains("name"))
      }
    }
    #expect(Mirror(reflecting: keyring).children.isEmpty)
    #expect(Mirror(reflecting: key).children.isEmpty)
    #expect(Mirror(reflecting: opened).children.isEmpty)
  }
}
