import OTP
import Testing

@Suite struct TOTPTests {
  /// RFC 6238, Appendix B.
  static let appendixB: [(time: Int64, step: UInt64, sha1: String, sha256: String, sha512: String)] = [
    (59, 0x1, "94287082", "46119246", "90693936"),
    (1_111_111_109, 0x23523EC, "07081804", "68084774", "25091201"),
    (1_111_111_111, 0x23523ED, "14050471", "67062674", "99943326"),
    (1_234_567_890, 0x273EF07, "89005924", "91819424", "93441116"),
    (2_000_000_000, 0x3F940AA, "69279037", "90698825", "38618901"),
    (20_000_000_000, 0x27BC86AA, "65353130", "77737706", "47863826"),
  ]

  @Test(arguments: implementations)
  func `every backend computes the codes of RFC 6238, Appendix B`(implementation: Implementation) throws {
    let totp = try TOTP(
      secret: .rfc(for: implementation.algorithm), algorithm: implementation.algorithm, digits: .eight,
      backend: implementation.backend)
    for row in TOTPTests.appendixB {
      let expected =
        switch implementation.algorithm {
        case .sha1: row.sha1
        case .sha256: row.sha256
        case .sha512: row.sha512
        }
      #expect(try totp.timeStep.number(at: row.time) == row.step)
      #expect(try totp.code(at: row.time).description == expected)
      #expect(try totp.code(forStep: row.step).description == expected)
      #expect(try totp.verify(expected, at: row.time, after: nil) == .accepted(movingFactor: row.step, offset: 0))
    }
  }

  @Test(arguments: backends)
  func `SHA-256 and SHA-512 use a 20-byte key as given`(backend: HMACBackend) throws {
    let sha256 = try TOTP(secret: .rfc, algorithm: .sha256, digits: .eight, backend: backend)
    #expect(try sha256.code(at: 59).description == "32247374")
    let sha512 = try TOTP(secret: .rfc, algorithm: .sha512, digits: .eight, backend: backend)
    let expected = ReferenceOTP.code(.sha512, secret: try OTPSecret.rfc.bytes, counter: 1, digits: 8)
    #expect(try sha512.code(at: 59).description == expected)
  }

  @Test func `codes of a key URI are those of its secret, algorithm, digits and period`() throws {
    let uri = try OTPAuthURI(
      .totp(period: 60), secret: .rfc, account: "a", algorithm: .sha256, digits: .eight)
    let totp = try TOTP(secret: .rfc, algorithm: .sha256, digits: .eight, period: 60)
    #expect(try TOTP(uri).code(at: 1_234_567_890) == totp.code(at: 1_234_567_890))
    let counted = try OTPAuthURI(.hotp(counter: 3), secret: .rfc, account: "a", digits: .seven)
    #expect(try HOTP(counted).code(counter: 3).description == "6969429")
  }

  @Test func `a URI of the other type gives no codes`() throws {
    let totp = try OTPAuthURI(.totp(), secret: .rfc, account: "a")
    let hotp = try OTPAuthURI(.hotp(counter: 0), secret: .rfc, account: "a")
    #expect(failure { () throws(OTPError) in try HOTP(totp) }?.code == .invalidType)
    #expect(failure { () throws(OTPError) in try TOTP(hotp) }?.part == .type)
  }
}
