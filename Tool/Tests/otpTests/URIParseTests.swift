import Foundation
import Testing

@Suite struct URIParseTests {
  @Test func `the fields are printed without the secret`() throws {
    let run = try otp("uri parse \(Seed.uri)&image=x&flag")
    #expect(
      run.lines == [
        "type=totp", "issuer=Example", "account=alice", "algorithm=SHA1", "digits=6", "period=30", "parameter.image=x",
        "parameter.flag=",
      ])
    #expect(run.error.isEmpty && run.status == 0)
  }

  @Test func `an HOTP URI is read from standard input`() throws {
    let uri = "OTPAUTH://HOTP/a?SECRET=gezdgnbv&counter=18446744073709551615&algorithm=sha-512&digits=8&period=60"
    #expect(
      try otp("uri parse -", input: uri + "\n").lines == [
        "type=hotp", "account=a", "algorithm=SHA512", "digits=8", "counter=18446744073709551615", "parameter.period=60",
      ])
  }

  @Test func `the secret is shown on request`() throws {
    #expect(try otp("uri parse --show-secret \(Seed.uri)").lines.contains("secret=\(Seed.sha1)"))
    #expect(try otp("uri parse --show-secret --json \(Seed.uri)").json["secret"] as? String == Seed.sha1)
    #expect(try !otp("uri parse --json \(Seed.uri)").output.contains(Seed.sha1))
  }

  @Test func `the label's issuer is printed if it differs`() throws {
    let uri = "otpauth://totp/Label:a?secret=GEZDGNBV&issuer=Parameter"
    #expect(
      try otp("uri parse \(uri)").lines.prefix(4) == [
        "type=totp", "issuer=Parameter", "labelIssuer=Label", "account=a",
      ])
    #expect(try otp("uri parse \(uri) --json").json["labelIssuer"] as? String == "Label")
    // Canonically equivalent texts are not the same.
    let decomposed = "otpauth://totp/%C3%A9:a?secret=GEZDGNBV&issuer=e%CC%81"
    #expect(try otp("uri parse \(decomposed)").output.contains("labelIssuer=é\n"))
  }

  @Test func `--json prints the result as JSON`() throws {
    #expect(
      try otp("uri parse --json \(Seed.uri)&image=https://x/&flag").output
        == #"{"account":"alice","algorithm":"SHA1","digits":6,"issuer":"Example","#
        + #""parameters":[{"name":"image","value":"https://x/"},{"name":"flag"}],"period":30,"type":"totp"}"# + "\n")
    #expect(
      try otp("uri parse --json \(Seed.hotpURI)").output
        == #"{"account":"alice","algorithm":"SHA1","counter":"3","digits":6,"issuer":"Example","#
        + #""parameters":[],"type":"hotp"}"# + "\n")
  }

  @Test(arguments: [
    ("%0Asecret%3DX", #"\u{a}secret=X"#), ("%1B%5B2J", #"\u{1b}[2J"#), ("%00", #"\u{0}"#), ("%7F", #"\u{7f}"#),
    ("%C2%9B1m", #"\u{9b}1m"#), ("%E2%80%A8", #"\u{2028}"#), ("%E2%80%A9", #"\u{2029}"#), ("%E2%80%AEa", #"\u{202e}a"#),
    ("%EF%BB%BF", #"\u{feff}"#), ("%5Cu%7Ba%7D", #"\\u{a}"#), ("%CC%B8x", #"\u{338}x"#), ("e%CC%81", "e\u{301}"),
    ("%F0%9F%98%80", "😀"), ("%F3%A0%81%81", #"\u{e0041}"#), ("a%3Db", "a=b"),
  ])
  func `no value forges a line or controls the terminal`(encoded: String, shown: String) throws {
    let run = try otp("uri parse otpauth://totp/x?secret=GEZDGNBV&issuer=\(encoded)&q=\(encoded)")
    let expected = [
      "type=totp", "issuer=\(shown)", "account=x", "algorithm=SHA1", "digits=6", "period=30", "parameter.q=\(shown)",
    ]
    #expect(Array(run.output.utf8) == Array((expected.joined(separator: "\n") + "\n").utf8))
    let json = try otp("uri parse --json otpauth://totp/x?secret=GEZDGNBV&issuer=\(encoded)")
    let unsafe: Set<Unicode.GeneralCategory> = [.control, .format, .lineSeparator, .paragraphSeparator]
    #expect(json.output.unicodeScalars.filter { unsafe.contains($0.properties.generalCategory) } == ["\n"])
  }

  @Test func `no parameter's name forges another`() throws {
    let run = try otp("uri parse otpauth://totp/x?secret=GEZDGNBV&a%3Db=c&d%0A=e")
    #expect(run.lines.suffix(2) == [#"parameter.a\u{3d}b=c"#, #"parameter.d\u{a}=e"#])
  }

  @Test func `parsing options are followed`() throws {
    let plus = "otpauth://totp/x?secret=GEZDGNBV&issuer=A+B"
    #expect(try otp("uri parse \(plus)").lines.contains("issuer=A+B"))
    #expect(try otp("uri parse --plus-is-space \(plus)").lines.contains("issuer=A B"))
    let counterless = "otpauth://hotp/x?secret=GEZDGNBV"
    let run = try otp("uri parse \(counterless)")
    #expect(run.failed(65) && run.error.contains("counter"))
    #expect(try otp("uri parse --missing-counter-is-zero \(counterless)").lines.contains("counter=0"))
    let lowerCase = "otpauth://totp/x?secret=gezdgnbv"
    #expect(try otp("uri parse --strict-base32 \(lowerCase)").failed(65))
    #expect(
      try otp("uri parse --strict-base32 \(lowerCase.uppercased().replacing("OTPAUTH", with: "otpauth"))").status == 0)
  }

  @Test(arguments: [
    ("", "scheme"), ("otpauth://totp/?secret=GEZDGNBV", "account"), ("otpauth://totp/x?secret=1", "secret"),
    ("otpauth://totp/x?secret=GEZDGNBV&q=%G0", "parameter"),
    ("otpauth://totp/\(String(repeating: "x", count: 2048))", "2048 bytes"),
  ])
  func `data errors name the part of the URI`(uri: String, part: String) throws {
    for run in [try Tool.run(["uri", "parse", "--", uri]), try otp("uri parse -", input: uri)] {
      #expect(run.failed(65) && run.error.contains(part))
    }
  }
}
