import Foundation
import OTP
import Testing

@Suite struct CommandLineTests {
  static let commands = [
    "generate", "verify", "secret", "uri", "uri build", "uri parse", "vectors", "info", "enroll", "authenticate",
    "factors", "unenroll", "recovery-codes", "explain", "accounts", "unlock", "revoke", "store", "store create",
    "store copy", "store check", "store reseal", "store spend", "import", "export", "keyring", "keyring new",
    "keyring add", "keyring activate", "keyring remove", "keyring list", "record", "record show",
    "record explain", "record unlock", "record serve",
  ]

  @Test func `help lists the commands`() throws {
    for line in ["--help", "-h", "help"] {
      let run = try otp(line)
      #expect(run.status == 0 && run.error.isEmpty && run.output.hasPrefix("OVERVIEW: "))
      for command in CommandLineTests.commands where !command.contains(" ") { #expect(run.output.contains(command)) }
    }
  }

  @Test(arguments: commands)
  func `each command has help`(command: String) throws {
    for line in ["\(command) --help", "\(command) -h", "help \(command)"] {
      let run = try otp(line)
      #expect(run.status == 0 && run.error.isEmpty && run.output.hasPrefix("OVERVIEW: "))
      #expect(run.output.contains("EXAMPLE: ") || ["uri", "store", "keyring", "record"].contains(command))
    }
  }

  @Test(arguments: ["generate", "verify", "authenticate", "enroll", "recovery-codes"])
  func `help warns of secrets on the command line`(command: String) throws {
    #expect(
      try otp("\(command) --help").output
        .split(whereSeparator: \.isWhitespace).joined(separator: " ").contains("Other users of the machine can see it.")
    )
  }

  @Test(arguments: [
    "", "nonsense", "--nonsense", "-x", "-", "--", "---", "---completion", "---completion generate -- --at 0 0",
    "--generate-completion-script nonsense", "info extra", "a b c", "secret --algorithm MD5", "secret extra",
    "uri", "uri nonsense", "uri parse", "uri parse a b", "uri parse --nonsense x", "vectors", "vectors --backend evp",
    "vectors x --backend nonsense", "vectors x --backend", "keyring", "keyring new", "keyring list",
    "keyring activate file", "record", "record show file",
  ])
  func `invalid arguments are usage errors`(line: String) throws {
    #expect(try otp(line).failed(64))
  }

  @Test(arguments: [
    ("generate --digit 6", "unknown option '--digit'; did you mean --digits?; see 'otp generate --help'"),
    ("generate --nonsense", "unknown option '--nonsense'; see 'otp generate --help'"),
    ("generate --GEZDGNBV", "argument 2 is an unknown option; see 'otp generate --help'"),
    ("verfy 1", "unknown command 'verfy'; did you mean verify?; see 'otp --help'"),
    ("store creat", "unknown command 'creat'; did you mean create?; see 'otp store --help'"),
    ("nonsense", "unknown command 'nonsense'; see 'otp --help'"), ("GEZDGNBV", "unknown command; see 'otp --help'"),
    ("help store chek", "unknown command 'chek'; did you mean check?; see 'otp --help'"),
    ("info extra", "argument 2 is unexpected; see 'otp info --help'"),
  ])
  func `an unknown word that cannot be a secret is named`(line: String, error: String) throws {
    let run = try otp(line)
    #expect(run.failed(64) && run.error == "otp: \(error)\n", "\(run.error)")
  }

  @Test(arguments: [
    (["factors", "postgresql://otp@db/login"], "the URL of a database"),
    (["factors", "a", "--keyring", "postgres://db"], "the URL of a database"),
    (["factors", "a", "--store", "host=db dbname=login"], "a connection string"),
    (["factors", "a", "--store", "otpauth://totp/a?secret=GEZDGNBV"], "a key URI"),
    (["explain", "otpauth://totp/a?secret=GEZDGNBV", "1"], "a key URI"),
    (["factors", "a", "--store", "mysql://db/login"], "a URL"),
    (["store", "copy", "dbname=a", "b"], "a connection string"),
  ])
  func `a URL in the wrong place is recognized`(arguments: [String], name: String) throws {
    let run = try Tool.run(arguments)
    #expect(run.failed(64) && run.error.contains("this is \(name)") && !run.error.contains("GEZDGNBV"), "\(run.error)")
  }

  @Test func `the help has the commands first, in a line each`() throws {
    let lines = try otp("--help").output.split(separator: "\n", omittingEmptySubsequences: false)
    let places = ["CODE SUBCOMMANDS:", "ADMINISTRATION SUBCOMMANDS:", "STORE SUBCOMMANDS:", "OPTIONS:", "EXIT STATUS:"]
      .map { lines.firstIndex(of: $0) ?? -1 }
    #expect(places == places.sorted() && places[0] > 0)
    let commands = lines[places[0]..<places[3]].filter { $0.hasPrefix("  ") }
    #expect(commands.allSatisfy { $0.dropFirst(2).first?.isLetter == true }, "\(commands)")
    #expect(commands.count == 20)
  }
}

