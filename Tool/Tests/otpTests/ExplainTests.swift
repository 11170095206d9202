import Foundation
import MultiFactorSQLite
import OTP
import Testing

/// The six calls that come at three in the morning, and their like: each in a store that is prepared as it was then.
@Suite struct ExplainTests {
  /// Adds a key to an account, as an import does, so that no code of it is spent.
  private func add(
    to store: Store, _ parameters: String = "", name: String = "Phone"
  ) throws -> OTPSecret {
    let secret = try OTPSecret.random(for: .sha1)
    let uri = "otpauth://totp/\(name):alice?secret=\(secret.base32String())&issuer=\(name)\(parameters)\n"
    let keys = try store.write(uri, to: "keys")
    let run = try Tool.run(["import", keys, "--format", "uris", "--account", "alice", "--store", store.database])
    #expect(run.status == 0, "\(run.error)")
    return secret
  }

  private func code(
    _ secret: OTPSecret, _ seconds: Int64 = 0, algorithm: HashAlgorithm = .sha1
  ) throws -> String {
    try TOTP(secret: secret, algorithm: algorithm).code(at: Int64(Date().timeIntervalSince1970) + seconds).description
  }

  /// Asks, and expects that nothing changes.
  private func explain(_ store: Store, _ code: String, _ options: String...) throws -> Run {
    let before = try store.otp("factors", "alice").output
    let run = try Tool.run(["explain", "alice", "--store", store.database] + options + ["--", code])
    #expect(try store.otp("factors", "alice").output == before && run.error.isEmpty)
    #expect(run.lines.last?.hasPrefix("This searched a day each way") == true && !run.output.contains(code))
    return run
  }

  /// Asks after a failed attempt, again until the answer is that the factor waits: delays grow, so that a slow machine
  /// sees one of them.
  private func waiting(_ store: Store, _ code: String, _ fail: () throws -> Void) throws -> Run {
    for _ in 1...20 {
      try fail()
      let run = try Tool.run(["explain", "alice", "--store", store.database, "--", code])
      if run.output.hasPrefix("waiting") { return run }
    }
    throw CancellationError()
  }

