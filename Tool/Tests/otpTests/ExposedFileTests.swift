import Foundation
import Testing

/// Files that other users of the machine can read or change: the tool works, with a warning.
@Suite struct ExposedFileTests {
  static let warning = "otp: warning: "

  /// Whether standard error is one line, a warning that contains a word.
  private func warns(_ run: Run, of word: String) -> Bool {
    run.error.hasPrefix(ExposedFileTests.warning) && run.error.contains(word) && run.error.hasSuffix("\n")
      && run.error.count(where: \.isNewline) == 1
  }

  static let modes = ["644", "640", "604", "660", "620", "602", "666", "4644"]

  @Test(arguments: [
    ("generate --at 59", Int32(0)), ("generate --at 59 --json", 0), ("verify --at 59 287082", 0),
    ("verify --at 59 000000", 1), ("uri build --account a", 0),
  ])
  func `a secret file that is exposed to others is accepted, with a warning`(line: String, status: Int32) throws {
    try withFolder(["file": Seed.sha1]) { folder in
      let output = try otp("\(line) --secret \(Seed.sha1)").output
      for mode in line == "generate --at 59" ? ExposedFileTests.modes : ["644"] {
        let run = try sh("chmod \(mode) file; otp \(line) --secret-file file", in: folder)
        #expect(run.output == output && run.status == status && warns(run, of: "--secret-file"))
      }
    }
  }

  @Test(arguments: [
    "chmod 600 file; otp generate --secret-file file", "chmod 400 file; otp generate --secret-file file",
    "chmod 700 file; otp generate --secret-file file",
    "chmod 600 file; ln -s file link; otp generate --secret-file link",
    "chmod 644 file; otp generate --secret-file - < file", "cat file | otp generate --secret-file -",
    "cat file | otp generate --secret-file /dev/stdin",
    "umask 0; mkfifo p; cat file > p & otp generate --secret-file p",
    "chmod 644 file; otp uri parse \(Seed.uri.replacing("&", with: "'&'"))",
  ])
  func `there is no warning for other files`(script: String) throws {
    try withFolder(["file": Seed.sha1]) { folder in
      let run = try sh(script, in: folder)
      #expect(run.status == 0 && run.error.isEmpty)
    }
  }

  @Test func `an invalid secret gives one error, and no warning`() throws {
    try withFolder(["file": "no secret!"]) { folder in
      let run = try sh("chmod 644 file; otp generate --secret-file file", in: folder)
      #expect(run.failed(65) && !run.error.contains("warning"))
    }
  }

  @Test func `a store that is exposed to others is accepted, with a warning`() throws {
    try withStore { store in
      let factor = try store.enroll()
      let output = try store.otp("factors", "alice").output
      for mode in ExposedFileTests.modes {
        let run = try sh("chmod \(mode) factors.sqlite; otp factors alice --store factors.sqlite", in: store.folder)
        #expect(run.status == 0 && run.output == output && warns(run, of: "the store"))
      }
      let link = try sh("ln -s factors.sqlite l; otp factors alice --store l", in: store.folder)
      #expect(link.status == 0 && warns(link, of: "the store"))

      let rejected = try store.otp("authenticate", "alice", factor.wrongCode())
      #expect(rejected.status == 1 && rejected.output == "rejected\n" && warns(rejected, of: "the store"))
      let codes = try store.otp("recovery-codes", "alice", "--code", factor.code(after: 1), "--json")
      #expect(codes.status == 0 && codes.json["codes"] != nil && warns(codes, of: "the store"))
      #expect(try warns(store.otp("unenroll", "alice", factor.uid), of: "the store"))
      #expect(try store.otp("factors", "alice").output.isEmpty)
    }
  }

  @Test(arguments: [("777", true), ("707", true), ("1777", false), ("775", false), ("755", false)])
  func `there is a warning for a folder in which any user can replace the store`(mode: String, isExposed: Bool) throws {
    try withStore { store in
      _ = try store.enroll()
      for path in ["factors.sqlite", store.database] {
        let run = try sh("chmod \(mode) .; otp factors alice --store '\(path)'", in: store.folder)
        #expect(run.status == 0 && (isExposed ? warns(run, of: "folder") : run.error.isEmpty))
      }
    }
  }

  /// SQLite's other files exist while a process has the store open.
  @Test func `everything that the tool creates is private, and is checked`() throws {
    try withStore { store in
      let environment = ["XDG_DATA_HOME": store.folder]
      let tool = try Tool.startScript(
        "umask 0; otp store create >&2; otp enroll alice", environment: environment, in: store.folder)
      _ = try tool.lines(until: "secret=")
      let modes = try sh("stat -c '%a %n' * .", in: store.folder + "/otp").lines
      let files = ["factors.sqlite", "factors.sqlite-shm", "factors.sqlite-wal", "keyring.json", "keyring.json.lock"]
      #expect(modes == files.map { "600 \($0)" } + ["700 ."])
      for file in ["factors.sqlite-wal", "factors.sqlite-shm"] {
        let script = "chmod 660 otp/\(file); otp accounts; chmod 600 otp/\(file)"
        let run = try sh(script, in: store.folder, environment: environment)
        #expect(warns(run, of: "the store"))
      }
      _ = try tool.finish()
    }
  }
}