@Suite struct SecrecyTests {
  /// What must never be repeated: a secret used nowhere else, in every form in which it is passed.
  static let secret = "OBZHK3TFOIQHG5LNNVSXEIDSMF3GK3Q"
  static let uri = "otpauth://totp/Acme:zoe?secret=\(secret)"

  @Test(arguments: [
    ["generate", "--secret", secret + "1"], ["generate", "--secret \(secret)"], ["generate", "--secrets=\(secret)"],
    ["generate", secret], ["generate", uri, secret], [secret], [uri], ["generate", "--uri", uri + "&digits=99"],
    ["generate", "--uri", "x" + uri], ["generate", "--uri", uri + "\n"], ["generate", "-" + secret], ["-" + uri],
    ["generate", "--\(secret.lowercased())"], ["generate", "--secret-file", secret], ["generate", "--at", secret],
    ["generate", "--digits", uri], ["generate", "--type", secret], ["generate", "--algorithm", secret],
    ["generate", "--json=\(secret)"], ["generate", "--count", "' is invalid for '--at': \(secret)"],
    ["generate", "--secret", secret, "--at", "-1"], ["verify", secret, uri], ["verify", "--after", secret, "1"],
    ["verify", "-\(secret)"], ["secret", "--algorithm", secret], ["uri", secret],
    ["uri", "build", "--account", "a", "--secret", secret + "0"], ["uri", "build", "--new-secret", "--account", uri],
    ["uri", "build", "--new-secret", "--account", "a", "--issuer", uri],
    ["uri", "build", "--new-secret", "--account", "a", "--parameter", secret], ["uri", "parse", uri + "&period=0"],
    ["uri", "parse", uri, secret], ["uri", "parse", uri + "&x=%GG"], ["info", secret], ["vectors", secret],
    ["vectors", "--backend", secret, "x"], ["--generate-completion-script", secret], ["help", "--\(secret)"],
    ["authenticate", secret, uri, "--store", "/nonexistent/\(secret)"], ["authenticate", "a", uri, uri],
    ["enroll", uri, "--store", "/nonexistent/\(secret)"], ["enroll", "a", "--type", secret],
    ["enroll", "a", "--store=\(uri)/x"], ["factors", secret, "--store", uri],
    ["unenroll", secret, uri, "--store", "/nonexistent/x"],
    ["recovery-codes", uri, "--code", secret, "--store", secret], ["---completion", secret],
    ["generate", "--did you mean '--\(secret)'"],
  ])
  func `no error repeats what was typed`(arguments: [String]) throws {
    let run = try Tool.run(arguments)
    #expect(run.failed(run.status) && [64, 65].contains(run.status))
    let error = run.error.lowercased()
    #expect(!error.contains(SecrecyTests.secret.lowercased()) && !error.contains("zoe"))
  }

  @Test(arguments: ["\(secret)1", "\(uri)&digits=9", "x\(uri)", "\(uri)\n\n\(secret)"])
  func `no error repeats a file`(content: String) throws {
    for line in ["generate --secret-file -", "verify 1 --secret-file -", "uri parse -"] {
      let run = try otp(line, input: content)
      #expect(run.failed(65) && !run.error.contains(SecrecyTests.secret) && !run.error.contains("zoe"))
    }
  }

  @Test(arguments: ["31337", "313371", "3133710"])
  func `no error repeats a code`(code: String) throws {
    for options in ["", "--digits 9 --secret \(Seed.sha1)", "\(code) --secret \(Seed.sha1)", "--secret \(Seed.sha1)1"] {
      let run = try otp("verify \(code) \(options)")
      #expect(run.failed(run.status) && [64, 65].contains(run.status) && !run.error.contains(code))
    }
  }
}

@Suite struct OutputTests {
  static let lines = [
    "generate --secret \(Seed.sha1) --count 1000", "verify 287082 --at 59 --secret \(Seed.sha1)", "secret", "info",
    "uri parse \(Seed.uri)", "--help", "generate --help", "--version",
  ]

  @Test(arguments: lines)
  func `a closed pipe, or a full device, is an output error`(line: String) throws {
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    for output in [pipe.fileHandleForWriting, FileHandle(forWritingAtPath: "/dev/full")].compactMap(\.self) {
      #expect(try Tool.run(line.split(separator: " ").map(String.init), output: output).failed(74))
    }
  }
}
