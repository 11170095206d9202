import OTP
import OTPVectors
import Testing

/// A runner that compares nothing passes every good file. These files each have one wrong value.
@Suite struct WrongValueTests {
  @Test func `the unchanged sample passes`() throws {
    let report = try SampleFile.read(SampleFile.text).run(on: SampleFile.backends)
    #expect(report.failures.map(\.description) == [])
    #expect(report.passedCount == 12 * SampleFile.backends.count + 7)
  }

  @Test(arguments: [
    Change(#""0b0b0b"#, #""0b0b0c"#, "group 1 (hmac), test 1"),
    Change("4869205468657265", "4869205468657264", "group 1 (hmac), test 1"),
    Change("2e32cff7", "2e32cff6", "group 1 (hmac), test 1"),
    Change("5bdcc146", "5bdcc147", "group 1 (hmac), test 2"),
    Change(#""5bdcc146", "result": "valid""#, #""5bdcc146", "result": "invalid""#, "group 1 (hmac), test 2"),
    Change(
      #""result": "invalid" } ] },\#n{ "type": "hotp""#, #""result": "valid" } ] }, { "type": "hotp""#,
      "group 1 (hmac), test 3"),
    Change(#""id": 11, "counter": "0""#, #""id": 11, "counter": "1""#, "group 2 (hotp), test 11"),
    Change("cc93cf18", "cc93cf19", "group 2 (hotp), test 11"),
    Change("1284755224", "1284755225", "group 2 (hotp), test 11"),
    Change(#""755224""#, #""755225""#, "group 2 (hotp), test 11"),
    Change("359152", "359153", "group 2 (hotp), test 7"),
    Change(#""time": "59""#, #""time": "60""#, "group 3 (totp), test 1"),
    Change(#""time": "59""#, #""time": "-1""#, "group 3 (totp), test 1"),
    Change("37037036", "37037037", "group 3 (totp), test 2"),
    Change("07081804", "17081804", "group 3 (totp), test 2"),
    Change(#""code": "287082", "time": "61""#, #""code": "287083", "time": "61""#, "group 7 (verify-totp), test 1"),
    Change(#""time": "61""#, #""time": "91""#, "group 7 (verify-totp), test 1"),
    Change(#""behind": 1, "ahead": 2"#, #""behind": 0, "ahead": 2"#, "group 7 (verify-totp), test 1"),
    Change(#""ahead": 2, "after": null"#, #""ahead": 2, "after": "1""#, "group 7 (verify-totp), test 1"),
    Change(#""step": "1", "offset""#, #""step": "2", "offset""#, "group 7 (verify-totp), test 1"),
    Change(#""offset": -1"#, #""offset": 0"#, "group 7 (verify-totp), test 1"),
    Change(#""after": "1""#, #""after": "0""#, "group 7 (verify-totp), test 2"),
    Change("replayed", "rejected", "group 7 (verify-totp), test 2"),
    Change("28 7082", "287082", "group 7 (verify-totp), test 3"),
    Change(
      #"null, "result": "rejected""#, #"null, "result": "replayed""#, "group 7 (verify-totp), test 3"),
    Change(#""lookAhead": 5"#, #""lookAhead": 2"#, "group 8 (verify-hotp), test 1"),
    Change(#""matched": "3""#, #""matched": "2""#, "group 8 (verify-hotp), test 1"),
    Change(#""counter": "4""#, #""counter": "3""#, "group 8 (verify-hotp), test 2"),
  ])
  func `one wrong value in a test that uses HMAC fails that test on every backend`(change: Change) throws {
    let report = try SampleFile.read(changed(change)).run(on: SampleFile.backends)
    #expect(report.failures.map(place) == SampleFile.backends.map { "\(change.outcome) (\($0.name))" })
    #expect(report.passedCount == 11 * SampleFile.backends.count + 7)
  }

  @Test(arguments: [
    Change("MZXW6===", "MZXW5===", "group 4 (base32), test 1"),
    Change(#""hex": "666f6f""#, #""hex": "666f6e""#, "group 4 (base32), test 1"),
    Change(#""canonical": "MZXW6""#, #""canonical": "MZXW7""#, "group 4 (base32), test 1"),
    Change(#""text": "A""#, #""text": "AA""#, "group 4 (base32), test 2"),
    Change(#""type": "totp", "issuer": "Param""#, #""issuer": "Param2""#, "group 5 (uri-parse), test 1"),
    Change(#""type": "totp", "issuer": "Param""#, #""issuer": null"#, "group 5 (uri-parse), test 1"),
    Change(#""labelIssuer": "Label""#, #""labelIssuer": "Param""#, "group 5 (uri-parse), test 1"),
    Change(#""account": "alice""#, #""account": "alicf""#, "group 5 (uri-parse), test 1"),
    Change(#""secretHex": "3132333435","#, #""secretHex": "3132333436","#, "group 5 (uri-parse), test 1"),
    Change(
      #""algorithm": "SHA1", "digits": 6, "period": 60"#, #""algorithm": "SHA256""#, "group 5 (uri-parse), test 1"),
    Change(#""digits": 6, "period": 60"#, #""digits": 8"#, "group 5 (uri-parse), test 1"),
    Change(#""period": 60"#, #""period": 61"#, "group 5 (uri-parse), test 1"),
    Change(#""issuer": null, "labelIssuer": null"#, #""issuer": "X""#, "group 5 (uri-parse), test 2"),
    Change(
      #""issuer": null, "labelIssuer": null"#, #""type": "hotp", "labelIssuer": "X""#, "group 5 (uri-parse), test 2"),
    Change(#""counter": "18446744073709551615""#, #""counter": "18446744073709551614""#, "group 5 (uri-parse), test 2"),
    Change(#""counter": "18446744073709551615""#, #""period": 30"#, "group 5 (uri-parse), test 2"),
    Change(#""counter": "18446744073709551615""#, #""type": "totp""#, "group 5 (uri-parse), test 2"),
    Change("http://example.com", "otpauth://totp/x?secret=GE", "group 5 (uri-parse), test 3"),
    Change(#""account": "carol""#, #""account": "carl""#, "group 6 (uri-build), test 1"),
    Change(#""account": "carol""#, #""account": "a:b""#, "group 6 (uri-build), test 1"),
    Change(#""digits": 7, "counter": "5""#, #""digits": 7, "counter": "6""#, "group 6 (uri-build), test 1"),
    Change(#""digits": 7, "counter""#, #""digits": 8, "counter""#, "group 6 (uri-build), test 1"),
    Change("SHA512\",", "SHA256\",", "group 6 (uri-build), test 1"),
    Change(#""issuer": "ACME""#, #""issuer": null"#, "group 6 (uri-build), test 2"),
    Change(#""period": 45"#, #""period": 46"#, "group 6 (uri-build), test 2"),
    Change("issuer=ACME", "issuer=Acme", "group 6 (uri-build), test 2"),
  ])
  func `one wrong value in a test that does not use HMAC fails that test once`(change: Change) throws {
    let report = try SampleFile.read(changed(change)).run(on: SampleFile.backends)
    #expect(report.failures.map(place) == [change.outcome])
    #expect(report.passedCount == 12 * SampleFile.backends.count + 6)
  }

  @Test func `canonically equivalent texts are not the same`() throws {
    let text = SampleFile.text(
      groups: #"""
        { "type": "uri-parse", "tests": [ { "id": 1, "uri": "otpauth://totp/%C3%A9?secret=GE", "result": "valid",
          "expect": { "account": "e\u0301" } } ] }
        """#)
    let report = try SampleFile.read(text).run(on: SampleFile.backends)
    #expect(
      report.failures.map(\.description) == [
        #"group 1 (uri-parse), test 1: account: expected "e\u{301}", got "\u{e9}""#
      ])
  }

  private func changed(_ change: Change) throws -> String {
    try SampleFile.text(replacing: change.old, with: change.new)
  }

  private func place(_ failure: VectorFailure) -> String {
    "group \(failure.group) (\(failure.groupType)), test \(failure.test)" + (failure.target.map { " (\($0))" } ?? "")
  }
}
