import Foundation
import OTP
import Testing

@Suite struct VectorsTests {
  static let backends = HMACBackend.allCases.filter(\.isAvailable)

  static func hotp(code: String = "755224") -> String {
    """
    {"format": "otp-vectors/2", "version": "2.0.0", "source": "RFC 4226", "groups": [
      {"id": "codes", "type": "hotp", "reference": "RFC 4226", "needs": [], "algorithm": "SHA1", "digits": 6,
       "secretHex": "3132333435363738393031323334353637383930", "tests": [
         {"id": 7, "counter": "0", "code": "\(code)", "flags": []},
         {"id": 8, "counter": "1", "code": "287082", "flags": []}]}]}
    """
  }

  static let base32 = """
    {"format": "otp-vectors/2", "version": "2.0.0", "source": "RFC 4648", "groups": [
      {"id": "strict", "type": "base32", "reference": "RFC 4648", "needs": [], "decoder": "strict", "tests": [
        {"id": 1, "text": "MZXW6===", "hex": "666f6f", "canonical": "MZXW6", "result": "valid", "flags": []}]}]}
    """

  @Test func `a file passes on every backend`() throws {
    try withFolder(["a.json": VectorsTests.hotp()]) { folder in
      let run = try otp("vectors \(folder)/a.json")
      let tallies = VectorsTests.backends.map { "2 passed (\($0.name))" }.joined(separator: ", ")
      let count = 2 * VectorsTests.backends.count
      #expect(run.lines == ["\(folder)/a.json: 2 tests: \(tallies)", "\(count) passed, 0 failed"])
      #expect(run.error.isEmpty && run.status == 0)
    }
  }

