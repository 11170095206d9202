import OTP
import Testing

/// Tests the oracle that the other tests trust against published values.
@Suite struct ReferenceTests {
  /// FIPS 180-4's examples: `abc`, and two messages of more than a block's padding.
  @Test(arguments: [
    (HashAlgorithm.sha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (.sha1, "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    (
      .sha1, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
    ),
    (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      .sha256, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      .sha512, "abc",
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd"
        + "454d4423643ce80e2a9ac94fa54ca49f"
    ),
    (
      .sha512,
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
        + "nopqrstu",
      "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018501d289e4900f7e4331b99dec4b5433a"
        + "c7d329eeb6dd26545e96e55b874be909"
    ),
  ])
  func `the reference hashes give FIPS 180-4's digests`(algorithm: HashAlgorithm, message: String, digest: String) {
    #expect(algorithm.reference(Array(message.utf8)).hexText == digest)
  }

  /// RFC 2202, cases 1, 2 and 6; RFC 4231, cases 1, 2 and 6.
  @Test(arguments: [
    (
      HashAlgorithm.sha1, [UInt8](repeating: 0x0B, count: 20), "Hi There",
      "b617318655057264e28bc0b6fb378c8ef146be00"
    ),
    (.sha1, Array("Jefe".utf8), "what do ya want for nothing?", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
    (
      .sha1, [UInt8](repeating: 0xAA, count: 80), "Test Using Larger Than Block-Size Key - Hash Key First",
      "aa4ae5e15272d00e95705637ce8a3b55ed402112"
    ),
    (
      .sha256, [UInt8](repeating: 0x0B, count: 20), "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      .sha256, [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
    (
      .sha512, Array("Jefe".utf8), "what do ya want for nothing?",
      "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fd"
        + "caeab1a34d4a6b4b636e070a38bce737"
    ),
    (
      .sha512, [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
      "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a1e52"
        + "95e64f73f63f0aec8b915a985d786598"
    ),
  ])
  func `the reference HMAC gives the tags of RFC 2202 and RFC 4231`(
    algorithm: HashAlgorithm, key: [UInt8], message: String, tag: String
  ) {
    #expect(ReferenceOTP.hmac(algorithm.reference, key: key, Array(message.utf8)).hexText == tag)
  }

  @Test func `the reference HOTP gives the codes of RFC 4226 Appendix D`() throws {
    let secret = try OTPSecret.rfc.bytes
    let codes = (0..<10).map { ReferenceOTP.code(.sha1, secret: secret, counter: $0, digits: 6) }
    #expect(codes == HOTPTests.appendixD)
  }
}
