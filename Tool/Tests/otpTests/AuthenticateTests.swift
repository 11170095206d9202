import Testing

@Suite struct AuthenticateTests {
  @Test func `a code is accepted once, if it is of a step nearby`() throws {
    try withStore { store in
      let factor = try store.enroll()
      let spent = try store.otp("authenticate", "alice", factor.code(after: 0))
      #expect(spent.status == 1 && spent.output == "rejected\n" && spent.error.isEmpty)

      let code = try factor.code(after: 1)
      let accepted = try store.otp("authenticate", "alice", code)
      #expect(accepted.status == 0 && accepted.output == "accepted factor=\(factor.uid) type=totp\n")
      #expect(accepted.error.isEmpty)
      for typed in [code, " \(code)", "\(code.prefix(3)) \(code.suffix(3))", try factor.code(after: 5)] {
        let run = try store.otp("authenticate", "alice", typed)
        #expect(run.status == 1 && run.output == "rejected\n" && run.error.isEmpty)
      }
    }
  }

  @Test func `without an argument, the code is read from standard input`() throws {
    try withStore { store in
      let factor = try store.enroll("alice", "--type", "hotp")
      for (index, ending) in ["", "\n", "\r\n", "\nmore\n"].enumerated() {
        let code = try factor.code(after: UInt64(index + 1))
        let run = try store.otp("authenticate", "alice", input: code + ending)
        #expect(run.status == 0 && run.output == "accepted factor=\(factor.uid) type=hotp\n" && run.error.isEmpty)
      }
      #expect(try store.otp("authenticate", "alice").failed(65))
    }
  }

  @Test func `--json prints the result as JSON`() throws {
    try withStore { store in
      let factor = try store.enroll()
      let accepted = try store.otp("authenticate", "alice", "--json", factor.code(after: 1))
      #expect(accepted.output == #"{"factor":"\#(factor.uid)","result":"accepted","type":"totp"}"# + "\n")
      let rejected = try store.otp("authenticate", "alice", "--json", factor.code(after: 1))
      #expect(rejected.output == #"{"result":"rejected"}"# + "\n" && rejected.status == 1)
    }
  }

  @Test func `wrong codes lock the factor, which JSON says, and the list`() throws {
    try withStore { store in
      let factor = try store.enroll()
      let wrong = try factor.wrongCode()
      var outputs: [String] = []
      // A slow machine outlasts the delays, and reaches the lock of an hour with the eleventh attempt.
      while outputs.count < 11, outputs.last?.contains("locked") != true {
        outputs.append(try store.otp("authenticate", "alice", "--json", wrong).output)
      }
      #expect(outputs.last?.wholeMatch(of: /{"result":"locked","until":"[-:TZ0-9]{20}"}\n/) != nil)
      let failures = outputs.count - 1
      #expect(try store.otp("factors", "alice").output.contains(" failures=\(failures) "))
    }
  }

  @Test func `one of several factors must be named`() throws {
    try withStore { store in
      let first = try store.enroll("alice", "--name", "Phone")
      let second = try store.enroll("alice", "--name", "Token", "--type", "hotp", "--code", first.code(after: 1))
      #expect(try store.otp("authenticate", "alice", second.code(after: 1)).failed(64))
      #expect(try store.otp("authenticate", "alice", second.code(after: 1), "--factor", "Tok").failed(65))
      // Another factor's code is wrong, and counts only against the factor that it was submitted for.
      #expect(try store.otp("authenticate", "alice", second.code(after: 1), "--factor", "Phone").status == 1)
      #expect(try store.otp("authenticate", "alice", second.code(after: 1), "--factor", "Token").status == 0)
      #expect(try store.otp("authenticate", "alice", second.code(after: 2), "--factor", second.uid).status == 0)
      #expect(try store.otp("authenticate", "alice", first.code(after: 2), "--factor", first.uid).status == 0)
    }
  }

  @Test func `a token that has run far ahead is resynchronized by two consecutive codes`() throws {
    try withStore { store in
      let factor = try store.enroll("alice", "--type", "hotp")
      #expect(try store.otp("authenticate", "alice", factor.code(after: 50)).output == "rejected\n")
      let apart = try store.otp("authenticate", "alice", "--resync", factor.code(after: 50), factor.code(after: 52))
      #expect(apart.output == "rejected\n")
      let found = try store.otp("authenticate", "alice", "--resync", factor.code(after: 50), factor.code(after: 51))
      #expect(found.output == "accepted factor=\(factor.uid) type=hotp\n")
      #expect(try store.otp("authenticate", "alice", factor.code(after: 51)).status == 1)
      let typed = try store.otp(
        "authenticate", "alice", "--resync", input: "\(factor.code(after: 90))\n\(factor.code(after: 91))\n")
      #expect(typed.status == 0)
    }
  }

  @Test func `invalid arguments are usage errors`() throws {
    try withStore { store in
      let factor = try store.enroll()
      for options in [
        ["1", "2"], ["--resync", "1"], ["--resync", "1", "2", "3", "4"],
        ["--resync", "--recovery-code"], ["--recovery-code", "--factor", factor.uid, "1"],
      ] {
        let run = try Tool.run(["authenticate", "alice", "--store", store.database] + options)
        // The account does not have recovery codes either.
        #expect(run.failed(64))
      }
      #expect(try store.otp("authenticate", "alice", "--recovery-code", "1").failed(65))
      #expect(try otp("authenticate").failed(64))
    }
  }
}
