import Foundation
import Testing

@testable import OTPTool

/// Arguments that are not UTF-8: paths may have any bytes, everything else is refused.
@Suite struct ArgumentBytesTests {
  @Test func `two accounts that differ in bytes that are not UTF-8 are refused, not confused`() throws {
    try withStore { store in
      let factor = try store.enroll("acc\u{FFFD}\u{FFFD}")
      let code = try factor.code(after: 1)
      for account in ["acc$ff$fe", "acc$fe$ff", "acc\u{FFFD}$ff"] {
        let run = try sh("otp authenticate \(account) --store factors.sqlite -- \(code)", in: store.folder)
        #expect(run.failed(65) && !run.error.contains("acc"))
        #expect(try sh("otp enroll \(account) --store factors.sqlite", in: store.folder, input: "1\n").failed(65))
      }
      // A U+FFFD that was typed is a character like any other.
      #expect(try store.otp("authenticate", "acc\u{FFFD}\u{FFFD}", code).status == 0)
    }
  }

  @Test(arguments: [
    [0xFF], [0x61, 0xFF, 0x62], [0xC3], [0xC3, 0x28], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
    [0xE2, 0x82], [0xFF, 0xEF, 0xBF, 0xBD, 0x80, 0xC3, 0xBF, 0xCC, 0x81], Array(0x01...0xFF),
  ])
  func `bytes become text for the parser, and the same bytes again`(bytes: [UInt8]) {
    let text = ArgumentText.text(of: bytes)
    #expect(!ArgumentText.isUTF8(text) && ArgumentText.bytes(of: text) == bytes)
    #expect(PathArgument(argument: text).bytes == bytes && PathArgument(argument: text).text == nil)
  }

  @Test(arguments: ["", "a", "\u{FFFD}", "\u{10FFFF}\u{E000}", "e\u{301}", "\u{1F469}\u{200D}\u{1F469}", "\u{FEFF}"])
  func `UTF-8 is left as it is`(text: String) {
    let same = ArgumentText.text(of: Array(text.utf8))
    #expect(same.utf8.elementsEqual(text.utf8) && ArgumentText.isUTF8(same))
    #expect(PathArgument(argument: same).text == text && ArgumentText.bytes(of: same).elementsEqual(text.utf8))
  }

  @Test(arguments: [
    "verify --secret \(Seed.sha1) -- 28\u{E9}$ff", "uri build --new-secret --account a --parameter x=$ff",
    "uri build --new-secret --account a --parameter $ff=x", "enroll bob --issuer=$ff --store x", "info --$ff",
    "info -$ff", "$ff", "info $ff", "info --json=$ff", "generate --at=5$ff", "help $ff",
    // One of them is a path, and does not excuse the other.
    "factors $ff --store $ff", "verify --secret-file $ff $ff", "verify $ff --secret-file=$ff",
    "generate --secret-file $ff --secret-file $ff", "vectors . --backend=$ff",
  ])
  func `bytes that are not UTF-8 in any other argument are bad data`(line: String) throws {
    try withFolder([:]) { folder in
      let run = try sh("otp \(line)", in: folder, input: "1\n", environment: ["XDG_DATA_HOME": folder])
      #expect(run.failed(65) && run.error.contains("UTF-8") && !run.error.contains("\u{FFFD}"))
      #expect(!run.error.contains("\u{0}"))
    }
  }

