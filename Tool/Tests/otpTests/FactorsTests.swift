import Foundation
import Testing

@Suite struct FactorsTests {
  @Test func `factors are listed as lines and as JSON`() throws {
    try withStore { store in
      let factor = try store.enroll("alice", "--name", "Phone\nuid=0 \u{1B}[31m")
      _ = try store.otp("authenticate", "alice", factor.wrongCode())
      let run = try store.otp("factors", "alice")
      #expect(run.status == 0 && run.error.isEmpty && run.lines.count == 1)
      let line = try #require(run.lines.first)
      #expect(line.hasPrefix("uid=\(factor.uid) type=totp state=active enrolled=20"))
      #expect(line.contains("Z failures=1 acceptances=0 last-attempt=20"))
      let end = "Z algorithm=SHA1 digits=6 period=30 last-step=\(factor.spent) name=Phone\\u{a}uid=0 \\u{1b}[31m"
      #expect(line.hasSuffix(end))

      let list = try #require(store.otp("factors", "alice", "--json").json["factors"] as? [NSDictionary])
      #expect(list.count == 1 && list[0]["uid"] as? String == factor.uid && list[0]["failures"] as? Int == 1)
      #expect(list[0]["state"] as? String == "active" && list[0]["name"] as? String == "Phone\nuid=0 \u{1B}[31m")
      #expect(!run.output.contains(factor.key.secret.base32String()))
    }
  }

  @Test func `the secret is shown only if asked for`() throws {
    try withStore { store in
      let factor = try store.enroll()
      let secret = factor.key.secret.base32String()
      #expect(try !store.otp("factors", "alice").output.contains(secret))
      #expect(try store.otp("factors", "alice", "--show-secret").output.hasSuffix(" secret=\(secret)\n"))
      #expect(try store.otp("factors", "alice", "--show-secret", "--json").output.contains("\"secret\":\"\(secret)\""))
    }
  }

  @Test(arguments: [
    ["factors", "bob"], ["unenroll", "bob", "1"], ["unlock", "bob"], ["revoke", "bob"], ["explain", "bob", "123456"],
    ["authenticate", "bob", "123456"], ["recovery-codes", "bob", "--code", "1"],
  ])
  func `a missing account is reported as missing`(command: [String]) throws {
    try withStore { store in
      _ = try store.enroll()
      let run = try Tool.run(command + ["--store", store.database])
      #expect(run.failed(65) && run.error == "otp: the store has no such account; 'otp accounts' lists all\n")
    }
  }

  @Test func `a factor that was removed is gone`() throws {
    try withStore { store in
      let factor = try store.enroll()
      #expect(try store.otp("unenroll", "bob", factor.uid).failed(65))
      #expect(try store.otp("unenroll", "alice", "0123").failed(65))
      let run = try store.otp("unenroll", "alice", factor.uid)
      #expect(run.status == 0 && run.output == "unenrolled factor=\(factor.uid)\n" && run.error.isEmpty)
      #expect(try store.otp("factors", "alice").output.isEmpty)
      #expect(try store.otp("unenroll", "alice", factor.uid).failed(65))
      #expect(try store.otp("authenticate", "alice", factor.code(after: 1)).failed(65))

      let next = try store.enroll()
      let json = try store.otp("unenroll", "alice", next.uid, "--json")
      #expect(json.output == #"{"factor":"\#(next.uid)","result":"unenrolled"}"# + "\n")
    }
  }
}

@Suite struct RecoveryCodesTests {
  @Test func `new recovery codes are shown once, replace earlier ones, and need a code of a factor`() throws {
    try withStore { store in
      let factor = try store.enroll()
      let refused = try store.otp("recovery-codes", "alice", "--code", factor.code(after: 0))
      #expect(refused.status == 1 && refused.output == "rejected\n")
      #expect(try store.otp("recovery-codes", "alice").failed(65))
      let old = try store.otp("recovery-codes", "alice", "--code", factor.code(after: 1))
      #expect(old.status == 0 && old.error.isEmpty && Set(old.lines).count == 10)
      #expect(old.lines.allSatisfy { $0.wholeMatch(of: /([A-Z2-7]{4}-){5}[A-Z2-7]{4}/) != nil })
      #expect(try store.otp("recovery-codes", "alice", "--recovery-code", input: old.lines[0] + "\n").failed(64))
      let json = try store.otp("recovery-codes", "alice", "--code", factor.code(after: 2), "--json").json
      let new = try #require(json["codes"] as? [String])
      #expect(try store.otp("authenticate", "alice", "--recovery-code", old.lines[1]).output == "rejected\n")
      let accepted = try store.otp("authenticate", "alice", "--recovery-code", new[1].lowercased())
      #expect(accepted.status == 0 && accepted.output == "accepted factor=recovery type=recovery\n")
      #expect(try store.otp("authenticate", "alice", "--recovery-code", input: new[2]).status == 0)
    }
  }
}
