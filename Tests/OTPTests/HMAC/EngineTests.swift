import OTP
import Testing

@Suite struct EngineTests {
  @Test func `the engine reports its version, OpenSSL's and the CPU's features`() {
    #expect(OTPEngine.version.split(separator: ".").count == 3)
    #expect(OTPEngine.openSSLVersion.hasPrefix("OpenSSL 3") || OTPEngine.openSSLVersion.hasPrefix("OpenSSL 4"))
    let features = OTPEngine.cpuFeatures.split(separator: ",")
    #expect(!features.isEmpty)
    #expect(Set(features).count == features.count)
  }

  @Test func `the self-test reports every backend that could be used and returns the one that is`() throws {
    var reported: [HMACBackend] = []
    let backend = try OTPEngine.selfTest { backend, result in
      reported.append(backend)
      #expect(result == backend.knownAnswerResult)
    }
    #expect(reported == [.lanes, .midstate, .evp])
    #expect(try backend == .standard)
  }

  @Test func `backends have the names that OTP_BACKEND accepts`() {
    #expect(
      HMACBackend.allCases.map(\.name) == [
        "evp", "midstate", "lanes-portable", "lanes-sha-ni", "lanes-avx2", "lanes-avx512", "lanes-sha-arm",
        "lanes-sha512-arm", "lanes",
      ])
  }

  /// The vectors say what each of many names means in a key URI.
  @Test func `hash algorithms have the sizes and names of the standards`() throws {
    #expect(HashAlgorithm.allCases.map(\.tagByteCount) == [20, 32, 64])
    #expect(HashAlgorithm.allCases.map(\.blockByteCount) == [64, 64, 128])
    #expect(HashAlgorithm.allCases.map(\.name) == ["SHA1", "SHA256", "SHA512"])
    #expect(try HashAlgorithm(name: "HMAC-sha-512") == .sha512)
    for name in ["", "SHA384", "SHA1 ", "SHA1\0"] {
      #expect(failure { () throws(OTPError) in try HashAlgorithm(name: name) }?.code == .invalidAlgorithm)
    }
  }
}
