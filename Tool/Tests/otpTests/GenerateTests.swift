import Testing

@Suite struct GenerateTests {
  @Test func `the codes of RFC 4226, Appendix D, are generated with --count`() throws {
    let run = try otp("generate --type hotp --counter 0 --count 10 --secret \(Seed.sha1)")
    #expect(
      run.lines == [
        "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
      ])
    #expect(run.status == 0)
  }

  @Test func `the time is now by default`() throws {
    // With the longest period, now is in step 0.
    #expect(try otp("generate --secret \(Seed.sha1) --period 9223372036854775807").output == "755224\n")
  }

  @Test func `--json prints TOTP codes with their steps and parameters`() throws {
    let run = try otp("generate --secret \(Seed.sha1) --at 59 --count 2 --json")
    #expect(
      run.output
        == #"{"algorithm":"SHA1","codes":[{"code":"287082","step":"1"},{"code":"359152","step":"2"}],"#
        + #""digits":6,"period":30,"t0":"0","type":"totp"}"# + "\n")
  }

  @Test func `--json prints HOTP counters above 2^53 as text`() throws {
    let run = try otp("generate --type hotp --counter 18446744073709551615 --secret \(Seed.sha1) --json")
    #expect(
      run.output
        == #"{"algorithm":"SHA1","codes":[{"code":"094451","counter":"18446744073709551615"}],"#
        + #""digits":6,"type":"hotp"}"# + "\n")
  }

  @Test(arguments: [
    ("", "287082"), ("--digits 7", "4287082"), ("--period 10", "254676"), ("--algorithm SHA1", "287082"),
    ("--t0 30", "755224"), ("--type totp", "287082"),
  ])
  func `options override the URI`(options: String, code: String) throws {
    #expect(try otp("generate --uri \(Seed.uri) --at 59 \(options)").output == code + "\n")
  }

  @Test func `the URI's own values are the defaults`() throws {
    let uri = "otpauth://totp/a?secret=\(Seed.sha256)&algorithm=SHA256&digits=8&period=60"
    #expect(try otp("generate --uri \(uri) --at 119").output == "46119246\n")
    #expect(try otp("generate --uri \(uri) --at 59 --period 30").output == "46119246\n")
  }

  @Test func `an HOTP URI has the counter, unless one is given`() throws {
    #expect(try otp("generate --uri \(Seed.hotpURI)").output == "969429\n")
    #expect(try otp("generate --uri \(Seed.hotpURI) --counter 0").output == "755224\n")
  }

  @Test func `the given type overrides the URI's`() throws {
    #expect(try otp("generate --uri \(Seed.uri) --type hotp --counter 3").output == "969429\n")
    #expect(try otp("generate --uri \(Seed.hotpURI) --type totp --at 59").output == "287082\n")
    #expect(try otp("generate --uri \(Seed.uri) --type hotp").failed(64))
  }

  @Test(arguments: [
    "", "--secret A --uri B", "--secret-file A --secret B", "--secret \(Seed.sha1) --secret-file - --uri x",
  ])
  func `exactly one source of the secret is required`(options: String) throws {
    #expect(try otp("generate \(options)").failed(64))
  }

  @Test(arguments: [
    "--count 0", "--count 1001", "--count -1", "--count x", "--count 9999999999999999999999", "--digits 5",
    "--digits 9", "--digits 6.0", "--digits -9223372036854775808", "--period 0", "--period -30", "--period 30.5",
    "--period 9223372036854775808", "--at 9223372036854775808", "--at 1e3", "--at", "--at --json", "--t0 x",
    "--at -1", "--at 5 --t0 6", "--algorithm MD5", "--algorithm", "--type ocra", "--type hotp", "--counter 1",
    "--type hotp --counter -1", "--type hotp --counter 18446744073709551616", "--type hotp --counter 1 --at 5",
    "--type hotp --counter 1 --period 30", "--type hotp --counter 1 --t0 0", "--json=1", "--nonsense", "extra",
    "--type hotp --counter 18446744073709551615 --count 2",
    "--at 9223372036854775807 --t0 -9223372036854775808 --period 1 --count 2",
  ])
  func `invalid arguments are usage errors`(options: String) throws {
    #expect(try otp("generate --secret \(Seed.sha1) \(options)").failed(64))
  }
}
