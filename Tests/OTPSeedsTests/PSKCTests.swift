import OTP
import OTPSeeds
import Testing

/// RFC 6030's figures, and containers written by other programs.
///
/// The figures are as python-pskc's tests quote them, with other line breaks. privacyIDEA's tests quote the same values
/// for figures 6 and 7. The RFC gives their keys: for figure 6, the key 12345678901234567890123456789012 and the MAC
/// key 1122334455667788990011223344556677889900; for figure 7, the password `qwerty`, from which the key
/// 651e63cd57008476af1ff6422cd02e41 is derived, and the MAC key bdaab8d648e850d25a3289364f7d7eaaf53ce581. OpenSSL's
/// command-line tool gives the same secrets and authentication codes.
@Suite struct PSKCTests {
  @Test(arguments: [(2, 0), (3, 1)]) func `the figures without encryption are read`(
    figure: Int, count: Int
  ) throws {
    let reading = try Reading(.pskc(), file: "rfc6030-figure\(figure).xml")
    #expect(reading.seeds.count == count && reading.end == nil)
    for seed in reading.seeds {
      #expect(try seed.secret == .rfc && seed.digits == .eight && seed.kind == .hotp(counter: 0))
    }
  }

  @Test func `the properties of a key in a figure are kept`() throws {
    let seed = try #require(try Reading(.pskc(), file: "rfc6030-figure3.xml").seeds.first)
    #expect(seed.serial == "987654321" && seed.keyID == "12345678" && seed.issuer == "Issuer")
    #expect(seed.account == "UID=jsmith,DC=example-bank,DC=net" && seed.line == 14)
  }

  @Test func `keys without digits, derived from another key, or of another type are refused`() throws {
    #expect(try Reading(.pskc(), file: "rfc6030-figure2.xml").faults == ["line 6: digits: missing"])
    #expect(try Reading(.pskc(), file: "rfc6030-figure4.xml").faults == ["line 19: secret: unsupported"])
    let pin = try Reading.text(ofFile: "rfc6030-figure3.xml").replacing("keyprov:pskc:hotp", with: "keyprov:pskc:pin")
    #expect(Reading(.pskc(), pin).faults == ["line 14: type: unsupported"])
  }

  @Test func `figure 6 opens only with its own key`() throws {
    let name = "rfc6030-figure6.xml"
    let key = try OTPSecret(hex: "12345678901234567890123456789012")
    #expect(try Reading(.pskc(.preShared(key)), file: name).seeds.map(\.secret) == [.rfc])
    let wrong = try OTPSecret(hex: "12345678901234567890123456789013")
    #expect(try Reading(.pskc(.preShared(wrong)), file: name).faults == ["line 28: secret: not authentic"])
    #expect(try Reading(.pskc(), file: name).faults == ["line 28: encryption: needs a key or password"])
  }

  @Test func `figure 7 opens only with its own password`() throws {
    let name = "rfc6030-figure7.xml"
    let seeds = try Reading(.pskc(.password(OTPSecret(text: "qwerty"))), file: name).seeds
    #expect(try seeds.map(\.secret) == [.rfc] && seeds.first?.kind == .hotp(counter: 0))
    let faults = try Reading(.pskc(.password(OTPSecret(text: "Qwerty"))), file: name).faults
    #expect(faults == ["line 46: secret: not authentic"])
  }

  @Test(arguments: ["ESIzRFVmd4iZ", "AAECAwQFBgcI", "Su+NvtQfmvfJ", "D+cIHItlB3Wr"])
  func `a changed byte of key, value or code is not authentic`(part: String) throws {
    let key = try OTPSecret(hex: "12345678901234567890123456789012")
    let text = try Reading.text(ofFile: "rfc6030-figure6.xml")
    let changed = text.replacing(part, with: "B" + part.dropFirst())
    #expect(changed != text)
    let reading = Reading(.pskc(.preShared(key)), changed)
    #expect(reading.seeds.isEmpty && reading.faults == ["line 28: secret: not authentic"])
  }

  @Test func `a plain secret is refused if a key or password is given`() throws {
    let name = "rfc6030-figure3.xml"
    let key = try OTPSecret(hex: "12345678901234567890123456789012")
    #expect(try Reading(.pskc(), file: name).seeds.count == 1)
    for key in [PSKCKey.preShared(key), .password(key)] {
      let reading = try Reading(.pskc(key), file: name)
      #expect(reading.seeds.isEmpty && reading.faults == ["line 14: encryption: missing"])
    }
  }

