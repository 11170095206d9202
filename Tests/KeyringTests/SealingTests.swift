import SharedFixtures
import Testing

@testable import Keyring
@testable import OTP

@Suite struct SealingTests {
  // Computed by an independent Python program that uses the package `cryptography`.
  @Test func `a sealed value has the bytes that the format defines`() throws {
    let random = SecureRandom.constant(7)
    let key = try Keyring.Key(name: "k1", secret: OTPSecret(bytes: [UInt8](repeating: 5, count: 32)))
    let hashKey = try OTPSecret(bytes: [UInt8](repeating: 9, count: 32))
    let keyring = try Keyring(activeKey: key, otherKeys: [], hashKey: hashKey, random: random)
    let sealed = try keyring.sealed("secret")
    let text = sealed.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    #expect(
      text == "01026b31070707070707070707070707070707070707070707070707"
        + "b1a00b0d4c81af97afa5aa9fc6cc494b2026f86fa715")
  }

  @Test(arguments: [0, 1, 15, 16, 17, 100, 5000]) func `a sealed value opens to the same bytes`(count: Int) throws {
    let keyring = try Keyring()
    var random = SeededGenerator(seed: UInt64(count))
    let plaintext = random.bytes(count...count)
    for purpose in Purpose.all {
      let sealed = try keyring.seal(SecretBytes(copying: plaintext), for: purpose, boundTo: [])
      let opened = try keyring.open(sealed, for: purpose, boundTo: [])
      #expect(opened.bytes.copiedBytes() == plaintext)
      #expect(opened.isByActiveKey)
    }
  }

  @Test func `every changed bit of a sealed value is refused`() throws {
    let keyring = try Keyring.fixed(active: ("a", 1), others: [("b", 2), ("c", 3)])
    let sealed = try keyring.sealed("a secret")
    for index in sealed.indices {
      for bit in 0..<8 {
        var changed = sealed
        changed[index] ^= 1 << bit
        let kind = keyringFailure { try keyring.opened(changed) }
        switch index {
        case 0, 1: #expect(kind == .malformed || kind == .unknownKey)
        // One changed bit turns "a" into "c", the name of another key.
        case 2: #expect(kind == .unknownKey || kind == .notAuthentic)
        default: #expect(kind == .notAuthentic)
        }
      }
    }
  }

  @Test func `a value that ends within the name of its key is refused`() throws {
    let sealed = try Keyring.fixed(active: ("key", 1)).sealed("a secret")
    #expect(try Keyring.keyName(ofSealed: sealed.span) == "key")
    for changed in (0..<5).map({ Array(sealed[..<$0]) }) + [[1, 255] + sealed[2...]] {
      #expect(keyringFailure { try Keyring.keyName(ofSealed: changed.span) } == .malformed)
    }
  }

  @Test func `a value sealed for one purpose opens for no other`() throws {
    let keyring = try Keyring()
    for purpose in Purpose.all {
      let sealed = try keyring.sealed("a secret", for: purpose)
      for other in Purpose.all where other != purpose {
        #expect(keyringFailure { try keyring.opened(sealed, for: other) } == .notAuthentic)
      }
    }
  }

  @Test(arguments: [
    (["u1", "f1"], ["u2", "f1"]), (["u1", "f1"], ["f1", "u1"]), (["ab", "c"], ["a", "bc"]), (["abc"], ["ab", "c"]),
    (["a", ""], ["a"]), ([""], []), (["a", "b"], ["a", "b", ""]), (["\u{1}a"], ["a"]), (["é"], ["e\u{301}"]),
  ])
  func `a value sealed in one place opens in no other`(place: [String], other: [String]) throws {
    let keyring = try Keyring()
    let sealed = try keyring.sealed("a secret", place)
    #expect(try keyring.opened(sealed, place) == "a secret")
    #expect(keyringFailure { try keyring.opened(sealed, other) } == .notAuthentic)
    let back = try keyring.sealed("a secret", other)
    #expect(keyringFailure { try keyring.opened(back, place) } == .notAuthentic)
  }

  @Test func `another key opens nothing, whether its name is the same or not`() throws {
    let sealed = try Keyring.fixed(active: ("a", 1)).sealed("a secret")
    let renamed = try Keyring.fixed(active: ("b", 1))
    #expect(keyringFailure { try renamed.opened(sealed) } == .unknownKey)
    let replaced = try Keyring.fixed(active: ("a", 2))
    #expect(keyringFailure { try replaced.opened(sealed) } == .notAuthentic)
  }

  @Test func `the key's name is authenticated even if two names have the same key`() throws {
    let keyring = try Keyring.fixed(active: ("a", 1), others: [("b", 1)])
    var sealed = try keyring.sealed("a secret")
    sealed[2] = UInt8(ascii: "b")
    #expect(keyringFailure { try keyring.opened(sealed) } == .notAuthentic)
  }

  @Test func `the same value is never sealed the same way twice`() throws {
    let keyring = try Keyring()
    var nonces: Set<[UInt8]> = []
    let nameEnd = 2 + keyring.activeKeyName.utf8.count
    for _ in 0..<2000 { nonces.insert(Array(try keyring.sealed("")[nameEnd..<nameEnd + 24])) }
    #expect(nonces.count == 2000)
  }

  @Test func `if the random source fails, nothing is sealed`() throws {
    let keyring = try Keyring(random: .failing(after: 4))
    #expect(try keyring.opened(keyring.sealed("a secret")) == "a secret")
    #expect(keyringFailure { try keyring.sealed("a secret") } == .randomnessUnavailable)
  }
}
