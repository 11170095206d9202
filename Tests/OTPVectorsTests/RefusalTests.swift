import OTPVectors
import Testing

@Suite struct RefusalTests {
  @Test(arguments: SampleFile.limits)
  func `the reader enforces the limits that the README states`(limit: SampleFile.Limit) throws {
    for new in limit.accepted ?? [] {
      #expect(SampleFile.refusal(of: try SampleFile.text(replacing: limit.old, with: new)) == nil, "\(new)")
    }
    for new in (limit.refused ?? []) + (limit.unseen ?? []) {
      #expect(SampleFile.refusal(of: try SampleFile.text(replacing: limit.old, with: new)) != nil, "\(new)")
    }
  }

  @Test func `the sample file tests more than 30 limits`() {
    #expect(SampleFile.limits.count > 30)
    #expect(SampleFile.limits.contains { $0.accepted != nil } && SampleFile.limits.contains { $0.unseen != nil })
  }

  @Test(arguments: [
    Change("otp-vectors/2", "otp-vectors/1", #"format: "otp-vectors/1" is not one of otp-vectors/2"#),
    Change(#""format": "otp-vectors/2","#, "", "format: missing"),
    Change(#""version": "2.0.0""#, #""version": "3.0.0""#, "version: not 2.N.N"),
    Change(#""source": "test","#, "", "source: missing"), Change(#": "test""#, #": """#, "source: empty"),
    Change(#": "test""#, #": ["test"]"#, "source: not a text"),
    Change(#""a group of every type, for tests to break""#, "null", "comment: not a text"),
    Change(#""source": "test""#, #""source": "test", "a": 1"#, "a: not a field that belongs here"),
    Change(#""type": "uri-parse""#, #""type": "base64""#, #"group 7: type: "base64" is not one of hmac, hotp, totp,"#),
    Change(#""type": "uri-parse", "#, "", "group 7: type: missing"),
    Change(#""id": "steps""#, #""id": "codes""#, "group 3 (totp): id: codes is already in use"),
    Change(#""id": "steps", "#, "", "group 3 (totp): id: missing"),
    Change(#""decoder": "strict""#, #""decoder": "strict", "digits": 6"#, "group 5 (base32): digits: not a field that"),
    Change(#""algorithm": "SHA256", "#, "", "group 1 (hmac): algorithm: missing"),
    Change(#""SHA256""#, #""sha256""#, #"group 1 (hmac): algorithm: "sha256" is not one of SHA1"#),
    Change(#""digits": 8"#, #""digits": 9"#, "group 3 (totp): digits: not a whole number in 6...8"),
    Change("4a656665", "4A656665", "group 1 (hmac), test 9007199254740991: keyHex: not pairs of lower-case"),
    Change("4a656665", "", "group 1 (hmac), test 9007199254740991: keyHex: the secret is empty"),
    Change(#""10281""#, "10281", "group 6 (base32-code), test 1: counter: not a decimal number in a text"),
    Change(#""counter": "10281", "#, "", "group 6 (base32-code), test 1: counter: missing"),
    Change("1284755224", "2147483648", "group 2 (hotp), test 1: truncated: not a whole number in 0...2147483647"),
    Change(#""StepEdge""#, #""Step""#, #"group 3 (totp), test 1: flags: "Step" is not in the list"#),
    Change(#", "flags": ["StepEdge"]"#, "", "group 3 (totp), test 1: flags: missing"),
    Change("092555", "92555", "group 6 (base32-code), test 1: code: not 6 digits"),
    Change("359152", "35915", "group 8 (uri-code), test 2: code: not 6 to 8 digits"),
    Change(#""period": "60""#, #""counter": "1""#, "group 7 (uri-parse), test 1: expect.counter: not a field that"),
    Change(
      #"{"issuer": null, "labelIssuer": null, "counter": "4294967297"}"#, "{}",
      "group 7 (uri-parse), test 3: expect: expects nothing"),
    Change(
      #"{"issuer": null, "labelIssuer": null, "counter": "4294967297"}"#, "[]",
      "group 7 (uri-parse), test 3: expect: not an object"),
    Change(#"com", "result": "invalid""#, #"com", "result": "valid""#, "group 7 (uri-parse), test 2: expect: missing"),
    Change(#""counter": "5""#, #""period": "30""#, "group 9 (uri-build), test 1: key.counter: missing"),
    Change(#""otpauth://hotp/carol"#, #""OTPAUTH://hotp/carol"#, "group 9 (uri-build), test 1: uri: does not begin"),
    Change(#""dave""#, #"" dave""#, "group 10 (uri-round-trip), test 1: key.account: begins with a space"),
    Change(#""replayed""#, #""replayed", "step": "1""#, "group 11 (verify-totp), test 2: step: not a field that"),
    Change(
      #""ours": "rejected""#, #""ours": "x""#, #"group 11 (verify-totp), test 3: ours: "x" is not one of accepted"#),
    Change(#", "matched": "3""#, "", "group 12 (verify-hotp), test 1: matched: missing"),
    Change(#"["000000"]"#, "[]", "group 13 (record-totp), test 1: steps.3.codes: not one to three"),
    Change(
      #""answer": "accepted", "matched": "6""#, #""answer": "yes""#,
      "group 14 (record-hotp), test 1: steps.1.answer: \"yes\" is not one"),
    Change(#""keyHex": "000102"#, #""keyHex": "0102"#, "group 15 (record-format): keys.1: keyring: invalidKey"),
    Change(#""number": 1"#, #""number": 21"#, "group 15 (record-format), test 1: record.recoveryCodes.1.number: not a"),
  ])
  func `a refusal names the place in the file`(change: Change) throws {
    let refusal = SampleFile.refusal(of: try change.text())
    #expect(refusal?.hasPrefix(change.outcome) == true, "\(refusal ?? "accepted")")
  }

  @Test(arguments: [
    "0", "-11", "11.0", "1e1", #""11""#, "null", "[11]", "9223372036854775808", "1e999", #"1, "id": 1"#,
  ])
  func `a test with a broken id is identified by its place`(broken: String) throws {
    let refusal = SampleFile.refusal(of: try SampleFile.text(replacing: "9007199254740991", with: broken))
    #expect(refusal?.hasPrefix("group 1 (hmac), test at place 1: id: ") == true, "\(refusal ?? "accepted")")
  }

  @Test func `a test without an id, or with an earlier test's, is identified by its place`() throws {
    let without = try SampleFile.text(replacing: #""id": 9007199254740991, "#, with: "")
    #expect(SampleFile.refusal(of: without) == "group 1 (hmac), test at place 1: id: missing")
    let twice = try SampleFile.text(replacing: #""id": 2, "text": "MZXW61""#, with: #""id": 1, "text": "MZXW61""#)
    #expect(SampleFile.refusal(of: twice) == "group 4 (base32), test at place 2: id: 1 is already in use")
  }

  @Test(arguments: [
    Change(#""source": "test""#, #""source": "test", "source": "test""#, "source: given twice"),
    Change(#""digits": 8"#, #""digits": 8, "digits": 6"#, "group 3 (totp): digits: given twice"),
    Change("359152\"", #"359152", "code": "359152""#, "group 8 (uri-code), test 2: code: given twice"),
    Change(#""60""#, #""60", "period": "60""#, "group 7 (uri-parse), test 1: expect.period: given twice"),
    Change("359152\"", #"359152", "c\u006fde": "000000""#, "group 8 (uri-code), test 2: "),
    Change("359152\"", #"359152", "": 1, "": 2"#, #"group 8 (uri-code), test 2: "": given twice"#),
  ])
  func `a name given twice in one object is refused`(change: Change) throws {
    let refusal = SampleFile.refusal(of: try change.text())
    #expect(refusal?.hasPrefix(change.outcome) == true, "\(refusal ?? "accepted")")
  }

  @Test(arguments: [
    ("", "groups: empty"), ("7", "group 1: not an object"), (SampleFile.group("[]"), "group 1 (base32): tests: empty"),
    (SampleFile.group("{}"), "group 1 (base32): tests: not a list"),
    (SampleFile.group("[null]"), "group 1 (base32), test at place 1: not an object"),
  ])
  func `a file or a group that tests nothing is refused`(groups: String, expected: String) {
    #expect(SampleFile.refusal(of: SampleFile.text(groups: groups)) == expected)
  }

  @Test func `a refusal shows no control characters of the file`() throws {
    let text = try SampleFile.text(replacing: #""type": "uri-parse""#, with: #""type": "\u001b[31m\u202e""#)
    let refusal = try #require(SampleFile.refusal(of: text))
    #expect(refusal.hasPrefix(#"group 7: type: "\u{1b}[31m\u{202e}" is not one of"#))
    let name = String(repeating: "x", count: 100_000)
    let long = try SampleFile.text(replacing: #""type": "uri-parse""#, with: "\"type\": \"\(name)\"")
    #expect(try #require(SampleFile.refusal(of: long)).utf8.count < 300)
  }
}
