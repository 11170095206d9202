import SharedFixtures
import Testing

@testable import Keyring
@testable import OTP

@Suite struct XAES256GCMTests {
  private func roundTrip(
    _ cipher: XAES256GCM, nonce: [UInt8], plaintext: [UInt8], data: [UInt8]
  ) throws -> (sealed: [UInt8], opened: [UInt8]) {
    let output = SecretBytes(capacity: plaintext.count + 16)
    try unsafe cipher.seal(plaintext.span, nonce: nonce.span, authenticating: data.span, to: output.mutableBytes)
    let opened = try output.withBytes { (sealed) throws(KeyringError) in
      try cipher.open(sealed, nonce: nonce.span, authenticating: data.span)
    }
    return (output.copiedBytes(), opened.copiedBytes())
  }

  private func open(_ cipher: XAES256GCM, _ sealed: [UInt8], nonce: [UInt8]) throws -> [UInt8] {
    try cipher.open(sealed.span, nonce: nonce.span, authenticating: nonce.span).copiedBytes()
  }

  private func seal(key: [UInt8], nonce: [UInt8], plaintext: [UInt8], data: [UInt8]) throws -> [UInt8] {
    let cipher = try XAES256GCM(key: SecretBytes(copying: key))
    let (sealed, opened) = try roundTrip(cipher, nonce: nonce, plaintext: plaintext, data: data)
    #expect(opened == plaintext)
    return sealed
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  // The specification's two vectors: one without and one with a reduction of the subkey in the field.
  @Test(
    arguments: [
      (1, "", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"),
      (3, "c2sp.org/XAES-256-GCM", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"),
    ] as [(UInt8, String, String)])
  func `the specification's vectors pass`(key: UInt8, data: String, expected: String) throws {
    let sealed = try seal(
      key: Array(repeating: key, count: 32), nonce: Array("ABCDEFGHIJKLMNOPQRSTUVWX".utf8),
      plaintext: Array("XAES-256-GCM".utf8), data: Array(data.utf8))
    #expect(hex(sealed) == expected)
  }

  // The tag was computed by an independent Python program that uses AES-ECB and AES-GCM of the package `cryptography`.
  @Test func `300 messages of 0 to 299 bytes are sealed as another implementation seals them`() throws {
    var state: UInt64 = 1
    func bytes(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(state >> 56)
      }
    }
    var all: [UInt8] = []
    for count in 0..<300 {
      let (key, nonce) = (bytes(32), bytes(24))
      all += try seal(key: key, nonce: nonce, plaintext: bytes(count), data: bytes(count * 7 % 64))
    }
    let tag = try HMACKey(OTPSecret(bytes: [UInt8](repeating: 1, count: 32)), algorithm: .sha256).tag(for: all.span)
    #expect(hex(tag) == "9924ae45ed18980a7c781d31bba8545e4c5b20644aee45e088391b7c6ba9c2d2")
  }

  @Test(arguments: [0, 1, 16, 31, 33, 64]) func `a key that is not 32 bytes long is refused`(count: Int) {
    #expect(keyringFailure { try XAES256GCM(key: SecretBytes(capacity: count)) } == .cryptographyFailed)
  }

  @Test(arguments: [0, 1, 12, 23, 25]) func `a nonce that is not 24 bytes long is refused`(count: Int) throws {
    let cipher = try XAES256GCM(key: SecretBytes(capacity: 32))
    let nonce = [UInt8](repeating: 0, count: count)
    let sealing = keyringFailure { try roundTrip(cipher, nonce: nonce, plaintext: [1], data: []) }
    #expect(sealing == .cryptographyFailed)
    let opening = keyringFailure { try open(cipher, Array(repeating: 0, count: 17), nonce: nonce) }
    #expect(opening == .notAuthentic)
  }

  @Test func `many threads use one key at once`() async throws {
    let cipher = try XAES256GCM(key: SecretBytes(capacity: 32))
    let wrong = Locked(0)
    await onThreads(8) { thread in
      var random = SeededGenerator(seed: UInt64(thread))
      for _ in 0..<3000 {
        let (plaintext, nonce) = (random.bytes(0...100), random.bytes(24...24))
        let opened = try? roundTrip(cipher, nonce: nonce, plaintext: plaintext, data: nonce).opened
        if opened != plaintext { wrong.withLock { $0 += 1 } }
      }
    }
    #expect(wrong.withLock { $0 } == 0)
  }
}
