import OTP
import OTPSeeds
import Testing

/// Password managers' and authenticator apps' exports.
@Suite struct AppExportTests {
  private static let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
  private static let bitwarden =
    "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp\n"

  private static func aegis(_ entries: String, db: String = "\"version\": 3, ") -> String {
    """
    {
        "version": 1,
        "header": {"slots": null, "params": null},
        "db": {\(db)"entries": [\(entries)], "groups": []}
    }
    """
  }

  private static func entry(
    _ type: String = "totp", _ info: String = "\"digits\": 6, \"period\": 30", secret: String = secret
  ) -> String {
    """
    {
      "type": "\(type)", "uuid": "3ae6f1ad-2e65-4ed2-a953-1ec0dff2386d", "name": "alice", "issuer": "Example",
      "note": "", "favorite": false, "icon": null,
      "info": {"secret": "\(secret)", "algo": "SHA1", \(info)}
    }
    """
  }

  @Test func `Bitwarden's rows with a key are read, and the others are skipped`() throws {
    let uri = "otpauth://totp/Example:alice?secret=\(Self.secret)&issuer=Example&period=60"
    let rows = """
      Social,1,login,"Example, Inc.","a note
      on two lines",PIN: 1,0,https://example.com,al,hunter2,\(uri)
      ,,login,No key,,,0,,bob,pass,
      ,,note,A note,text,,0,,,,
      ,,login,Bare,,,0,,bob@example.com,pass,gezd gnbv gy3t qojq gezd gnbv gy3t qojq
      ,,login,Game,,,0,,carol,pass,steam://JRZCL47CMXVOQMNPZR2F7J4RGI
      ,,login,Typo,,,0,,dave,pass,GEZDGNBV1
      ,,login,Short
      """
    let reading = Reading(.bitwarden, Self.bitwarden + rows)
    #expect(reading.seeds.map(\.account) == ["alice", "bob@example.com"] && reading.seeds.map(\.line) == [2, 6])
    #expect(
      reading.seeds.map(\.label) == ["Example, Inc.", "Bare"] && reading.seeds.map(\.issuer) == ["Example", nil])
    #expect(reading.seeds.map(\.kind) == [.totp(period: 60), .totp()])
    #expect(try reading.seeds.allSatisfy { try $0.secret == .rfc })
    let faults = ["line 7: type: unsupported", "line 8: secret: malformed", "line 9: record: mismatched"]
    #expect(reading.faults == faults && reading.refused.map(\.account) == ["carol", "dave", nil])
  }

  @Test func `an organization's table of Bitwarden is read, and long notes are skipped`() {
    let header = "collections,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp\n"
    let row = "\"a,b\",login,x,\(String(repeating: "n", count: 100_000)),,0,,bob,,\(Self.secret)\n"
    #expect(Reading(.bitwarden, header + row).seeds.map(\.account) == ["bob"])
    #expect(Reading(.bitwarden, header + row.replacing("n", with: "nnn")).end?.reason == .tooLong)
  }

  @Test(arguments: [
    ("name,login_username\na,b\n", "line 1: column (secret): missing"), ("", "line 1: column: missing"),
    ("name,login_username,login_totp,login_totp\n", "line 1: column (secret): duplicate"),
    ("name,login_username,login_totp\na\u{1},b,AAAAAAAA\n", "line 2: record: malformed"),
    ("name,login_username,login_totp\na,b,otpauth://totp/b?secret=1\n", "line 2: secret: malformed"),
    ("name,login_username,login_totp\na,b,otpauth:x\n", "line 2: uri: malformed"),
  ]) func `a faulty table of Bitwarden is reported by line and field`(text: String, fault: String) {
    #expect(Reading(.bitwarden, text).faults == [fault])
  }

  @Test func `Aegis' keys are read, and types that are not supported are refused one by one`() throws {
    let entries = [
      Self.entry(), Self.entry("hotp", "\"digits\": 8, \"counter\": 10300"),
      Self.entry("steam", "\"digits\": 5, \"period\": 30"), Self.entry("yandex", "\"digits\": 8, \"pin\": \"1234\""),
      Self.entry("motp", "\"digits\": 6, \"pin\": \"1234\"", secret: "e3152afee62599c8"),
      Self.entry().replacing("SHA1", with: "SHA256").replacing("Example", with: "B\\u00fccher \\ud83d\\udd11 \\/"),
    ]
    let reading = Reading(.aegis, Self.aegis(entries.joined(separator: ",\n")))
    #expect(reading.seeds.map(\.kind) == [.totp(), .hotp(counter: 10300), .totp()])
    #expect(reading.seeds.map(\.algorithm) == [.sha1, .sha1, .sha256] && reading.seeds.map(\.line) == [4, 9, 29])
    #expect(reading.seeds.map(\.digits) == [.six, .eight, .six])
    #expect(reading.seeds.map(\.label) == ["Example:alice", "Example:alice", "Bücher 🔑 /:alice"])
    #expect(try reading.seeds.allSatisfy { try $0.secret == .rfc && $0.account == "alice" })
    #expect(reading.faults == [14, 19, 24].map { "line \($0): type: unsupported" })
    #expect(reading.refused.map(\.account) == ["alice", "alice", "alice"])
  }

  @Test(
    arguments: [
      ("\"name\": \"alice\", ", "", nil), ("\"type\": \"totp\", ", "", "type: missing"),
      ("\"SHA1\"", "\"MD5\"", "algorithm: unsupported"), ("\"SHA1\"", "null", "algorithm: missing"),
      ("\"SHA1\"", "1", "algorithm: malformed"), ("\"digits\": 6", "\"digits\": 5", "digits: out of range"),
      ("\"digits\": 6", "\"digits\": \"6\"", "digits: malformed"), ("\"digits\": 6, ", "", "digits: missing"),
      ("\"period\": 30", "\"period\": 3e1", "period: malformed"),
      ("\"period\": 30", "\"period\": 0", "period: out of range"),
      ("\"period\": 30", "\"x\": {\"y\": [[], {}, -1.5e+3, true]}", "period: missing"),
      ("\"totp\"", "\"hotp\"", "counter: missing"), ("\"GEZ", "\"1GEZ", "secret: malformed"),
      ("\"\(secret)\"", "\"\"", "secret: missing"), ("\"\(secret)\"", "null", "secret: missing"),
      ("\"algo\"", "\"secret\": \"A\", \"algo\"", "secret: duplicate"),
      ("\"alice\"", "\"a\\u0000\"", "account: malformed"),
    ] as [(String, String, String?)])
  func `a faulty key of Aegis is refused by field, and the next one is read`(part: String, new: String, fault: String?)
  {
    let text = Self.aegis(Self.entry().replacing(part, with: new) + "," + Self.entry())
    let reading = Reading(.aegis, text)
    #expect(reading.seeds.count == (fault == nil ? 2 : 1) && reading.end == nil)
    #expect(reading.refused.map { "\($0.field.rawValue): \($0.reason.rawValue)" } == [fault].compactMap(\.self))
  }

  @Test func `an entry of Aegis that is not a key is refused`() {
    let reading = Reading(.aegis, Self.aegis("1, [{}], null, " + Self.entry()))
    #expect(reading.faults == [String](repeating: "line 4: record: malformed", count: 3) && reading.seeds.count == 1)
  }

  @Test func `2FAS' keys are read, with its defaults`() throws {
    let link = "otpauth://totp/Example:alice?secret=\(Self.secret)&issuer=Example"
    let services = [
      """
      {"name":"Mine","secret":"\(Self.secret)","updatedAt":1702934567518,"otp":{"link":"\(link)","label":"alice",\
      "account":"alice","issuer":"Example","digits":8,"period":60,"algorithm":"SHA512","tokenType":"TOTP",\
      "source":"Link"},"order":{"position":0},"icon":{"selected":"Label","iconCollection":{"id":"a5b3fb65"}}}
      """,
      """
      {"otp":{"tokenType":"HOTP","account":"bob","counter":50},"name":"Other","secret":"\(Self.secret)"}
      """,
      """
      {"name":"Game","secret":"JRZCL47CMXVOQMNPZR2F7J4RGI","otp":{"account":"carol","digits":5,"tokenType":"STEAM"}}
      """,
      "{\"name\":\"\",\"secret\":\"\(Self.secret)\",\"type\":\"Unknown\",\"otp\":{\"issuer\":\"Example\"}}",
    ]
    let text = """
      {"services":[\(services.joined(separator: ","))],"groups":[],"updatedAt":1702934732299,"schemaVersion":4,\
      "appVersionCode":5000009,"appVersionName":"5.1.0","appOrigin":"android","servicesEncrypted":null}
      """
    let reading = Reading(.twoFAS, text)
    #expect(reading.seeds.map(\.account) == ["alice", "bob", nil])
    #expect(reading.seeds.map(\.label) == ["Mine", "Other", "Example"])
    #expect(reading.seeds.map(\.kind) == [.totp(period: 60), .hotp(counter: 50), .totp()])
    #expect(reading.seeds.map(\.digits) == [.eight, .six, .six])
    #expect(reading.seeds.map(\.algorithm) == [.sha512, .sha1, .sha1])
    #expect(try reading.seeds.allSatisfy { try $0.secret == .rfc })
    #expect(reading.faults == ["line 1: type: unsupported"] && reading.refused.map(\.account) == ["carol"])
  }

  @Test func `an encrypted export says that it is encrypted`() {
    let aegis = "{\"version\":1,\"header\":{\"slots\":[{\"type\":1}],\"params\":{}},\"db\":\"RIRpsn\"}"
    let twoFAS = "{\"services\":[],\"schemaVersion\":4,\"servicesEncrypted\":\"PCeJ:dhXb:6i0m\",\"reference\":\"QkyM\"}"
    let fault = "line 1: file: encrypted; export it without a password"
    #expect(Reading(.aegis, aegis).faults == [fault] && Reading(.twoFAS, twoFAS).faults == [fault])
  }

  @Test(arguments: ["{\"version\":1}", " \n[\n]", "\u{FEFF}{}", "{" + String(repeating: " ", count: 1 << 15)])
  func `JSON that is given as a list of URIs is called JSON`(text: String) {
    let line = text.hasPrefix(" ") ? 2 : 1
    #expect(Reading(.uris, text).faults == ["line \(line): file: JSON, not of this format"])
  }

  @Test(arguments: [
    ("", "malformed"), ("otpauth://totp/a", "malformed"), ("[]", "missing"), ("{}", "missing"), ("null", "missing"),
    ("{\"db\":{}}", "missing"), ("{\"db\":{\"entries\":null}}", "missing"), ("{\"version\":2}", "unsupported"),
    ("{\"version\":\"1\"}", "unsupported"), ("{\"db\":{\"version\":4}}", "unsupported"),
    ("{\"version\":0}", "unsupported"), ("{\"version\":1.0}", "malformed"),
    ("{\"db\":{\"entries\":[],\"entries\":[]}}", "duplicate"), ("{\"a\":1,}", "malformed"), ("{,}", "malformed"),
    ("[1,]", "malformed"), ("[1 2]", "malformed"), ("[nul]", "malformed"), ("[+]", "missing"),
    ("{\"a\" 1}", "malformed"),
    ("{a:1}", "malformed"), ("{\"a\":}", "malformed"), ("[\"a]", "malformed"), ("[\"a\nb\"]", "malformed"),
    ("[\"\\x\"]", "malformed"), ("[\"\\ud83d\"]", "malformed"), ("[\"\\udd11\"]", "malformed"),
    ("[\"\\ud83d\\u0041\"]", "malformed"), ("[\"\\u00g0\"]", "malformed"), ("[}", "malformed"), ("{]", "malformed"),
    ("{} {}", "malformed"), ("{}x", "malformed"), (String(repeating: "[", count: 17), "too long"),
    (String(repeating: "[", count: 16) + String(repeating: "]", count: 16), "missing"),
    ("{\"\(String(repeating: "n", count: 4097))\":1}", "too long"),
  ]) func `a file that is not an export of Aegis ends the reading`(text: String, reason: String) {
    let reading = Reading(.aegis, text)
    #expect(reading.seeds.isEmpty && reading.refused.isEmpty && reading.end?.reason.rawValue == reason)
  }

  @Test func `a large icon is skipped, and a large secret is refused`() {
    let icon = String(repeating: "A", count: 1 << 20)
    let text = Self.aegis(Self.entry().replacing("null", with: "\"\(icon)\"") + "," + Self.entry(secret: icon))
    let reading = Reading(.aegis, text)
    #expect(reading.seeds.count == 1 && reading.refused.map(\.reason) == [.tooLong])
  }

  @Test func `every prefix of an export is refused, and none traps`() {
    let whole = Array(Self.aegis(Self.entry()).replacing("Example", with: "B\\u00fccher \\ud83d\\udd11").utf8)
    for count in 0..<whole.count {
      #expect(Reading(.aegis, SeedSource(bytes: Array(whole.prefix(count)))).end != nil)
    }
    #expect(Reading(.aegis, SeedSource(bytes: whole)).seeds.count == 1)
  }

  @Test func `many keys are read in little memory`() {
    let keys = source("{\"services\":[{}", times: 20_000, { _ in ",{\"secret\":\"\(Self.secret)\"}" }, "]}")
    let reading = Reading(.twoFAS, keys)
    #expect(reading.seeds.count == 20_000 && reading.faults == ["line 1: secret: missing"])
  }
}
