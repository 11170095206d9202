import OTP
import OTPVectors
import Testing

/// A runner that compares nothing passes every good file. These files each have one wrong value.
@Suite struct WrongValueTests {
  @Test func `the unchanged sample passes`() throws {
    let report = try SampleFile.read(SampleFile.text).run(on: SampleFile.backends)
    #expect(report.failures.map(\.description) == [])
    #expect(report.passedCount == 16 * SampleFile.backends.count + 13)
  }

  @Test(arguments: [
    Change("4a656665", "4a656664", "tags"), Change("7768617420", "7868617420", "tags"),
    Change("5bdcc146bf", "5bdcc147bf", "tags"), Change("b0344c61", "b0344c62", "tags"),
    Change(#"3843", "result": "valid""#, #"3843", "result": "invalid""#, "tags"),
    Change(#""00010203", "result": "invalid""#, #""00010203", "result": "valid""#, "tags"),
    Change(#""counter": "0", "hmacHex""#, #""counter": "1", "hmacHex""#, "codes"),
    Change("cc93cf18", "cc93cf19", "codes"), Change("1284755224", "1284755225", "codes"),
    Change("755224\"", "755225\"", "codes"), Change("094451", "094452", "codes"),
    Change(#""time": "59", "step""#, #""time": "60", "step""#, "steps"),
    Change(#""time": "59", "step""#, #""time": "-1", "step""#, "steps"),
    Change(#""step": "1", "code""#, #""step": "2", "code""#, "steps"), Change("94287082", "94287083", "steps"),
    Change(#""mzxw 6", "hex": "666f6f""#, #""mzxw 6", "hex": "666f6e""#, "lenient"),
    Change(#"MZXW6", "result": "acceptable""#, #"MZXW7", "result": "acceptable""#, "lenient"),
    Change(#""ours": "invalid""#, #""ours": "valid", "hex": "666f6f", "canonical": "MZXW6""#, "lenient"),
    Change(#""text": "mzxw6===", "result""#, #""text": "MZXW6===", "result""#, "strict"),
    Change(#""text": "MZXW6===""#, #""text": "MZXW6""#, "strict"), Change("092555", "092556", "base32-codes"),
    Change("MZXW6YT!", "MZXW6YTB", "base32-codes"),
    Change(#""type": "totp", "issuer": "Param""#, #""issuer": "Param2""#, "uris"),
    Change(#""type": "totp", "issuer": "Param""#, #""issuer": null"#, "uris"),
    Change(#""labelIssuer": "Label""#, #""labelIssuer": "Param""#, "uris"),
    Change(#""account": "alice""#, #""account": "alicf""#, "uris"),
    Change(
      #""alice", "secretHex": "3132333435"#, #""alice", "secretHex": "3132333436"#, "uris"),
    Change(#""SHA1", "digits": 6, "period": "60""#, #""SHA256", "period": "60""#, "uris"),
    Change(#""SHA1", "digits": 6, "period": "60""#, #""SHA1", "digits": 8, "period": "60""#, "uris"),
    Change(#""period": "60""#, #""period": "61""#, "uris"),
    Change(#""issuer": null, "labelIssuer": null"#, #""issuer": "X""#, "uris"),
    Change(#""issuer": null, "labelIssuer": null"#, #""type": "hotp", "labelIssuer": "X""#, "uris"),
    Change(#""counter": "4294967297""#, #""counter": "4294967298""#, "uris"),
    Change(#""counter": "4294967297""#, #""period": "30""#, "uris"),
    Change(#""counter": "4294967297""#, #""type": "totp""#, "uris"),
    Change("http://example.com", "otpauth://totp/x?secret=GE", "uris"),
    Change(#""time": "59", "code": "287082""#, #""time": null, "code": "755224""#, "uri-codes"),
    Change(#""time": "59", "code""#, #""time": "91", "code""#, "uri-codes"),
    Change("359152", "359153", "uri-codes"), Change("&counter=2", "&counter=3", "uri-codes"),
    Change("otpauth://totp/alice\"", "otpauth://totp/alice?secret=GEZDGNBV\"", "uri-codes"),
    Change(#""carol""#, #""carl""#, "built"), Change(#""carol""#, #""a:b""#, "built"),
    Change(#""issuer": null, "account""#, #""issuer": "ACME Co", "account""#, "built"),
    Change(#""counter": "5""#, #""counter": "6""#, "built"), Change(#""digits": 7"#, #""digits": 8"#, "built"),
    Change("SHA512\",", "SHA256\",", "built"), Change("counter=5", "counter=6", "built"),
    Change(#""account": "dave""#, #""account": "da:ve""#, "round-trips"),
    Change(#""code": "287082", "time": "61""#, #""code": "287083", "time": "61""#, "windows"),
    Change(#""time": "61""#, #""time": "91""#, "windows"), Change(#"1, "ahead": 2"#, #"0, "ahead": 2"#, "windows"),
    Change(#""ahead": 2, "after": null"#, #""ahead": 2, "after": "1""#, "windows"),
    Change(#""step": "1", "offset""#, #""step": "2", "offset""#, "windows"),
    Change(#""offset": -1"#, #""offset": 0"#, "windows"), Change(#""after": "1""#, #""after": "0""#, "windows"),
    Change("replayed", "rejected", "windows"), Change(#""ours": "rejected""#, #""ours": "replayed""#, "windows"),
    Change(#""code": "28 7082""#, #""code": "287082""#, "windows"),
    Change(#""step": "1", "offset": -1"#, #""step": "2", "offset": 0, "otherStep": "1""#, "windows"),
    Change(#""lookAhead": 5"#, #""lookAhead": 2"#, "counters"),
    Change(#""matched": "3""#, #""matched": "2""#, "counters"),
    Change(#""counter": "4", "lookAhead""#, #""counter": "3", "lookAhead""#, "counters"),
    Change(#""last": "0""#, #""last": "5""#, "sequences"), Change(#""window": 3"#, #""window": 4"#, "sequences"),
    Change(#""failuresUntilLock": 2"#, #""failuresUntilLock": 3"#, "sequences"),
    Change(#""lockSeconds": 77"#, #""lockSeconds": 78"#, "sequences"),
    Change(#""firstDelayedFailure": 1,"#, #""firstDelayedFailure": 2,"#, "sequences"),
    Change(#""initialDelaySeconds": 4"#, #""initialDelaySeconds": 5"#, "sequences"),
    Change(#""time": "1600000067""#, #""time": "1600000068""#, "sequences"),
    Change(#""wait", "until": "1600000067""#, #""wait", "until": "1600000068""#, "sequences"),
    Change(#""wait", "until": "1600000067""#, #""locked", "until": "1600000067""#, "sequences"),
    Change(#""locked", "until": "1600000144""#, #""locked", "until": null"#, "sequences"),
    Change(#""matched": "5""#, #""matched": "4""#, "sequences"),
    Change(#"["254676", "287922"]"#, #"["254676", "287923"]"#, "counter-sequences"),
    Change(#""last": null"#, #""last": "5""#, "counter-sequences"),
    Change(#""last": null"#, #""last": "18446744073709551615""#, "counter-sequences"),
    Change(#""resynchronizationLookAhead": 12"#, #""resynchronizationLookAhead": 4"#, "counter-sequences"),
    Change(#""isPending": false"#, #""isPending": true"#, "record-bytes"),
    Change(#""1700000000000""#, #""1700000000001""#, "record-bytes"),
    Change(#""failures": "1""#, #""failures": "2""#, "record-bytes"),
    Change(#""acceptances": "7""#, #""acceptances": "8""#, "record-bytes"),
    Change(#""latest": "1700000300000""#, #""latest": null"#, "record-bytes"),
    Change(#""last": "2""#, #""last": "1""#, "record-bytes"),
    Change(#""isAcceptedHere": true"#, #""isAcceptedHere": false"#, "record-bytes"),
    Change(#""driftFound": 0"#, #""driftFound": 1"#, "record-bytes"),
    Change(#""driftLearned": 0"#, #""driftLearned": -1"#, "record-bytes"),
    Change(#""loss": "1700000400""#, #""loss": null"#, "record-bytes"),
    Change(#""isUsed": false"#, #""isUsed": true"#, "record-bytes"),
    Change(#""number": 1"#, #""number": 3"#, "record-bytes"),
    Change(#""plainHex": "00"#, #""plainHex": "01"#, "record-bytes"),
    Change(#""keyName": "k2""#, #""keyName": "k1""#, "record-bytes"),
    Change(#""nonceHex": "3e"#, #""nonceHex": "00"#, "record-bytes"),
    Change(#""sealedHex": "0103"#, #""sealedHex": "0102"#, "record-bytes"),
    Change(#""keyHex": "00010203"#, #""keyHex": "00010202"#, "record-bytes"),
    Change(#""malformed""#, #""notAuthentic""#, "record-bytes"),
    Change(#""sealedHex": "010170""#, #""sealedHex": "020170""#, "record-bytes"),
  ])
  func `one wrong value fails its group's test, which is reported with the group's id`(change: Change) throws {
    let report = try SampleFile.read(change.text()).run(on: [.evp])
    #expect(report.failures.map(\.groupID) == [change.outcome])
    #expect(report.failures.first?.description.hasPrefix("group \(change.outcome) (") == true)
    #expect(report.passedCount == 28)
  }

  @Test func `canonically equivalent texts are not the same`() throws {
    let text = try SampleFile.text(
      replacing: "otpauth://hotp/bob?secret=GEZDGNBV&", with: "otpauth://hotp/%C3%A9?secret=GEZDGNBV&"
    )
    .replacing(#""issuer": null, "labelIssuer": null"#, with: #""account": "e\u0301""#)
    let report = try SampleFile.read(text).run(on: [])
    #expect(
      report.failures.compactMap { $0.groupID == "uris" ? $0.explanation : nil } == [
        #"account: expected "e\u{301}", got "\u{e9}""#
      ])
  }
}
