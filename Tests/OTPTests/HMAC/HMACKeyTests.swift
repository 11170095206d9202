import OTP
import SharedFixtures
import Testing

@Suite struct HMACKeyTests {
  @Test(arguments: HashAlgorithm.allCases)
  func `every key length up to 300 bytes, and some up to 1000, give the definition's tag`(algorithm: HashAlgorithm)
    throws
  {
    var random = SeededGenerator(seed: 2)
    for length in Array(1...300) + Array(stride(from: 301, through: 1000, by: 23)) {
      try check(algorithm, secret: random.bytes(length), message: random.next().message)
    }
  }

  @Test(arguments: HashAlgorithm.allCases)
  func `every message length from 0 to 300 bytes gives the definition's tag`(algorithm: HashAlgorithm) throws {
    var random = SeededGenerator(seed: 3)
    let secret = random.bytes(20)
    for length in 0...300 { try check(algorithm, secret: secret, message: random.bytes(length)) }
  }

  @Test(arguments: HashAlgorithm.allCases)
  func `a key of one repeated byte, and the same key with a zero appended, give the definition's tag`(
    algorithm: HashAlgorithm
  ) throws {
    let blockByteCount = algorithm.blockByteCount
    for byte in [0x00, 0x36, 0x5C, 0xFF] as [UInt8] {
      for length in [1, 2, blockByteCount - 1, blockByteCount, blockByteCount + 1] {
        let secret = [UInt8](repeating: byte, count: length)
        try check(algorithm, secret: secret, message: [])
        try check(algorithm, secret: secret + [0], message: [0])
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

  /// The reference implementation is slow: it is called once for all backends.
  private func check(_ algorithm: HashAlgorithm, secret: [UInt8], message: [UInt8]) throws {
    let expected = ReferenceOTP.hmac(algorithm.reference, key: secret, message)
    let counter = message.reduce(0) { $0 << 8 | UInt64($1) }
    let code = message.count == 8 ? ReferenceOTP.code(algorithm, secret: secret, counter: counter, digits: 8) : nil
    for backend in backends {
      let key = try HMACKey(OTPSecret(bytes: secret), algorithm: algorithm, backend: backend)
      #expect(
        try key.tag(for: message.span) == expected,
        "\(backend.name): secret of \(secret.count), message of \(message.count) bytes")
      if let code { #expect(try HOTP(key: key, digits: .eight).code(counter: counter).description == code) }
    }
  }
}
