import OTP
import OTPSeeds
import Testing

/// XML bombs, malformed XML, and parts of XML that are not supported.
@Suite struct XMLTests {
  private static let open = #"<KeyContainer Version="1.0" xmlns="urn:ietf:params:xml:ns:keyprov:pskc">"#
  private static let key = """
    <KeyPackage><DeviceInfo><SerialNo>%</SerialNo></DeviceInfo><Key Id="%" \
    Algorithm="urn:ietf:params:xml:ns:keyprov:pskc:totp"><AlgorithmParameters>\
    <ResponseFormat Length="6" Encoding="DECIMAL"/></AlgorithmParameters><Data><Secret>\
    <PlainValue>MTIzNDU2Nzg5MDEyMzQ1Njc4OTA=</PlainValue></Secret><TimeInterval><PlainValue>30</PlainValue>\
    </TimeInterval></Data></Key></KeyPackage>

    """

  private func read(_ text: String) -> Reading { Reading(.pskc(), text) }

  @Test func `document types and entities are refused`() {
    let bomb = #"<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;">]>"# + Self.open + Self.key + "</KeyContainer>"
    #expect(read(bomb).faults == ["line 1: document type: unsupported"])
    let file = #"<!DOCTYPE a SYSTEM "file:///etc/passwd">"# + Self.open + "</KeyContainer>"
    #expect(read(file).faults == ["line 1: document type: unsupported"])
    #expect(read(Self.open + Self.key.replacing("%", with: "&c;") + "</KeyContainer>").end?.reason == .unsupported)
  }

  @Test(arguments: [
    "", "x", "<", "<a", "<a>", "<a/>", "</a>", "<a></b>", open, open + "</KeyContainer", open + "</KeyContainer>x",
    open + "</KeyContainer><a/>", open + "<KeyPackage></KeyContainer>", open + "<x:y/></KeyContainer>",
    open + "<!--", open + "<![CDATA[", open + "<?x", open + "&", open + "<KeyPackage a='1' a='2'/></KeyContainer>",
    open + "<KeyPackage a='<'/></KeyContainer>", open + "<KeyPackage a=1/></KeyContainer>", "\u{FEFF}x",
    #"<?xml version="1.0" encoding="UTF-16"?>"# + open + "</KeyContainer>",
    "<?xml\tversion='1.0' encoding='ISO-8859-1'?>" + open + "</KeyContainer>",
    open + "<KeyPackage a='&#+65;'/></KeyContainer>",
    open + "<KeyPackage a='&#1;'/></KeyContainer>", open + "<KeyPackage a='&#xD800;'/></KeyContainer>",
    open + "<KeyPackage a='&#x110000;'/></KeyContainer>", open + "<KeyPackage a='&#4294967361;'/></KeyContainer>",
    open + "<KeyPackage>\u{0}<b\u{0}/></KeyPackage></KeyContainer>",
    #"<KeyContainer xmlns="urn:ietf:params:xml:ns:keyprov:pskc"/>"#, #"<KeyContainer Version="1.0"/>"#,
    #"<KeyContainer Version="2.0" xmlns="urn:ietf:params:xml:ns:keyprov:pskc"/>"#,
  ]) func `a file that is not a container ends the reading`(text: String) {
    let reading = read(text)
    #expect(reading.seeds.isEmpty && reading.end != nil)
  }

  @Test func `a container may have comments, CDATA sections, references and prefixes`() {
    let text = """
      \u{FEFF}<?xml version='1.0' encoding='utf-8'?><!-- -- > --->
      <p:KeyContainer Version="1.7" xmlns:p="urn:ietf:params:xml:ns:keyprov:pskc" xmlns:e="urn:e">\
      <e:Secret><Secret/></e:Secret>\
      <p:KeyPackage><p:DeviceInfo><p:SerialNo>&#49;<![CDATA[<]]]>&#x32;&amp;</p:SerialNo></p:DeviceInfo>\
      <p:Key Id="1" Algorithm="urn:ietf:params:xml:ns:keyprov:pskc:hotp"><p:AlgorithmParameters>\
      <p:ResponseFormat Length='6' Encoding='DECIMAL'></p:ResponseFormat></p:AlgorithmParameters><p:Data><p:Secret>\
      <p:PlainValue>\tMTIz<!-- x -->NDU2\r\nNzg5MDEyMzQ1Njc4OTA= </p:PlainValue></p:Secret></p:Data>\
      </p:Key></p:KeyPackage></p:KeyContainer>
      <!-- end -->

      """
    let reading = read(text)
    #expect(reading.faults.isEmpty)
    #expect(reading.seeds.first?.serial == "1<]2&")
    #expect((try? OTPSecret.rfc) == reading.seeds.first?.secret)
  }

  @Test(arguments: [
    (open + String(repeating: "<a>", count: 40), SeedRefusal.Field.record),
    (open + "<a" + String(repeating: "a", count: 300) + "/>", .record),
    (open + "<a b='" + String(repeating: "a", count: 5000) + "'/>", .record),
    (open + "<a " + (0..<40).map { "b\($0)='' " }.joined() + "/>", .record),
    (open + "<KeyPackage><DeviceInfo><SerialNo>" + String(repeating: "1", count: 20000), .record),
  ]) func `depth, names, attributes and texts have limits`(text: String, field: SeedRefusal.Field) {
    let end = read(text.replacing("<a", with: "<KeyPackage><Extensions", maxReplacements: 1)).end ?? read(text).end
    #expect(end?.field == field && end?.reason == .tooLong)
  }

  @Test func `a repeated device is refused, but two keys of one device are not`() {
    let (one, other) = (Self.key.replacing("%", with: "7"), Self.key.replacing("%", with: "7", maxReplacements: 1))
    let text = Self.open + "\n" + one + other.replacing("%", with: "8") + one + "</KeyContainer>"
    let reading = read(text)
    #expect(reading.seeds.map(\.keyID) == ["7", "8"] && reading.faults == ["line 4: serial: duplicate"])
  }
}
