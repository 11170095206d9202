import SharedFixtures
import Testing

@testable import Keyring
@testable import OTP

@Suite struct SealingTests {
  // Computed by an independent Python program that uses the package `cryptography`.
  @Test func `a sealed value has the bytes that the format defines`() throws {
    let keyring = try Keyring.fixed(active: ("k1", 5))
    let nonce = [UInt8](repeating: 7, count: 24)
    let rest: [UInt8] = [
      0xB1, 0xA0, 0x0B, 0x0D, 0x4C, 0x81, 0xAF, 0x97, 0xAF, 0xA5, 0xAA, 0x9F, 0xC6, 0xCC, 0x49, 0x4B, 0x20, 0x26, 0xF8,
      0x6F, 0xA7, 0x15,
    ]
    let head = [1, 2] + Array("k1".utf8)
    #expect(try keyring.opened(head + nonce + rest) == "secret")
    let sealed = try keyring.sealed("secret")
    #expect(sealed.starts(with: head) && sealed.count == head.count + nonce.count + rest.count)
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

  @Test func `a keyring that was opened needs no random source, and none is opened without one`() throws {
    #expect(keyringFailure { try Keyring(random: .failing(after: 3)) } == .randomnessUnavailable)
    let keyring = try Keyring(random: .failing(after: 4))
    #expect(try keyring.opened(keyring.sealed("a secret")) == "a secret")
  }

  // As in a child or a restored snapshot: the same key, drawn value and count.
  @Test func `in one state, only the same message has the same nonce`() throws {
    func nonces(_ key: UInt8, drawn: UInt8) throws -> DerivedNonces {
      let key = SecretBytes(copying: [UInt8](repeating: key, count: 32))
      return try DerivedNonces(for: XAES256GCM(key: key), random: .constant(drawn))
    }
    func nonce(
      _ nonces: DerivedNonces, _ plaintext: String, _ data: String, process: UInt64 = 1, count: UInt64 = 2
    ) throws -> [UInt8] {
      let nonce = SecretBytes(capacity: 24)
      let (plaintext, data) = (Array(plaintext.utf8), Array(data.utf8))
      try unsafe nonces.derive(
        to: nonce.mutableBytes, number: (process, count), for: plaintext.span, authenticating: data.span)
      return nonce.copiedBytes()
    }
    let state = try nonces(5, drawn: 7)
    let first = try nonce(state, "secret", "place")
    // Computed by an independent Python program that uses the package `cryptography`.
    #expect(
      first.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        == "03b523df19fea8d1b2e92351f3e398a9d0ab3eecb47ac1bc")
    #expect(try nonce(state, "secret", "place") == first)
    let long = String(repeating: "a", count: 1000)
    let others = [
      try nonce(state, "Secret", "place"), try nonce(state, "secret", "Place"), try nonce(state, "esecret", "plac"),
      try nonce(state, "ecret", "places"), try nonce(state, "secretplace", ""), try nonce(state, "", "placesecret"),
      try nonce(state, long, "place"), try nonce(state, long + "a", "place"), try nonce(state, "secret", long),
      try nonce(state, "secret", "place", process: 2), try nonce(state, "secret", "place", count: 3),
      try nonce(nonces(6, drawn: 7), "secret", "place"), try nonce(nonces(5, drawn: 8), "secret", "place"),
    ]
    #expect(Set(others + [first]).count == others.count + 1)
  }
}
