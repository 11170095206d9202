import OTP
import Testing

@Suite struct OTPSecretTests {
  @Test func `an empty secret is refused`() {
    let empty: [UInt8] = []
    #expect(failure { () throws(OTPError) in try OTPSecret(bytes: empty) }?.code == .emptySecret)
    #expect(failure { () throws(OTPError) in try OTPSecret(bytes: empty.span) }?.code == .emptySecret)
    for text in ["", " ", "-", " - "] {
      #expect(failure { () throws(OTPError) in try OTPSecret(base32: text) }?.code == .emptySecret)
      #expect(failure { () throws(OTPError) in try OTPSecret(base32UTF8: Array(text.utf8).span) }?.code == .emptySecret)
    }
    #expect(failure { () throws(OTPError) in try OTPSecret(base32: "", strict: true) }?.code == .emptySecret)
  }

  @Test(arguments: [1, 15, 16, 17, 20, 64, 1000])
  func `a secret of fewer than 16 bytes is accepted, and reported as weak`(count: Int) throws {
    let secret = try OTPSecret(bytes: [UInt8](repeating: 7, count: count))
    #expect(secret.byteCount == count)
    #expect(secret.isWeak == (count < 16))
  }

  @Test func `bytes, base32 in every accepted spelling and URIs give the same secret`() throws {
    let secret = try OTPSecret.rfc
    let text = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    #expect(try OTPSecret(base32: text) == secret)
    #expect(try OTPSecret(base32: text, strict: true) == secret)
    #expect(try OTPSecret(base32: "gezd gnbv gy3t qojq gezd gnbv gy3t qojq") == secret)
    #expect(try OTPSecret(base32UTF8: Array(text.utf8).span) == secret)
    #expect(try OTPSecret(bytes: "12345678901234567890".utf8) == secret)
    // In no contiguous memory.
    #expect(try OTPSecret(bytes: secret.bytes.lazy.map(\.self)) == secret)
    #expect(try OTPAuthURI("otpauth://totp/a?secret=\(text)").secret == secret)
    #expect(secret.base32String() == text)
    #expect(secret.bytes == Array("12345678901234567890".utf8))
  }

  @Test(arguments: HashAlgorithm.allCases)
  func `the bytes copied out make the same secret again`(algorithm: HashAlgorithm) throws {
    let secret = try OTPSecret.random(for: algorithm)
    var copy = secret.unwipedBytes()
    #expect(copy == secret.bytes)
    #expect(try OTPSecret(bytes: copy) == secret)
    // Changing the copy does not change the secret.
    for index in copy.indices { copy[index] ^= 0xFF }
    #expect(try OTPSecret(bytes: copy) != secret)
    #expect(secret.unwipedBytes() == secret.bytes)
  }

  @Test func `secrets are equal when all of their bytes are`() throws {
    let bytes = try OTPSecret.rfc.bytes
    for place in bytes.indices {
      var changed = bytes
      changed[place] ^= 1
      #expect(try OTPSecret(bytes: changed) != .rfc)
    }
    #expect(try OTPSecret(bytes: bytes + [0]) != .rfc)
    #expect(try OTPSecret(bytes: bytes.dropLast()) != .rfc)
    #expect(try OTPSecret(bytes: bytes) == .rfc)
  }

  @Test(arguments: HashAlgorithm.allCases)
  func `a new secret is as long as the algorithm's tag, and different every time`(algorithm: HashAlgorithm) throws {
    let secrets = try (0..<100).map { _ in try OTPSecret.random(for: algorithm) }
    #expect(secrets.allSatisfy { $0.byteCount == algorithm.tagByteCount && !$0.isWeak })
    #expect(Set(secrets.map { $0.base32String() }).count == 100)
  }

  @Test func `a failing random source is a typed error`() async {
    await #expect(processExitsWith: .success) {
      try #require(ProcessEnvironment.offerNothing())
      for algorithm in HashAlgorithm.allCases {
        let error = failure { () throws(OTPError) in try OTPSecret.random(for: algorithm) }
        #expect(error?.code == .randomnessUnavailable)
      }
    }
  }
}
