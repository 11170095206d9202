import FactorRecord
import Foundation
import Keyring
import MultiFactorSQLite
import Testing

/// What otp.1 says about exit statuses, and what no other suite produces of it.
@Suite struct ExitStatusTests {
  @Test func `the man page lists the exit statuses as they are`() throws {
    let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardizedFileURL
    let page = try String(contentsOf: root.appendingPathComponent("Tool/otp.1.in"), encoding: .utf8)
    let section = try #require(page.split(separator: ".Sh EXIT STATUS\n").last?.split(separator: ".Sh EXAMPLES").first)
    let words = section.split(separator: "\n").filter { !$0.hasPrefix(".Bl") && !$0.hasPrefix(".El") }
      .map { $0.replacing(".It ", with: "").replacing(".Ev ", with: "").replacing(" ,", with: ",") }
    #expect(
      words.joined(separator: " ") == """
        0 Done, or accepted. 1 A negative result: a code was not accepted or not explained, a clock is off by a second or \
        more, a vector failed, a document cannot be read, a key of a file was refused. 64 The command line, \
        OTP_BACKEND or OTP_STORE is wrong. 65 A URI, a base32 text, a file or a store is wrong, or an argument that must be UTF-8 is \
        not. 70 The machine failed: no randomness, no working HMAC, a database or NTP server that does not respond. 74 Standard \
        output cannot be written to.
        """)
    #expect(
      page.contains("If the named one does not work here, every command except\n.Cm info\nends with exit status 64."))
    #expect(page.ranges(of: "xit status").count == 2)
  }

  @Test func `status 1: a document cannot be read`() throws {
    try withStore { store in
      _ = try store.enroll()
      try store.change("UPDATE documents SET document = x'01' WHERE key != CAST('store' AS BLOB)")
      #expect(try store.otp("store", "check").status == 1 && store.otp("store", "reseal").status == 1)
    }
  }

  @Test(arguments: CommandLineTests.leafCommands) func `status 64: the backend is wrong, in every command but info`(
    command: String
  ) throws {
    let arguments = [
      "generate": "--secret \(Seed.sha1)", "verify": "--secret \(Seed.sha1) 1", "uri build": "--new-secret --account a",
      "uri parse": Seed.uri, "vectors": "/", "enroll": "a", "authenticate": "a", "factors": "a", "unenroll": "a b",
      "recovery-codes": "a", "explain": "a 1", "unlock": "a", "revoke": "a", "import": "/ --format uris",
      "export": "/ --format uris --to uris --show-secret", "store copy": "/a /b", "keyring new": "/nowhere/k",
      "keyring add": "/nowhere/k", "keyring activate": "/nowhere/k n", "keyring remove": "/nowhere/k n",
      "keyring list": "/nowhere/k", "record show": "/nowhere/k s",
      "record explain": "/nowhere/k s 1", "record unlock": "/nowhere/k s", "record serve": "/nowhere/k",
    ]
    let run = try otp("\(command) \(arguments[command] ?? "")", environment: ["OTP_BACKEND": "nonsense"])
    #expect(run.status == 64 && run.error.contains("OTP_BACKEND"), "\(run)")
    if command != "info" { #expect(run.output.isEmpty) }
  }

  @Test func `a time that no record takes is a usage error, or this machine's failure, by name`() throws {
    try withStore { store in
      _ = try store.enroll()
      for time in ["0", "946684799", "7258118400", "1700000000000"] {
        for command in [["explain", "alice", "123456", "--at"], ["store", "spend", "--until"]] {
          let run = try Tool.run(command + [time, "--store", store.database])
          let message = "otp: \(command.last ?? ""): must be whole seconds since 1970, from 2000 to 2199 (UTC); "
          #expect(run.failed(64) && run.error.hasPrefix(message), "\(run)")
        }
      }
      #expect(try store.otp("explain", "alice", "123456", "--at", "946684800").status <= 1)
      let library = """
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>
        int clock_gettime(clockid_t clock, struct timespec *time) {
          long result = syscall(SYS_clock_gettime, clock, time);
          if (clock == CLOCK_REALTIME) time->tv_sec = 1700000000000;
          return (int)result;
        }
        """
      _ = try store.write(library, to: "clock.c")
      #expect(try sh("cc -shared -fPIC -D_GNU_SOURCE -o clock.so clock.c", in: store.folder).status == 0)
      let record = try FactorRecord.totp(at: 1_700_000_000).sealed(by: Keyring(file: store.keyring), for: "u")
      let column = record.map { String(format: "%02x", $0) }.joined()
      for command in [["record", "show", store.keyring, "u"], ["explain", "alice", "1", "--store", store.database]] {
        let run = try Tool.run(command, input: column, environment: ["LD_PRELOAD": store.folder + "/clock.so"])
        #expect(run.failed(70) && run.error == "otp: this machine's clock is before 2000 or after 2199\n", "\(run)")
      }
    }
  }
}

extension CommandLineTests {
  /// The commands that have no commands below them.
  fileprivate static var leafCommands: [String] {
    commands.filter { command in !commands.contains { $0.hasPrefix(command + " ") } }
  }
}
