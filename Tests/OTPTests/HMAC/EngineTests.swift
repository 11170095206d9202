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
        "lanes-sha512-arm", "lanes", "lanes-fixed",
      ])
  }
}