  /// Every option and argument of the tool, by its own list.
  @Test func `only paths accept bytes that are not UTF-8`() throws {
    let list = try otp("--experimental-dump-help").json
    let commands = try leaves(of: #require(list["command"] as? NSDictionary)).filter { $0.path != ["help"] }
    #expect(commands.count >= 12)
    var valueCount = 0
    for (path, arguments) in commands {
      let command = path.joined(separator: " ")
      let positional = arguments.filter { $0["kind"] as? String == "positional" }
      for argument in arguments where argument["kind"] as? String != "flag" {
        valueCount += 1
        let name = ((argument["names"] as? [NSDictionary])?.first?["name"] as? String).map { "--\($0) \"$ff\"" } ?? ""
        let values = positional.map { $0 == argument ? "\"$ff\"" : "1" }.joined(separator: " ")
        let isPath = ["path", "file", "file-or-folder"].contains(argument["valueName"] as? String)
        let required =
          switch command {
          case "generate", "verify": isPath ? "" : "--secret \(Seed.sha1)"
          case "uri build": isPath ? "--account a" : "--account a --new-secret"
          case "import": "--format pskc"
          case "export": "--format pskc --to \(name.hasPrefix("--to-") ? "pskc" : "uris --show-secret")"
          default: ""
          }
        // If it is not refused, there is no folder for a store.
        let environment = ["XDG_DATA_HOME": "/dev/null"]
        let run = try sh("otp \(command) \(name) \(required) -- \(values)", in: "/dev", environment: environment)
        #expect(run.failed(65) && (isPath || run.error.contains("UTF-8")), "\(command) \(name): \(run.error)")
      }
    }
    #expect(valueCount >= 40)
  }

  private func leaves(
    of command: NSDictionary, at path: [String] = []
  ) throws -> [(path: [String], arguments: [NSDictionary])] {
    guard let below = command["subcommands"] as? [NSDictionary], !below.isEmpty else {
      return [(path, command["arguments"] as? [NSDictionary] ?? [])]
    }
    return try below.flatMap { try leaves(of: $0, at: path + [#require($0["commandName"] as? String)]) }
  }

  @Test func `standard input must be UTF-8 too`() throws {
    try withStore { store in
      _ = try store.enroll()
      let run = try sh("printf '12\\3773456\\n' | otp authenticate alice --store factors.sqlite", in: store.folder)
      #expect(run.failed(65) && run.error.contains("UTF-8"))
      // It was not counted as an attempt.
      #expect(try store.otp("factors", "alice").output.contains(" failures=0 "))
      #expect(try sh("printf '\\377' | otp generate --secret-file -", in: store.folder).failed(65))
      #expect(try sh("printf '\(Seed.uri)\\377' | otp uri parse -", in: store.folder).failed(65))
    }
  }
}

/// Files whose names are not UTF-8.
@Suite struct PathBytesTests {
  @Test(arguments: ["generate", "verify --after 0 287082", "uri build --account a"])
  func `a secret file is opened by the bytes of its path`(command: String) throws {
    try withFolder([:]) { folder in
      let time = command.hasPrefix("uri") ? "" : "--at 59"
      let script = "umask 077; mkdir d$ff; echo \(Seed.sha1) > d$ff/$fe; echo \(Seed.sha256) > d$ff/$ff"
      let expected = try otp("\(command) \(time) --secret \(Seed.sha1)")
      for option in ["--secret-file d$ff/$fe", "--secret-file=d$ff/$fe", "--secret-file \"$PWD/d$ff/$fe\""] {
        let run = try sh("\(script); otp \(command) \(time) \(option)", in: folder)
        #expect(run.output == expected.output && run.error.isEmpty && run.status == 0)
        _ = try sh("rm -r d$ff", in: folder)
      }
      #expect(try sh("otp \(command) --secret-file \u{FFFD}", in: folder).failed(65))
    }
  }

  @Test func `vector files and folders are opened by the bytes of their paths, and shown by their own names`() throws {
    try withFolder(["a.json": VectorsTests.base32]) { folder in
      _ = try sh("mkdir d$ff; cp a.json d$ff/$ff.json; cp a.json d$ff/$fe.json; cp a.json d$ff/b.json", in: folder)
      let run = try sh("otp vectors d$ff d$ff/ d$ff/$fe.json", in: folder)
      let names = [#"b.json"#, #"\x{fe}.json"#, #"\x{ff}.json"#].map { #"d\x{ff}/\#($0): 1 tests: 1 passed"# }
      #expect(run.lines == names + names + [names[1], "7 passed, 0 failed"])
      #expect(run.status == 0 && run.error.isEmpty)

      let json = try sh("otp vectors d$ff/$fe.json --json", in: folder).json
      #expect((json["files"] as? [NSDictionary])?.first?["file"] as? String == #"d\x{ff}/\x{fe}.json"#)
      let refused = try sh("echo x > d$ff/$ff.json; otp vectors a.json d$ff", in: folder)
      #expect(refused.failed(65) && refused.error.hasPrefix(#"otp: d\x{ff}/\x{ff}.json: "#))
      #expect(try sh("otp vectors d$fe", in: folder).error == "otp: path 1 is not a file or folder\n")
    }
  }

  @Test func `a store's path must be UTF-8`() throws {
    try withStore { store in
      _ = try store.enroll()
      for path in ["$ff.sqlite", "d$ff/factors.sqlite"] {
        for command in Store.commands {
          let line = (command + ["--store"]).joined(separator: " ")
          let run = try sh("mkdir -p d$ff; otp \(line) \(path)", in: store.folder, input: "1\n")
          #expect(run.failed(65) && run.error.contains("--store"))
        }
      }
      let run = try sh("export XDG_DATA_HOME=\"$PWD/$ff\"; otp enroll alice", in: store.folder, input: "1\n")
      #expect(run.failed(65) && run.error.contains("XDG_DATA_HOME"))
      let files = try sh("ls", in: store.folder).lines
      // SQLite's log remains if the process ends before its threads do.
      let made = files.filter { !$0.hasPrefix("d") && !$0.hasPrefix("factors.sqlite-") }
      #expect(made == ["factors.sqlite", "keyring.json", "keyring.json.lock"])
    }
  }
}
