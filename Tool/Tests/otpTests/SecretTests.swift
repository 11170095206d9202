import OTP
import Testing

@Suite struct SecretTests {
  @Test(arguments: [("", 20), ("--algorithm SHA1", 20), ("--algorithm sha256", 32), ("--algorithm SHA-512", 64)])
  func `a new secret is as long as the tag`(options: String, byteCount: Int) throws {
    let run = try otp("secret \(options)")
    #expect(run.lines.count == 1 && run.error.isEmpty && run.status == 0)
    #expect(try OTPSecret(base32: #require(run.lines.first)).byteCount == byteCount)
    #expect(try otp("secret \(options)").output != run.output)
  }

  @Test func `--json prints the result as JSON`() throws {
    let json = try otp("secret --algorithm SHA256 --json").json
    #expect(Set(json.allKeys as? [String] ?? []) == ["algorithm", "byteCount", "secret"])
    #expect(json["algorithm"] as? String == "SHA256" && json["byteCount"] as? Int == 32)
    #expect(try OTPSecret(base32: #require(json["secret"] as? String)).byteCount == 32)
  }

  @Test(arguments: ["secret", "secret --json", "uri build --new-secret --account alice"])
  func `no secret is made if the random source fails`(line: String) throws {
    let configuration = "openssl_conf = init\n[init]\nrandom = r\n[r]\nrandom = NOT-A-DRBG\n"
    try withFile(configuration) { path in
      let run = try otp(line, environment: ["OPENSSL_CONF": path])
      #expect(run.failed(70) && run.error.contains("random"))
    }
  }
}
