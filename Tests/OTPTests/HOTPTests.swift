import OTP
import Testing

@Suite struct HOTPTests {
  @Test(arguments: HMACBackend.allCases.filter(\.isAvailable))
  func `RFC 4226 Appendix D on every backend`(backend: HMACBackend) throws {
    let hotp = try HOTP(secret: OTPSecret(bytes: Array("12345678901234567890".utf8)), backend: backend)
    let codes = try (0..<10).map { try hotp.code(counter: $0).description }
    #expect(
      codes == [
        "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
      ])
  }
}
