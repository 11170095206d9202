import OTP
import SharedFixtures
import Testing

/// The vectors say what the tags are; these, that every backend gives OpenSSL's, which `evp` passes on, for any sizes.
@Suite struct HMACKeyTests {
  @Test(arguments: implementations)
  func `every length of a key and of a message gives OpenSSL's tag`(implementation: Implementation) throws {
    var random = SeededGenerator(seed: 2)
    for length in Array(1...300) + Array(stride(from: 301, through: 1000, by: 23)) {
      try check(implementation, secret: random.bytes(length), message: random.next().message)
      try check(implementation, secret: random.bytes(20), message: random.bytes(length))
    }
  }

  @Test(arguments: implementations)
  func `a key of one repeated byte, and the same key with a zero appended, give OpenSSL's tag`(
    implementation: Implementation
  ) throws {
    let blockByteCount = implementation.algorithm.blockByteCount
    for byte in [0x00, 0x36, 0x5C, 0xFF] as [UInt8] {
      for length in [1, 2, blockByteCount - 1, blockByteCount, blockByteCount + 1] {
        let secret = [UInt8](repeating: byte, count: length)
        try check(implementation, secret: secret, message: [])
        try check(implementation, secret: secret + [0], message: [0])
      }
    }
  }

  @Test(arguments: implementations)
  func `a key keeps its algorithm and backend`(implementation: Implementation) throws {
    let key = try HMACKey(.rfc, algorithm: implementation.algorithm, backend: implementation.backend)
    #expect(key.algorithm == implementation.algorithm)
    #expect(key.backend == implementation.backend)
    #expect(HOTP(key: key).key.backend == implementation.backend)
    let message: [UInt8] = []
    #expect(try key.tag(for: message.span).count == implementation.algorithm.tagByteCount)
  }

  private func check(_ implementation: Implementation, secret: [UInt8], message: [UInt8]) throws {
    let (secret, algorithm) = (try OTPSecret(bytes: secret), implementation.algorithm)
    let key = try HMACKey(secret, algorithm: algorithm, backend: implementation.backend)
    let expected = try HMACKey(secret, algorithm: algorithm, backend: .evp).tag(for: message.span)
    #expect(
      try key.tag(for: message.span) == expected, "secret of \(secret.byteCount), message of \(message.count) bytes")
  }
}
