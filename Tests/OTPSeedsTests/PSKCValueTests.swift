import OTP
import OTPSeeds
import Testing

/// Encrypted values: RFC 6030's figure 6, altered, and numbers that OpenSSL's commands encrypted by its keys.
@Suite struct PSKCValueTests {
  private static let name = "rfc6030-figure6.xml"

  private func reading(of text: String) throws -> Reading {
    Reading(.pskc(.preShared(try OTPSecret(hex: "12345678901234567890123456789012"))), text)
  }

  @Test func `a container without authentication codes for its values is reported`() throws {
    let text = try Reading.text(ofFile: Self.name)
    let without = text.replacing(#/<MACMethod(?s:.*)<\/MACMethod>/#, with: "")
    #expect(try without != text && reading(of: without).faults.map { $0.suffix(12) } == ["MAC: missing"])
    let other = text.replacing(
      #/aes128-cbc("\/>\s*<xenc:CipherData>\s*<xenc:CipherValue>\s*ESIz)/#, with: { "aes128-gcm" + $0.output.1 })
    #expect(try other != text && reading(of: other).faults == ["line 28: encryption: unsupported"])
  }

  /// A key of another size makes padding that is wrong for certain, and a changed last block by chance only.
  @Test func `a MAC key that does not open is reported for the value that needs it`() throws {
    let text = try Reading.text(ofFile: Self.name).replacing("N9vJa2BOlSaMrR7I5wSX", with: "N9vJa2BOlSaMrR7I5wSY")
    let counter = drift("AAECAwQFBgcICQoLDA0ODxcfxhy+bUSq4ZU0maQ3rdE=", "6r3AFxVhtIuUdrnvCzQtvmtjZu0=", "Counter")
    #expect(try reading(of: text).faults == ["line 28: secret: not authentic"])
    let both = text.replacing(#/<Counter>(?s:.*)<\/Counter>/#, with: counter)
    #expect(try reading(of: both).faults == ["line 28: counter: not authentic"])
  }

  private func drift(_ ciphertext: String, _ mac: String, _ element: String = "TimeDrift") -> String {
    """
    <\(element)><EncryptedValue><xenc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/>\
    <xenc:CipherData><xenc:CipherValue>\(ciphertext)</xenc:CipherValue></xenc:CipherData></EncryptedValue>\
    <ValueMAC>\(mac)</ValueMAC></\(element)>
    """
  }

  @Test(
    arguments: [
      (-2, "AAECAwQFBgcICQoLDA0OD5lhv0RPbQeU3nDV/jZ3GFc=", "tHHMcK4FxC5soDqXKveStqDPhCI="),
      (2, "AAECAwQFBgcICQoLDA0ODxcfxhy+bUSq4ZU0maQ3rdE=", "6r3AFxVhtIuUdrnvCzQtvmtjZu0="),
      // One byte: 2, and 254 or -2. Two: 65278 or -258. Eight: 2^64 - 2 or -2.
      (2, "AAECAwQFBgcICQoLDA0ODzyy/6/wLw7qolSYhTbyVvA=", "5L2AULNQK5iEsnOq1w2eqZRP/Os="),
      (nil, "AAECAwQFBgcICQoLDA0OD+UJI/2fsEusolnByVRTMTA=", "aGfkW/aM+4NCxJDcUmC+I25LP0c="),
      (nil, "AAECAwQFBgcICQoLDA0OD/zrYCpbSqLTx0hRtVRptQg=", "i86ntOl45ETHFc0ZrL2SCWcFv/U="),
      (nil, "AAECAwQFBgcICQoLDA0OD0HAVWW4KtDhUskAL+7C/u0=", "Bo0uuTJoOuWGMrkDxvkxfVSvrx8="),
    ] as [(Int64?, String, String)]) func `an encrypted drift whose sign is ambiguous is refused`(
      drift: Int64?, ciphertext: String, mac: String
    ) throws
  {
    let values =
      "<TimeInterval><PlainValue>30</PlainValue></TimeInterval>" + self.drift(ciphertext, mac)
    let text = try Reading.text(ofFile: Self.name).replacing("pskc:hotp", with: "pskc:totp")
      .replacing(#/<Counter>(?s:.*)<\/Counter>/#, with: values)
    let reading = try reading(of: text)
    #expect(reading.seeds.map(\.kind) == (drift.map { [.totp(period: 30, drift: $0)] } ?? []))
    #expect(reading.faults == (drift == nil ? ["line 28: drift: malformed"] : []))
  }
}