  @Test func `a folder's files are run in the order of their names, without the schema`() throws {
    let files = ["b.json": VectorsTests.base32, "a.json": VectorsTests.base32, "schema.json": "{}", "c.txt": "x"]
    try withFolder(files) { folder in
      for path in [folder, folder + "/"] {
        let run = try otp("vectors \(path) \(folder)/b.json")
        #expect(
          run.lines.map { $0.replacing("\(folder)/", with: "").prefix(6) } == ["a.json", "b.json", "b.json", "3 pass"])
        #expect(run.status == 0)
      }
    }
  }

  @Test func `a failure names the file, group, test and target`() throws {
    try withFolder(["a.json": VectorsTests.hotp(code: "000000"), "b.json": VectorsTests.base32]) { folder in
      let run = try otp("vectors \(folder)")
      #expect(run.status == 1 && run.error.isEmpty)
      let count = VectorsTests.backends.count
      #expect(run.lines.last == "\(count + 1) passed, \(count) failed")
      for backend in VectorsTests.backends {
        #expect(run.lines.contains { $0.hasPrefix("\(folder)/a.json: group codes (hotp), test 7 (\(backend.name)): ") })
      }
    }
  }

  @Test func `--json prints the result as JSON`() throws {
    try withFolder(["a.json": VectorsTests.hotp(code: "000000")]) { folder in
      let run = try otp("vectors \(folder) --backend evp --json")
      #expect(run.status == 1 && run.json["passed"] as? Int == 1 && run.json["failed"] as? Int == 1)
      let file = try #require((run.json["files"] as? [NSDictionary])?.first)
      #expect(file["file"] as? String == "\(folder)/a.json" && file["source"] as? String == "RFC 4226")
      #expect(file["tests"] as? Int == 2)
      #expect(file["targets"] as? [NSDictionary] == [["target": "evp", "passed": 1, "failed": 1]])
      let failure = try #require((file["failures"] as? [NSDictionary])?.first)
      #expect(failure["groupID"] as? String == "codes" && failure["groupType"] as? String == "hotp")
      #expect(failure["test"] as? Int == 7 && failure["target"] as? String == "evp")
      #expect((failure["explanation"] as? String)?.isEmpty == false)
    }
  }

  static let second = """
    {"format": "otp-vectors/2", "version": "2.0.0", "source": "test", "groups": [
      {"id": "zeros", "type": "hotp", "reference": "RFC 4226, section 5.3", "needs": ["hotp"], "algorithm": "SHA1",
       "digits": 6, "secretHex": "3132333435363738393031323334353637383930", "tests": [
         {"id": 1, "counter": "10281", "code": "092555", "flags": ["LeadingZero", "ShortNumber"]},
         {"id": 2, "counter": "0", "code": "755225", "flags": []}]},
      {"id": "texts", "type": "base32", "reference": "policy", "needs": ["base32"], "decoder": "lenient", "tests": [
         {"id": 1, "text": "MZXW6===", "hex": "666f6f", "canonical": "MZXW6", "result": "valid", "flags": ["Padding"],
          "needs": ["weak-secret"]}]}]}
    """

  @Test(arguments: [
    ("--group texts", ["b.json: 1 tests: 1 passed", "1 passed, 0 failed"]),
    (
      "--group texts,zeros --has hotp --flag ShortNumber,Padding",
      ["b.json: 1 tests: 1 passed (evp)", "1 passed, 0 failed"]
    ),
    ("--flag Padding", ["b.json: 1 tests: 1 passed", "1 passed, 0 failed"]),
    ("--has base32,weak-secret", ["a.json: 1 tests: 1 passed", "b.json: 1 tests: 1 passed", "2 passed, 0 failed"]),
    (
      "--has hotp --group zeros",
      [
        "b.json: 2 tests: 1 passed, 1 failed (evp)",
        "b.json: group zeros (hotp), test 2 (evp): code: expected \"755225\", got \"755224\"", "1 passed, 1 failed",
      ]
    ),
  ])
  func `tests are selected by group, flag and profile`(options: String, lines: [String]) throws {
    try withFolder(["a.json": VectorsTests.base32, "b.json": VectorsTests.second]) { folder in
      let run = try otp("vectors \(folder) --backend evp \(options)")
      #expect(run.lines.map { $0.replacing("\(folder)/", with: "") } == lines)
      #expect(run.status == (lines.last?.hasSuffix(" 0 failed") == true ? 0 : 1))
    }
  }

  @Test(arguments: [
    "--group nothing", "--group zeros,nothing", "--group ''", "--flag Nothing", "--flag ''", "--flag ShortNumber,",
    "--has nothing", "--has hotp,nothing", "--has totp", "--flag Padding --has hotp",
    "--group texts --flag ShortNumber",
  ])
  func `selecting no test, or by an unknown name, is a usage error`(options: String) throws {
    try withFile(VectorsTests.second) { path in
      let run = try sh("otp vectors \(path) \(options)", in: "/")
      #expect(run.failed(64) && run.lines.isEmpty)
    }
  }

  @Test func `nothing is run if a file is refused`() throws {
    let broken = VectorsTests.hotp().replacing(#""counter": "1", "#, with: "")
    try withFolder(["a.json": VectorsTests.base32, "b.json": broken]) { folder in
      let run = try otp("vectors \(folder)")
      #expect(run.failed(65) && run.error.hasPrefix("otp: \(folder)/b.json: group 1 (hotp), test 8: "))
    }
  }

  @Test(arguments: ["/dev/zero", "/dev/null", "e", "n/", "p", "text", "link", "schema"])
  func `a path that is not vectors is bad data`(path: String) throws {
    try withFolder(["text": "x", "schema.json": "{}"]) { folder in
      let run = try sh(
        "mkdir e n schema; mv schema.json schema; mkfifo p; ln -s e link; otp vectors \(path)", in: folder)
      #expect(run.failed(65) && run.error.hasPrefix("otp: \(path): "))
    }
  }

  @Test(arguments: ["", "nowhere", "text/x"])
  func `a path that does not exist is bad data`(path: String) throws {
    try withFolder(["text": "x", "v": VectorsTests.base32]) { folder in
      let run = try Tool.run(["vectors", "v", path], in: folder)
      #expect(run.failed(65) && run.error.contains("path 2 is not a file or folder"))
    }
  }

  @Test func `a path with a line break stays on one line`() throws {
    try withFolder(["a\nb\u{1B}[2J": "{}"]) { folder in
      let run = try Tool.run(["vectors", "\(folder)/a\nb\u{1B}[2J"])
      #expect(run.failed(65) && run.error.contains(#"a\u{a}b\u{1b}[2J"#))
    }
  }

  @Test func `a backend that does not work here is a usage error`() throws {
    for backend in HMACBackend.allCases where !backend.isAvailable {
      let run = try otp("vectors x --backend \(backend.name)")
      #expect(run.failed(64))
    }
    try withBrokenOpenSSL { environment in
      let run = try otp("vectors x --backend evp", environment: environment)
      #expect(run.failed(64))
    }
  }

  @Test func `a backend that fails its known-answer test fails the vectors`() throws {
    try withBrokenOpenSSL { environment in
      try withFile(VectorsTests.hotp()) { path in
        let run = try otp("vectors \(path)", environment: environment)
        #expect(run.status == 1)
        #expect(run.output.contains(": 0 passed, 2 failed (evp), 2 passed ("), "\(run.output)")
      }
    }
  }
}