  @Test func `a code from a clock that is four minutes late is explained, also soon after a sign-in`() throws {
    try withStore { store in
      let secret = try add(to: store)
      #expect(try store.otp("authenticate", "alice", code(secret)).status == 0)
      let run = try explain(store, code(secret, -240))
      #expect(run.status == 0 && run.output.hasPrefix("late factor="))
      #expect(run.output.contains(" offset=-8 ") || run.output.contains(" offset=-9 "))
      #expect(
        run.output.contains("the clock of the user's device is 4 min late") || run.output.contains("4 min 30 s late"))
      let early = try explain(store, code(secret, 240))
      #expect(early.output.hasPrefix("early factor=") && early.output.contains("early: have it set its time"))
    }
  }

  @Test func `a used code is explained`() throws {
    try withStore { store in
      let secret = try add(to: store)
      let typed = try code(secret)
      #expect(try store.otp("authenticate", "alice", typed).status == 0)
      let run = try explain(store, typed)
      #expect(run.status == 0 && run.output.hasPrefix("used factor=") && run.output.contains("wait for the next code"))
      #expect(run.output.contains("It was accepted at 20"))
    }
  }

  @Test func `a lock is explained, until an administrator unlocks the factor`() throws {
    try withStore { store in
      let secret = try add(to: store)
      let wrong = try code(secret, -86_000)
      let typed = try code(secret)
      let run = try waiting(store, typed) { _ = try store.otp("authenticate", "alice", wrong) }
      #expect(run.status == 0 && run.output.hasPrefix("waiting factor=") && run.output.contains(" until=20"))
      let suggested = try #require(run.lines.first { $0.contains("otp unlock ") })
      #expect(suggested == "    otp unlock alice --store \(store.database)" && run.output.contains("\nright factor="))
      #expect(run.output.contains("The code itself is right.") && !run.output.contains("accepted now"))
      #expect(try store.otp("accounts").output.hasPrefix("account=alice factors=1 recovery-codes=0 failures="))
      let unlocked = try store.otp("unlock", "alice")
      #expect(unlocked.status == 0 && unlocked.output.hasPrefix("unlocked factor="))
      #expect(try store.otp("unlock", "alice").output.isEmpty && store.otp("unlock", "alice", "0123").failed(65))
      #expect(try explain(store, typed).output.hasPrefix("right factor="))
      #expect(try store.otp("authenticate", "alice", typed).status == 0)
    }
  }

  @Test func `a code from an app that ignored SHA-256 is explained`() throws {
    try withStore { store in
      let secret = try add(to: store, "&algorithm=SHA256")
      let run = try explain(store, code(secret))
      #expect(run.status == 0 && run.output.hasPrefix("parameters factor="))
      #expect(run.output.contains("The app computes SHA1 instead of SHA256") && run.output.contains("enroll again"))
      #expect(try explain(store, code(secret, algorithm: .sha256)).output.hasPrefix("right "))
    }
  }

  @Test func `what a wrong code may look like by accident is a guess, and no reason to enroll again`() throws {
    try withStore { store in
      let keys = try store.write("otpauth://totp/A:alice?secret=\(Seed.sha1)&algorithm=SHA256\n", to: "keys")
      #expect(try store.otp("import", keys, "--format", "uris", "--account", "alice").status == 0)
      let app = try TOTP(secret: OTPSecret(base32: Seed.sha1))
      let run = try explain(store, app.code(at: 1_700_036_000).description, "--at", "1700000000")
      #expect(run.output.hasPrefix("parameters factor=") && run.output.contains(" odds=1/"))
      #expect(run.output.contains("Perhaps the app computes SHA1 instead of SHA256; the app's clock is 10 h early"))
      #expect(run.output.contains("Ask for the next code") && !run.output.contains("enroll"))
    }
  }

  @Test func `a code of the user's other factor is explained`() throws {
    try withStore { store in
      let secret = try add(to: store, name: "Phone")
      _ = try add(to: store, name: "Token")
      let typed = try code(secret)
      let run = try explain(store, typed, "--factor", "Token:alice")
      #expect(
        run.status == 0 && run.output.hasPrefix("another-factor factor=") && run.output.contains("('Phone:alice')"))
      let either = try explain(store, typed)
      #expect(
        either.output.hasPrefix("right factor=") && either.output.contains("for another of the account's factors"))
      #expect(try Tool.run(["explain", "alice", "1", "--factor", "no", "--store", store.database]).failed(65))
    }
  }

  @Test func `a wrong code, and a text that is not a code, are explained`() throws {
    try withStore { store in
      _ = try add(to: store)
      let other = try OTPSecret.random(for: .sha1)
      // One in 40 is explained by accident.
      let runs = try (0..<20).map { step in try explain(store, code(other, Int64(step) * 30)) }
      let wrong = runs.filter { $0.status == 1 && $0.output.hasPrefix("wrong\n") }
      #expect(wrong.count >= 10 && wrong.first?.output.contains("it was mistyped, or the app's") == true)
      #expect(wrong.first?.output.contains("make sure who is asking") == true)
      #expect(wrong.first?.output.contains("\n    otp unenroll alice ") == true)
      let recovery = try explain(store, "AAAA-AAAA-AAAA-AAAA-AAAA-AAAA")
      #expect(recovery.status == 1 && recovery.output.hasPrefix("malformed\n"))
      let none = try explain(store, "no code")
      #expect(none.status == 1 && none.output.hasPrefix("malformed\n"))
    }
  }

  @Test func `a code of an earlier enrollment, a recovery code, and a code typed earlier are explained`() throws {
    try withStore { store in
      let factor = try store.enroll()
      let codes = try store.otp("recovery-codes", "alice", "--code", factor.code(after: 1)).lines
      #expect(try explain(store, codes[3]).output.contains("unused recovery code no. 4"))
      let waiting = try waiting(store, codes[3]) {
        _ = try store.otp("authenticate", "alice", "--recovery-code", "AAAA-AAAA-AAAA-AAAA-AAAA-AAAA")
      }.output
      #expect(waiting.hasPrefix("waiting factor=recovery type=recovery until=20"), "\(waiting)")
      #expect(waiting.contains(" attempts in a row") && !waiting.contains("lost changes"))
      #expect(try store.otp("unlock", "alice").output == "unlocked factor=recovery\n")
      _ = try store.otp("authenticate", "alice", "--recovery-code", codes[3])
      let used = try explain(store, codes[3]).output
      #expect(used.hasPrefix("used factor=recovery type=recovery\n") && used.contains("no. 4, which was used"))
      let second = try add(to: store, name: "Second")
      _ = try store.otp("unenroll", "alice", factor.uid)
      #expect(try explain(store, "AAAA-AAAA-AAAA-AAAA-AAAA-AAAA").output.contains("none of the user's recovery codes"))
      // If it is not explained by accident.
      let run = try explain(store, factor.code(after: 7))
      #expect(run.status == 0 || run.output.contains("had another factor, removed at 20"))
      let hour = String(Int(Date().timeIntervalSince1970) - 3600)
      let earlier = try explain(store, code(second, -3600), "--at", hour)
      #expect(earlier.output.hasPrefix("right factor="))
      let narrow = try explain(store, code(second, 90), "--window", "1")
      #expect(narrow.output.hasPrefix("early factor="))
    }
  }

  @Test func `an account without factors, and one named like a URL, are explained`() throws {
    try withStore { store in
      let account = "https://id.example.com/user=1"
      let factor = try store.enroll(account)
      #expect(try store.otp("unenroll", account, factor.uid).status == 0)
      let run = try store.otp("explain", account, "123456")
      #expect(run.status == 1 && run.output.hasPrefix("no-factor\n") && run.output.contains("removed at 20"))
    }
  }

  @Test(arguments: ["alice", "o'brien & co", "--clock", "a b$HOME`id`\\", "\u{E9}"])
  func `a command that an explanation suggests can be pasted into a shell`(account: String) throws {
    try withFolder([:]) { folder in
      let store = Store(folder: folder + (account == "alice" ? "/-\u{202E}x\u{301}" : "/it's here"))
      try FileManager.default.createDirectory(atPath: store.folder, withIntermediateDirectories: false)
      try store.create()
      let factor = try store.complete(
        Tool.start(["enroll", "--type", "hotp", "--store", store.database, "--", account]))
      let run = try Tool.run(["explain", "--store", store.database, "--", account, factor.code(after: 50)])
      #expect(run.output.hasPrefix("early factor="), "\(run)")
      let command = try #require(run.lines.first { $0.contains("otp authenticate ") })
      let accepted = try sh(
        #"bash -c 'otp() { "$tool" "$@"; }; eval "$command"'"#, in: "/",
        input: "\(factor.code(after: 50))\n\(factor.code(after: 51))\n", environment: ["command": command])
      #expect(accepted.output.hasPrefix("accepted factor="), "\(command) \(accepted)")
    }
  }

  @Test func `a token whose clock is known to be ahead is not called late`() throws {
    try withStore { store in
      let secret = try add(to: store)
      let typed = try [code(secret, 6000), code(secret, 6030)]
      let resync = try Tool.run(
        ["authenticate", "alice", "--resync", "--store", store.database], input: typed.joined(separator: "\n") + "\n")
      #expect(resync.status == 0, "\(resync.error)")
      let run = try explain(store, code(secret, 6060))
      #expect(run.output.hasPrefix("right factor=") && !run.output.contains("a server whose window is less"))
    }
  }

  @Test func `--json prints an explanation as JSON`() throws {
    try withStore { store in
      let secret = try add(to: store)
      let run = try Tool.run(
        ["explain", "alice", "--json", "--store", store.database], input: code(secret, -300) + "\n")
      let findings = try #require(run.json["findings"] as? [NSDictionary])
      #expect(
        findings.count == 1 && findings[0]["result"] as? String == "late"
          && run.json["searchedSeconds"] as? Int == 86400)
      #expect(
        (findings[0]["offset"] as? Int).map { -11 ... -10 ~= $0 } == true && findings[0]["odds"] as? Int ?? 0 > 100)
    }
  }

  /// An NTP server that answers one request, some seconds off.
  private func withServer(off seconds: Int, _ change: String = "", _ body: (String) throws -> Void) throws {
    let script = """
      import socket, struct, time
      s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
      s.bind(('127.0.0.1', 0))
      print(s.getsockname()[1], flush=True)
      data, peer = s.recvfrom(64)
      t = int((time.time() + 2208988800 + \(seconds)) * 2**32) & (2**64 - 1)
      answer = bytearray(struct.pack('>BBbb11I', 0x24, 2, 0, -20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
      answer[24:32] = data[40:48]
      answer[32:40] = answer[40:48] = struct.pack('>Q', t)
      \(change)
      s.sendto(answer, peer)
      """
    try withFile(script) { path in
      let server = try Tool.startScript("exec python3 '\(path)'", in: "/")
      let port = try #require(server.lines(until: "").first)
      try body("127.0.0.1:\(port)")
      _ = try server.finish()
    }
  }

  @Test func `a difference of this machine's clock is shown`() throws {
    for (off, status, text) in [(0, 0, "This machine's clock is right"), (240, 1, "s late"), (-90, 1, "s early")]
      as [(Int, Int32, String)]
    {
      try withServer(off: off) { address in
        let run = try Tool.run(["explain", "--clock", "--ntp", address])
        #expect(run.status == status && run.output.hasPrefix("clock offset=") && run.output.contains(text), "\(run)")
      }
    }
    for change in ["answer[24] ^= 1", "answer[1] = 0", "answer[0] = 0xE4", "answer[0] = 0x23", "answer = answer[:40]"] {
      try withServer(off: 0, change) { address in
        let run = try Tool.run(["explain", "--clock", "--ntp", address])
        #expect(run.failed(70) && run.error.contains("timedatectl"), "\(change)")
      }
    }
    #expect(try otp("explain --clock alice").failed(64) && otp("explain").failed(64))
    #expect(try otp("explain alice 1 --ntp localhost").failed(64))
  }

  @Test func `each explanation is written to the system's log, without the code`() throws {
    try withStore { store in
      let secret = try add(to: store)
      let typed = try code(secret)
      // In place of libc's, as a system without a log would drop the lines.
      let library = """
        #include <stdarg.h>
        #include <stdio.h>
        void vsyslog(int priority, const char *format, va_list arguments) {
          fprintf(stderr, "<%d>", priority);
          vfprintf(stderr, format, arguments);
          fputc('\\n', stderr);
        }
        """
      _ = try store.write(library, to: "log.c")
      #expect(try sh("cc -shared -fPIC -o log.so log.c", in: store.folder).status == 0)
      func logged(_ arguments: String...) throws -> String {
        try Tool.run(arguments + ["--store", store.database], environment: ["LD_PRELOAD": store.folder + "/log.so"])
          .error
      }
      let uid = getuid()
      #expect(try logged("explain", "alice", typed) == "<85>otp: explained user=alice uid=\(uid)\n")
      #expect(try logged("revoke", "alice") == "<85>otp: handles_revoked user=alice uid=\(uid)\n")
      let wrong = try logged("authenticate", "alice", "000000")
      #expect(wrong.contains("<85>otp: code_refused reason=") && !wrong.contains("000000"))
      #expect(try logged("factors", "alice", "--show-secret").hasPrefix("<85>otp: exported user=alice factor="))
      #expect(try logged("factors", "alice").isEmpty)
    }
  }
}