  @Test func `an encrypted value without its authentication code is refused`() throws {
    let key = try OTPSecret(hex: "12345678901234567890123456789012")
    let text = try Reading.text(ofFile: "rfc6030-figure6.xml")
    let without = text.replacing(#/<ValueMAC>[^<]*<\/ValueMAC>/#, with: "")
    #expect(Reading(.pskc(.preShared(key)), without).faults == ["line 28: MAC: missing"])
    let unknown = text.replacing("hmac-sha1", with: "hmac-md5")
    #expect(Reading(.pskc(.preShared(key)), unknown).end?.field == .mac)
  }

  @Test(arguments: ["", "ds:"]) func `a signature is reported as unverified`(prefix: String) throws {
    let text = try Reading.text(ofFile: "rfc6030-figure3.xml")
    let space = #"xmlns\#(prefix.isEmpty ? "" : ":ds")="http://www.w3.org/2000/09/xmldsig#""#
    let signature = "<\(prefix)Signature \(space)><\(prefix)SignedInfo/></\(prefix)Signature></KeyContainer>"
    let signed = Reading(.pskc(), text.replacing("</KeyContainer>", with: signature))
    #expect(try signed.faults.isEmpty && signed.seeds.map(\.secret) == [.rfc] && signed.hasUnverifiedSignature)
    #expect(!Reading(.pskc(), text).hasUnverifiedSignature)
  }

  @Test func `a file of python-pskc opens with a key of 24 bytes`() throws {
    let key = try OTPSecret(bytes: (0..<24).map { $0 })
    let reading = try Reading(.pskc(.preShared(key)), file: "python-pskc-aes192.xml")
    try #require(reading.faults.isEmpty && reading.seeds.count == 2)
    let secret = (0x30..<0x44).map { UInt8($0) }
    #expect(reading.seeds[0].kind == .totp(period: 30, drift: -2) && reading.seeds[0].digits == .six)
    #expect(try reading.seeds[0].secret == OTPSecret(bytes: secret) && reading.seeds[0].displayName == "Token eins")
    #expect(try reading.seeds[0].t0() == 60)
    #expect(reading.seeds[1].kind == .hotp(counter: 300) && reading.seeds[1].digits == .eight)
    #expect(try reading.seeds[1].secret == OTPSecret(bytes: secret.reversed()))
  }

  @Test func `a file of python-pskc, with AES-256, opens with a password`() throws {
    let reading = try Reading(.pskc(.password(OTPSecret(text: "correct horse"))), file: "python-pskc-hmac-sha256.xml")
    #expect(reading.faults.isEmpty)
    let seed = try #require(reading.seeds.first)
    #expect(seed.algorithm == .sha256 && seed.kind == .totp(period: 60) && seed.secret.byteCount == 44)
  }

  @Test func `a file of libpskc is read`() throws {
    let libpskc = try #require(try Reading(.pskc(), file: "libpskc.xml").seeds.first)
    #expect(
      try libpskc.secret == OTPSecret(text: "foo") && libpskc.kind == .hotp(counter: 42) && libpskc.serial == "42")
  }

  @Test(arguments: [
    ("<Policy><KeyUsage>CR</KeyUsage><KeyUsage>Sign</KeyUsage></Policy>", "usage"),
    ("<Policy><KeyUsage/></Policy>", "usage"), ("<Policy><Mondays/></Policy>", "usage"),
    (#"<Policy><PINPolicy PINUsageMode="Append"/></Policy>"#, "PIN"), (#"<Policy><PINPolicy/></Policy>"#, "PIN"),
    (#"<Policy><PINPolicy PINUsageMode="Local"><Foo><Bar/></Foo></PINPolicy></Policy>"#, "PIN"),
    ("<KeyReference>x</KeyReference>", "secret"),
  ]) func `a key is refused if its policy is not understood, or forbids codes`(policy: String, field: String) throws {
    let text = try Reading.text(ofFile: "rfc6030-figure3.xml").replacing("</Data>", with: "</Data>" + policy)
    let reading = Reading(.pskc(), text)
    #expect(reading.seeds.isEmpty && reading.end == nil)
    #expect(reading.refused.map(\.field.rawValue) == [field])
  }

  @Test func `dropped properties are reported, and a key may be used for more than codes`() throws {
    let usage = "<KeyUsage>CR</KeyUsage><KeyUsage>OTP</KeyUsage><KeyUsage>Sign</KeyUsage>"
    let policy = "</Data><Policy><ExpiryDate>2006-05-31T00:00:00Z</ExpiryDate>\(usage)</Policy>"
    let text = try Reading.text(ofFile: "rfc6030-figure3.xml").replacing("</Data>", with: policy)
    #expect(Reading(.pskc(), text).seeds.first?.dropped == [.validity])
  }

  @Test(arguments: ["0", "10000001", "4294967296", "-1", "", "1e3"])
  func `a password's number of rounds must be within limits`(rounds: String) throws {
    let text = try Reading.text(ofFile: "rfc6030-figure7.xml").replacing(">1000<", with: ">\(rounds)<")
    let reading = Reading(.pskc(.password(try OTPSecret(text: "qwerty"))), text)
    #expect(reading.seeds.isEmpty && reading.end?.field == .derivation)
  }
}
