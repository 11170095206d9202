import OTPVectors
import Testing

@Suite struct RefusalTests {
  @Test(arguments: [
    Change("otp-vectors/1", "otp-vectors/3", #"format: "otp-vectors/3" is none of otp-vectors/1, otp-vectors/2"#),
    Change("otp-vectors/1", "otp-vectors/2", "version: missing"),
    Change(#""format": "otp-vectors/1", "#, "", "format: missing"),
    Change(#""source": "test", "#, "", "source: missing"),
    Change(#""source": "test""#, #""source": """#, "source: empty"),
    Change(#""source": "test""#, #""source": ["test"]"#, "source: not a text"),
    Change(#""comment": "a file""#, #""comment": null"#, "comment: not a text"),
    Change(#""comment": "a file""#, #""remark": "a file""#, "remark: not a field that belongs here"),
    Change(
      #""type": "base32""#, #""type": "base64""#, #"group 4: type: "base64" is none of hmac, hotp, totp, base32,"#),
    Change(#""type": "base32", "#, "", "group 4: type: missing"),
    Change(
      #""type": "base32""#, #""type": "base32", "digits": 6"#, "group 4 (base32): digits: not a field that belongs here"
    ),
    Change(#""algorithm": "SHA256", "tests""#, #""tests""#, "group 1 (hmac): algorithm: missing"),
    Change(
      #""algorithm": "SHA256", "tests""#, #""algorithm": "sha256", "tests""#,
      "group 1 (hmac): algorithm: \"sha256\" is none of"),
    Change(
      #""algorithm": "SHA256", "tests""#, #""algorithm": "MD5", "tests""#,
      "group 1 (hmac): algorithm: \"MD5\" is none of SHA1"),
    Change(#""digits": 8"#, #""digits": 9"#, "group 3 (totp): digits: not a whole number of 6...8"),
    Change(#""digits": 8"#, #""digits": 5"#, "group 3 (totp): digits: not a whole number of 6...8"),
    Change(
      #""digits": 8, "period": 30"#, #""digits": 8, "period": 0"#, "group 3 (totp): period: not a whole number of 1."),
    Change(
      #""digits": 8, "period": 30"#, #""digits": 8, "period": -30"#,
      "group 3 (totp): period: not a whole number of 1..."),
    Change(
      #""digits": 8, "period": 30"#, #""digits": 8, "period": 9223372036854775808"#, "group 3 (totp): period: not a"),
    Change(
      #""digits": 8, "period": 30, "t0": "0""#, #""digits": 8, "period": 30, "t0": 0"#,
      "group 3 (totp): t0: not a decimal"),
    Change(
      #""digits": 8, "period": 30, "t0": "0""#, #""digits": 8, "period": 30, "t0": "-0""#,
      "group 3 (totp): t0: not a decimal"),
    Change(#""3132333435""#, #""""#, "group 5 (uri-parse), test 1: expect.secretHex: the secret is empty"),
    Change(#""keyHex": "4a656665""#, #""keyHex": """#, "group 1 (hmac), test 2: keyHex: the secret is empty"),
    Change(
      #""keyHex": "4a656665""#, #""keyHex": "4A656665""#, "group 1 (hmac), test 2: keyHex: not pairs of lower-case"),
    Change(
      #""keyHex": "4a656665""#, #""keyHex": "4a65666""#, "group 1 (hmac), test 2: keyHex: not pairs of lower-case"),
    Change(
      #""keyHex": "4a656665""#, #""keyHex": "4a65666 ""#, "group 1 (hmac), test 2: keyHex: not pairs of lower-case"),
    Change(#""tagHex": "00010203""#, #""tagHex": """#, "group 1 (hmac), test 3: tagHex: empty"),
    Change("2e32cff7", "2e32cff700", "group 1 (hmac), test 1: tagHex: longer than the 32 bytes of a tag"),
    Change(
      #""5bdcc146", "result": "valid""#, #""5bdcc146", "result": "acceptable""#,
      "group 1 (hmac), test 2: result: \"acceptable\" is none"),
    Change(#""5bdcc146", "result": "valid""#, #""5bdcc146""#, "group 1 (hmac), test 2: result: missing"),
    Change(#""id": 7, "counter": "2""#, #""id": 7, "counter": 2"#, "group 2 (hotp), test 7: counter: not a decimal"),
    Change(#""id": 7, "counter": "2""#, #""id": 7, "counter": "02""#, "group 2 (hotp), test 7: counter: not a decimal"),
    Change(#""id": 7, "counter": "2""#, #""id": 7, "counter": "+2""#, "group 2 (hotp), test 7: counter: not a decimal"),
    Change(#""id": 7, "counter": "2""#, #""id": 7, "counter": " 2""#, "group 2 (hotp), test 7: counter: not a decimal"),
    Change(#""id": 7, "counter": "2""#, #""id": 7, "counter": "-1""#, "group 2 (hotp), test 7: counter: not a decimal"),
    Change(
      #""id": 7, "counter": "2""#, #""id": 7, "counter": "18446744073709551616""#,
      "group 2 (hotp), test 7: counter: not a"),
    Change(#""id": 7, "counter": "2""#, #""id": 7, "counter": """#, "group 2 (hotp), test 7: counter: not a decimal"),
    Change(#""id": 7, "counter": "2""#, #""id": 7"#, "group 2 (hotp), test 7: counter: missing"),
    Change(
      #""id": 7, "counter": "2""#, #""id": 7, "conter": "2", "counter": "2""#,
      "group 2 (hotp), test 7: conter: not a field"),
    Change("cc93cf18", "cc93cf", "group 2 (hotp), test 11: hmacHex: not the 20 bytes of a tag"),
    Change("1284755224", "2147483648", "group 2 (hotp), test 11: truncated: not a whole number of 0...2147483647"),
    Change("1284755224", "-1", "group 2 (hotp), test 11: truncated: not a whole number of 0...2147483647"),
    Change("1284755224", #""1284755224""#, "group 2 (hotp), test 11: truncated: not a whole number of 0...2147483647"),
    Change("359152", "35915", "group 2 (hotp), test 7: code: not 6 digits"),
    Change("359152", "35915x", "group 2 (hotp), test 7: code: not 6 digits"),
    Change("359152", "35915٢", "group 2 (hotp), test 7: code: not 6 digits"),
    Change(
      #""time": "59""#, #""time": "9223372036854775808""#, "group 3 (totp), test 1: time: not a decimal number of -"),
    Change(#""step": "37037036", "#, "", "group 3 (totp), test 2: step: missing"),
    Change(#""canonical": "MZXW6""#, #""canonical": "mzxw6""#, "group 4 (base32), test 1: canonical: not upper-case"),
    Change(#""text": "A""#, #""text": "A", "hex": """#, "group 4 (base32), test 2: hex: not a field that belongs here"),
    Change(
      #""period": 60"#, #""counter": "1""#, "group 5 (uri-parse), test 1: expect.counter: not a field that belongs"),
    Change(
      #""period": 60"#, #""image": "x""#, "group 5 (uri-parse), test 1: expect.image: not a field that belongs here"),
    Change(
      #""issuer": null, "labelIssuer": null"#, #""type": "hotp", "period": 30"#,
      "group 5 (uri-parse), test 2: expect.period: not a"),
    Change(
      #""issuer": null, "labelIssuer": null"#, #""period": 30"#,
      "group 5 (uri-parse), test 2: expect.counter: not a field"),
    Change(
      #"{ "issuer": null, "labelIssuer": null, "counter": "18446744073709551615" }"#, "{}",
      "group 5 (uri-parse), test 2: expect: expects nothing"),
    Change(
      #"{ "issuer": null, "labelIssuer": null, "counter": "18446744073709551615" }"#, "[]",
      "group 5 (uri-parse), test 2: expect: not an object"),
    Change(#""issuer": "Param""#, #""issuer": """#, "group 5 (uri-parse), test 1: expect.issuer: empty"),
    Change(
      #""http://example.com", "result": "invalid""#, #""http://example.com", "result": "valid""#,
      "group 5 (uri-parse), test 3: expect: missing"),
    Change(
      #""digits": 7, "counter": "5""#, #""digits": 7, "period": 30"#,
      "group 6 (uri-build), test 1: key.counter: missing"),
    Change(#""issuer": "ACME", "#, "", "group 6 (uri-build), test 2: key.issuer: missing"),
    Change(
      #""uri": "otpauth://hotp/carol"#, #""uri": "OTPAUTH://hotp/carol"#,
      "group 6 (uri-build), test 1: uri: does not begin"),
    Change(#""ahead": 2"#, #""ahead": 11"#, "group 7 (verify-totp), test 1: ahead: not a whole number of 0...10"),
    Change(
      #""behind": 1, "ahead": 2"#, #""behind": -1, "ahead": 2"#,
      "group 7 (verify-totp), test 1: behind: not a whole number"),
    Change(#""ahead": 2, "after": null"#, #""ahead": 2"#, "group 7 (verify-totp), test 1: after: missing"),
    Change(#""after": "1""#, #""after": 1"#, "group 7 (verify-totp), test 2: after: not a decimal"),
    Change(
      #""offset": -1"#, #""offset": -11"#, "group 7 (verify-totp), test 1: offset: not a whole number of -10...10"),
    Change(#", "offset": -1"#, "", "group 7 (verify-totp), test 1: offset: missing"),
    Change(#""step": "1", "offset""#, #""offset""#, "group 7 (verify-totp), test 1: step: missing"),
    Change(
      #""replayed""#, #""replayed", "step": "1""#, "group 7 (verify-totp), test 2: step: not a field that belongs"),
    Change(
      #""replayed""#, #""replayed", "offset": 0"#,
      "group 7 (verify-totp), test 2: offset: not a field that belongs here"),
    Change(
      #""replayed""#, #""refused""#,
      "group 7 (verify-totp), test 2: result: \"refused\" is none of accepted, replayed, rejected"),
    Change(
      #""lookAhead": 5"#, #""lookAhead": 1001"#,
      "group 8 (verify-hotp), test 1: lookAhead: not a whole number of 0...1000"),
    Change(#", "matched": "3""#, "", "group 8 (verify-hotp), test 1: matched: missing"),
    Change(
      #""lookAhead": 100, "result": "rejected""#, #""lookAhead": 100, "result": "rejected", "matched": "4""#,
      "group 8 (verify-hotp), test 2: matched: not a field"),
    Change(
      #""lookAhead": 100, "result": "rejected""#, #""lookAhead": 100, "result": "replayed""#,
      "group 8 (verify-hotp), test 2: result: \"replayed\" is none"),
  ])
  func `a file that breaks a rule is refused, and the refusal says where`(change: Change) throws {
    let refusal = SampleFile.refusal(of: try SampleFile.text(replacing: change.old, with: change.new))
    #expect(refusal?.hasPrefix(change.outcome) == true, "\(refusal ?? "accepted")")
  }

  @Test(arguments: [
    ("11", "0"), ("11", "-11"), ("11", "11.0"), ("11", "1e1"), ("11", #""11""#), ("11", "true"), ("11", "null"),
    ("11", "[11]"),
    ("11", "9223372036854775808"), ("11", "99999999999999999999999999999999999999999"), ("11", "1e999"),
    ("11", #"1, "id": 1"#),
  ])
  func `a test with a broken id is named by its place`(id: String, broken: String) throws {
    let refusal = SampleFile.refusal(of: try SampleFile.text(replacing: "\"id\": \(id)", with: "\"id\": \(broken)"))
    #expect(refusal?.hasPrefix("group 2 (hotp), test at place 1: id: ") == true, "\(refusal ?? "accepted")")
  }

  @Test func `a test without an id, and one with an earlier test's, are named by their place`() throws {
    let without = try SampleFile.text(replacing: #""id": 7, "#, with: "")
    #expect(SampleFile.refusal(of: without) == "group 2 (hotp), test at place 2: id: missing")
    let twice = try SampleFile.text(replacing: #""id": 7"#, with: #""id": 11"#)
    #expect(SampleFile.refusal(of: twice) == "group 2 (hotp), test at place 2: id: 11 is an earlier test's")
  }

  @Test(arguments: [
    Change(#""source": "test""#, #""source": "test", "source": "test""#, "source: given twice"),
    Change(#""digits": 8"#, #""digits": 8, "digits": 6"#, "group 3 (totp): digits: given twice"),
    Change("359152\"", #"359152", "code": "359152""#, "group 2 (hotp), test 7: code: given twice"),
    Change(#""period": 60"#, #""period": 60, "period": 60"#, "group 5 (uri-parse), test 1: expect.period: given twice"),
    Change("359152\"", #"359152", "c\u006fde": "000000""#, "group 2 (hotp), test 7: "),
    Change("359152\"", #"359152", "": 1, "": 2"#, "group 2 (hotp), test 7: \"\": given twice"),
  ])
  func `a name given twice in one object is refused`(change: Change) throws {
    let refusal = SampleFile.refusal(of: try SampleFile.text(replacing: change.old, with: change.new))
    #expect(refusal?.hasPrefix(change.outcome) == true, "\(refusal ?? "accepted")")
  }

  @Test func `a file or a group that tests nothing is refused`() {
    #expect(SampleFile.refusal(of: SampleFile.text(groups: "")) == "groups: empty")
    let group = #"{ "type": "base32", "tests": [] }"#
    #expect(SampleFile.refusal(of: SampleFile.text(groups: group)) == "group 1 (base32): tests: empty")
    let groups = #"{ "type": "base32", "tests": {} }"#
    #expect(SampleFile.refusal(of: SampleFile.text(groups: groups)) == "group 1 (base32): tests: not a list")
  }

  @Test func `what is not an object where one belongs is refused by its place`() {
    #expect(SampleFile.refusal(of: SampleFile.text(groups: "7")) == "group 1: not an object")
    let group = #"{ "type": "base32", "tests": [ { "id": 4, "text": "A", "result": "invalid" }, null ] }"#
    #expect(
      SampleFile.refusal(of: SampleFile.text(groups: group)) == "group 1 (base32), test at place 2: not an object")
  }

  @Test func `a refusal shows no control characters of the file`() throws {
    let text = try SampleFile.text(replacing: #""type": "base32""#, with: #""type": "\u001b[31m\u202e""#)
    let refusal = try #require(SampleFile.refusal(of: text))
    #expect(refusal.hasPrefix(#"group 4: type: "\u{1b}[31m\u{202e}" is none of"#))
    let long = try SampleFile.text(replacing: #""base32""#, with: "\"" + String(repeating: "x", count: 100_000) + "\"")
    #expect(try #require(SampleFile.refusal(of: long)).utf8.count < 300)
  }
}
