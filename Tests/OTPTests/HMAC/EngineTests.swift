import OTP
import Testing

@Suite struct EngineTests {
  @Test func `the engine says what it is and what it found`() {
    #expect(OTPEngine.version.split(separator: ".").count == 3)
    #expect(OTPEngine.openSSLVersion.hasPrefix("OpenSSL 3") || OTPEngine.openSSLVersion.hasPrefix("OpenSSL 4"))
    let features = OTPEngine.cpuFeatures.split(separator: ",")
    #expect(!features.isEmpty)
    #expect(Set(features).count == features.count)
  }

  @Test func `backends have the names that OTP_BACKEND takes`() {
    #expect(
      HMACBackend.allCases.map(\.name) == [
        "evp", "midstate", "lanes-portable", "lanes-sha-ni", "lanes-avx2", "lanes-avx512", "lanes",
      ])
  }
}
