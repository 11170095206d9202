import Foundation
import OTP
import Testing

@testable import OTPTool

@Suite struct EnrollTests {
  @Test func `the URI, its QR code and the secret are shown, and the code completes the enrollment`() throws {
    try withStore { store in
      let tool = try Tool.start(["enroll", "alice@example.com", "--issuer", "Example", "--store", store.database])
      let lines = try tool.lines(until: "secret=")
      let key = try OTPAuthURI(lines[0])
      #expect(key.account == "alice@example.com" && key.issuer == "Example" && key.kind == .totp(period: 30))
      #expect(try lines.dropFirst().dropLast() == TerminalQRCode(lines[0]).lines(in: .plain)[...])
      #expect(lines.last == "secret=\(key.secret.base32String())" && key.secret.byteCount == 20)

      let code = try TOTP(secret: key.secret).code(at: Int64(Date().timeIntervalSince1970))
      tool.write("\(code)\n")
      let run = try tool.finish()
      #expect(run.status == 0 && run.error.isEmpty && run.lines.count == lines.count + 1)
      #expect(run.lines.last?.wholeMatch(of: /enrolled factor=[0-9a-f]{32} type=totp/) != nil)
    }
  }

  @Test func `JSON has the key first, then the result, and the secret only with the key`() throws {
    try withStore { store in
      let tool = try Tool.start(["enroll", "alice", "--type", "hotp", "--json", "--store", store.database])
      let line = try #require(tool.lines(until: "{").first)
      let shown = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
      let key = try OTPAuthURI(try #require(shown["uri"]))
      #expect(key.kind == .hotp(counter: 0) && key.issuer == nil)
      #expect(shown["secret"] == key.secret.base32String() && shown["type"] == "hotp" && shown.count == 3)

      tool.write(try HOTP(secret: key.secret).code(counter: 0).description)
      let run = try tool.finish()
      #expect(run.status == 0 && run.error.isEmpty && run.lines.count == 2)
      let result = run.lines[1]
      #expect(result.wholeMatch(of: /{"factor":"[0-9a-f]{32}","result":"enrolled","type":"hotp"}/) != nil)
    }
  }

  @Test func `a wrong code enrolls nothing`() throws {
    try withStore { store in
      for code in ["", "12345", "abcdef", "1234567", "\u{FFFD}"] {
        let run = try store.otp("enroll", "alice", input: code + "\n")
        #expect(run.status == 1 && run.lines.last == "rejected" && run.error.isEmpty)
      }
      let run = try store.otp("enroll", "alice", "--json", input: "12345\n")
      #expect(run.status == 1 && run.lines.last == #"{"result":"rejected"}"#)
      #expect(try store.otp("factors", "alice").output.isEmpty)
    }
  }

  @Test func `standard input that ends, or does not, is bad data`() throws {
    try withStore { store in
      let closed = try store.otp("enroll", "alice")
      #expect(closed.status == 65 && closed.error == "otp: standard input: there is no code\n")
      let endless = try store.otp("enroll", "alice", input: String(repeating: "1", count: 257))
      #expect(endless.status == 65 && endless.error == "otp: standard input: the line is longer than 256 bytes\n")
      #expect(try store.otp("factors", "alice").output.isEmpty)
    }
  }

  @Test func `another factor needs a code of an existing one`() throws {
    try withStore { store in
      let first = try store.enroll("alice", "--name", "First")
      let refused = try store.otp("enroll", "alice", "--code", first.code(after: 0))
      #expect(refused.status == 1 && refused.output == "rejected\n")
      let unanswered = try store.otp("enroll", "alice")
      #expect(unanswered.failed(65))

      let second = try store.enroll("alice", "--name", "Second", "--code", first.code(after: 1))
      _ = try store.enroll("alice", "--type", "hotp", "--factor", "Second", answers: second.code(after: 1) + "\n")
      #expect(try store.otp("factors", "alice").lines.count == 3)
    }
  }

  @Test func `nothing is enrolled if the key cannot be shown`() throws {
    try withStore { store in
      let pipe = Pipe()
      try pipe.fileHandleForReading.close()
      let run = try Tool.run(
        ["enroll", "alice", "--store", store.database], input: "1\n", output: pipe.fileHandleForWriting)
      #expect(run.failed(74))
      #expect(try store.otp("factors", "alice").output.isEmpty)
    }
  }

  @Test(arguments: [String(repeating: "x", count: 257), ""])
  func `an account's name has 1 to 256 bytes`(account: String) throws {
    try withStore { store in
      let run = try store.otp("enroll", account)
      #expect(run.failed(64) && run.error.contains("256"))
    }
  }
}
