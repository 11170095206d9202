import Testing

@Suite struct VerifyTests {
  @Test(arguments: [
    ("287082 --at 59", "accepted step=1 offset=0"), ("287082 --at 90 --behind 2", "accepted step=1 offset=-2"),
    ("287082 --at 90 --window 2", "accepted step=1 offset=-2"),
    ("520489 --at 0 --behind 0 --ahead 9", "accepted step=9 offset=9"),
    ("287082 --at 61 --after 0", "accepted step=1 offset=-1"), ("287082 --at -1 --t0 -31", "accepted step=1 offset=0"),
    ("94287082 --at 59 --digits 8", "accepted step=1 offset=0"),
    (
      "094451 --at 9223372036854775807 --t0 -9223372036854775808 --period 1 --window 10",
      "accepted step=18446744073709551615 offset=0"
    ),
  ])
  func `right TOTP codes are accepted`(options: String, line: String) throws {
    let run = try otp("verify --secret \(Seed.sha1) \(options)")
    #expect(run.output == line + "\n" && run.error.isEmpty && run.status == 0)
  }

  @Test(arguments: [
    ("287082 --at 61 --after 1", "replayed"), ("287082 --at 61 --after 18446744073709551615", "replayed"),
    ("287082 --at 90", "rejected"), ("287082 --at 61 --window 0", "rejected"), ("287082 --at 0 --ahead 0", "rejected"),
    ("287082 --at 61 --behind 0", "rejected"), ("87082 --at 59", "rejected"), ("287082 --at 59 --digits 8", "rejected"),
    ("287082 --at 59 --algorithm SHA256", "rejected"), ("--at 59 -- -28708", "rejected"),
  ])
  func `a code that is not accepted exits with status 1`(options: String, line: String) throws {
    let run = try otp("verify --secret \(Seed.sha1) \(options)")
    #expect(run.output == line + "\n" && run.error.isEmpty && run.status == 1)
  }

  @Test(arguments: [
    ("969429 --counter 3", 0, "accepted counter=3 offset=0"), ("969429 --counter 0", 0, "accepted counter=3 offset=3"),
    ("969429 --counter 0 --look-ahead 2", 1, "rejected"), ("969429 --counter 4", 1, "rejected"),
    ("969429 --counter 4 --look-ahead 1000", 1, "rejected"),
    ("094451 --counter 18446744073709551615 --look-ahead 1000", 0, "accepted counter=18446744073709551615 offset=0"),
  ])
  func `HOTP codes are verified with a look-ahead`(options: String, status: Int32, line: String) throws {
    let run = try otp("verify --type hotp --secret \(Seed.sha1) \(options)")
    #expect(run.output == line + "\n" && run.error.isEmpty && run.status == status)
  }

  @Test(arguments: [
    ("287082 --at 61", #"{"offset":-1,"result":"accepted","step":"1"}"#),
    ("287082 --at 61 --after 1", #"{"result":"replayed"}"#), ("000000 --at 61", #"{"result":"rejected"}"#),
    ("969429 --type hotp --counter 1", #"{"counter":"3","nextCounter":"4","offset":2,"result":"accepted"}"#),
    (
      "094451 --type hotp --counter 18446744073709551615",
      #"{"counter":"18446744073709551615","nextCounter":null,"offset":0,"result":"accepted"}"#
    ),
    ("000000 --type hotp --counter 0", #"{"result":"rejected"}"#),
  ])
  func `--json prints the result as JSON`(options: String, json: String) throws {
    let run = try otp("verify --secret \(Seed.sha1) --json \(options)")
    #expect(run.output == json + "\n" && run.error.isEmpty)
    #expect(run.status == (json.contains("accepted") ? 0 : 1))
  }

  @Test(arguments: [
    "", "287082 --look-ahead 1", "287082 --window 1 --behind 1", "287082 --window 1 --ahead 1", "287082 --window 11",
    "287082 --behind -1", "287082 --ahead 9223372036854775808", "287082 --after -1", "287082 --after 1.0",
    "287082 --after 18446744073709551616", "287082 --at -1", "287082 --count 2", "287082 359152", "-28708",
    "287082 --type hotp", "287082 --type hotp --counter 0 --after 0", "287082 --type hotp --counter 0 --window 1",
    "287082 --type hotp --counter 0 --behind 1", "287082 --type hotp --counter 0 --ahead 1",
    "287082 --type hotp --counter 0 --look-ahead 1001", "287082 --type hotp --counter 0 --look-ahead -1",
    "287082 --counter 0",
  ])
  func `invalid arguments are usage errors`(options: String) throws {
    #expect(try otp("verify --secret \(Seed.sha1) \(options)").failed(64))
  }
}
