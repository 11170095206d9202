import OTP
import Testing

@Suite struct HashAlgorithmTests {
  @Test(arguments: [
    ("SHA1", HashAlgorithm.sha1), ("SHA-1", .sha1), ("sha1", .sha1), ("HMACSHA1", .sha1), ("HmacSHA1", .sha1),
    ("hmac-sha-1", .sha1), ("SHA256", .sha256), ("SHA-256", .sha256), ("sha256", .sha256), ("HMACSHA256", .sha256),
    ("HMAC-SHA256", .sha256), ("SHA512", .sha512), ("sha-512", .sha512), ("HmacSHA512", .sha512),
  ])
  func `SHA-1, sha256, HMACSHA1: the algorithm meant`(name: String, algorithm: HashAlgorithm) throws {
    #expect(try HashAlgorithm(name: name) == algorithm)
    let uri = try OTPAuthURI("otpauth://totp/a?secret=MZXW6&algorithm=\(name)")
    #expect(uri.algorithm == algorithm)
  }

  @Test(arguments: [
    "", "SHA", "SHA2", "SHA224", "SHA384", "SHA3-256", "SHA512/256", "MD5", "SHA1 ", " SHA1", "SHA-", "SHA11", "HMAC",
    "HMACMD5", "SHA_1", "ＳＨＡ１", "SHA1\0", "ſHA1", "SHA‐1",
  ])
  func `an unknown algorithm is an error, never SHA-1`(name: String) {
    #expect(failure { () throws(OTPError) in try HashAlgorithm(name: name) }?.code == .invalidAlgorithm)
  }

  @Test func `sizes and names are those of the standards`() {
    #expect(HashAlgorithm.allCases.map(\.tagByteCount) == [20, 32, 64])
    #expect(HashAlgorithm.allCases.map(\.blockByteCount) == [64, 64, 128])
    #expect(HashAlgorithm.allCases.map(\.name) == ["SHA1", "SHA256", "SHA512"])
  }
}
