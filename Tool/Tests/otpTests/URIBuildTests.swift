import Testing

@Suite struct URIBuildTests {
  @Test(arguments: [
    (
      "--account alice --issuer ACME&Söhne",
      "otpauth://totp/ACME%26S%C3%B6hne:alice?secret=\(Seed.sha1)&issuer=ACME%26S%C3%B6hne"
    ),
    (
      "--account alice --all-parameters",
      "otpauth://totp/alice?secret=\(Seed.sha1)&algorithm=SHA1&digits=6&period=30"
    ),
    (
      "--account alice --algorithm sha-512 --digits 8 --period 60",
      "otpauth://totp/alice?secret=\(Seed.sha1)&algorithm=SHA512&digits=8&period=60"
    ),
    (
      "--account alice --type hotp --counter 18446744073709551615",
      "otpauth://hotp/alice?secret=\(Seed.sha1)&counter=18446744073709551615"
    ),
    (
      "--account alice --parameter image=https://example.com/a.png?b=c --parameter x=",
      "otpauth://totp/alice?secret=\(Seed.sha1)&image=https%3A%2F%2Fexample.com%2Fa.png%3Fb%3Dc&x="
    ),
    ("--account=-a --issuer=-i", "otpauth://totp/-i:-a?secret=\(Seed.sha1)&issuer=-i"),
  ])
  func `a URI is built from a secret and options`(options: String, uri: String) throws {
    let run = try otp("uri build --secret \(Seed.sha1) \(options)")
    #expect(run.output == uri + "\n" && run.error.isEmpty && run.status == 0)
    #expect(try otp("uri build --secret-file - \(options)", input: Seed.sha1 + "\n").output == run.output)
    #expect(try otp("uri build --secret-file - \(options) --json", input: Seed.sha1).json == ["uri": uri])
  }

  @Test(arguments: [("", 32), ("--algorithm SHA256", 52), ("--algorithm SHA512", 103)])
  func `a URI is built with a new secret`(options: String, length: Int) throws {
    let run = try otp("uri build --new-secret --account alice \(options)")
    let parsed = try otp("uri parse --show-secret --json -", input: run.output).json
    #expect((parsed["secret"] as? String)?.count == length)
    #expect(try otp("uri build --new-secret --account alice \(options)").output != run.output)
  }

  @Test(arguments: [
    "--account a", "--secret \(Seed.sha1)", "--account a --secret=", "--secret \(Seed.sha1) --new-secret --account a",
    "--secret \(Seed.sha1) --secret-file - --account a", "--new-secret --account a:b",
    "--new-secret --account a --issuer b:c", "--new-secret --account=", "--new-secret --account a --counter 1",
    "--new-secret --account a --type hotp --period 30", "--new-secret --account a --parameter x",
    "--new-secret --account a --parameter =x", "--new-secret --account a --parameter secret=x",
    "--new-secret --account a --parameter Digits=8", "--new-secret --account a --period 0",
    "--new-secret --account \(String(repeating: "a", count: 2048))", "--uri \(Seed.uri) --account a",
  ])
  func `invalid arguments are usage errors`(options: String) throws {
    #expect(try otp("uri build \(options)").failed(64))
  }

  @Test(arguments: ["--secret GEZDGNB1", "--secret-file /dev/zero", "--secret-file /", "--secret-file -"])
  func `invalid values are data errors`(options: String) throws {
    #expect(try otp("uri build --account a \(options)").failed(65))
    #expect(try otp("uri build --account a --secret-file -", input: Seed.uri).failed(65))
  }
}
