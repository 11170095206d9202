import OTP
import Testing

@Suite struct HashAlgorithmTests {
  /// The vectors say what each of many names means in a key URI.
  @Test func `a hash algorithm's name is read as that algorithm, or is an error`() throws {
    #expect(try HashAlgorithm(name: "HMAC-sha-512") == .sha512)
    for name in ["", "SHA384", "SHA1 ", "SHA1\0"] {
      #expect(failure { () throws(OTPError) in try HashAlgorithm(name: name) }?.code == .invalidAlgorithm)
    }
  }

  @Test func `hash algorithms have the sizes and names of the standards`() {
    #expect(HashAlgorithm.allCases.map(\.tagByteCount) == [20, 32, 64])
    #expect(HashAlgorithm.allCases.map(\.blockByteCount) == [64, 64, 128])
    #expect(HashAlgorithm.allCases.map(\.name) == ["SHA1", "SHA256", "SHA512"])
  }
}
