import FactorRecord
import Foundation
import Keyring
import OTP
import Testing

/// `otp keyring` and `otp record`.
@Suite struct KeyringTests {
  /// A folder with a new keyring, and the name of its key.
  private func withKeyring(_ body: (_ file: String, _ key: String) throws -> Void) throws {
    try withFolder([:]) { folder in
      let run = try otp("keyring new \(folder)/keyring")
      let key = try #require(run.output.wholeMatch(of: /created key=(\S+)\n/)).1
      #expect(run.status == 0 && run.error.isEmpty)
      try body("\(folder)/keyring", String(key))
    }
  }

  @Test func `a key is added, activated, and takes the place of the first`() throws {
    try withKeyring { file, first in
      let added = try otp("keyring add \(file)")
      let second = try String(#require(added.output.wholeMatch(of: /added key=(\S+)\n/)).1)
      #expect(try otp("keyring list \(file)").lines == ["key=\(first) active=yes", "key=\(second) active=no"])
      #expect(try otp("keyring remove \(file) \(first)").failed(65))
      #expect(try otp("keyring activate \(file) \(second)").output == "activated key=\(second)\n")
      #expect(try otp("keyring remove \(file) \(first)").output == "removed key=\(first)\n")
      #expect(try otp("keyring list \(file)").lines == ["key=\(second) active=yes"])
      for wrong in ["activate \(file) \(first)", "remove \(file) \(first)", "activate \(file) none"] {
        let run = try otp("keyring \(wrong)")
        #expect(run.failed(65) && run.error == "otp: the keyring has no such key\n")
      }
    }
  }

  @Test func `--json prints no key`() throws {
    try withKeyring { file, key in
      let keys = try #require(otp("keyring list \(file) --json").json["keys"] as? [[String: Any]])
      #expect(keys.count == 1 && keys[0]["name"] as? String == key && keys[0]["isActive"] as? Bool == true)
      let added = try otp("keyring add \(file) --json").json
      #expect(added["result"] as? String == "added" && (added["key"] as? String)?.isEmpty == false)
      let contents = try String(contentsOfFile: file, encoding: .utf8)
      let secrets = contents.matches(of: /"(?:key|hashKey)":"([^"]{40,})"/).map { String($0.1) }
      #expect(secrets.count == 3)
      for command in ["list \(file)", "list \(file) --json", "add \(file)", "add \(file) --json"] {
        let output = try otp("keyring \(command)").output
        #expect(!secrets.contains { output.contains($0) })
      }
    }
  }

  @Test func `a keyring file that exists, is missing, damaged, or open to others is refused`() throws {
    try withKeyring { file, key in
      let before = try Data(contentsOf: URL(fileURLWithPath: file))
      #expect(try otp("keyring new \(file)").failed(65))
      #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
      #expect(try otp("keyring list \(file).none").error.contains("otp: the keyring \(file).none is missing; "))
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
      for command in ["list \(file)", "add \(file)", "activate \(file) \(key)", "record"] {
        let run = try command == "record" ? otp("record show \(file) u", input: "01") : otp("keyring \(command)")
        #expect(run.failed(65) && run.error.contains("can be read by others"))
      }
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
      try Data(before.dropLast(9)).write(to: URL(fileURLWithPath: file))
      #expect(try otp("keyring list \(file)").failed(65) && otp("keyring add \(file)").failed(65))
    }
  }

  @Test func `a record is shown without its secret`() throws {
    try withKeyring { file, key in
      let keyring = try Keyring(file: file)
      let secret = try OTPSecret(bytes: Array("12345678901234567890".utf8))
      var record = try FactorRecord.totp(secret: secret, isPending: false, at: 1_700_000_000)
      for _ in 0..<4 { _ = try record.verify("000000", at: 4_000_000_000) }
      let sealed = try record.sealed(by: keyring, for: "user 42")
      let hexadecimal = sealed.map { String(format: "%02x", $0) }.joined()
      let expected = [
        "kind=totp", "state=waiting", "sealed-by=\(key)", "enrolled=2023-11-14T22:13:20Z", "failures=4",
        "acceptances=0", "until=2096-10-02T07:06:41Z", "last-attempt=2096-10-02T07:06:40Z", "algorithm=SHA1",
        "digits=6", "period=30",
        "drift=0", "weak-secret=no",
      ]
      for input in [hexadecimal, "\\x\(hexadecimal)\n", "X'\(hexadecimal.uppercased())'\n"] {
        let run = try Tool.run(["record", "show", file, "user 42"], input: input)
        #expect(run.lines == expected && run.error.isEmpty)
      }
      let json = try Tool.run(["record", "show", file, "user 42", "--json"], input: hexadecimal).json
      #expect(json["failures"] as? Int == 4 && json["sealedBy"] as? String == key && json["secret"] == nil)

      for (subject, input, message) in [
        ("user 43", hexadecimal, "the record belongs to another subject"),
        ("user 42", String(hexadecimal.dropLast(2) + (hexadecimal.hasSuffix("00") ? "01" : "00")), "was altered"),
        ("user 42", "02" + hexadecimal.dropFirst(2), "newer version"), ("user 42", "01", "not a record"),
        ("user 42", "", "not a record"), ("user 42", "0", "neither a record nor hexadecimal"),
        ("user 42", "xyz", "neither a record nor hexadecimal"),
      ] {
        let run = try Tool.run(["record", "show", file, subject], input: input)
        #expect(run.failed(65) && run.error.contains(message), "\(run.error)")
      }
      #expect(try Tool.run(["record", "show", file, ""], input: hexadecimal).failed(64))
    }
  }

  @Test func `a record is explained and unlocked`() throws {
    try withKeyring { file, _ in
      let keyring = try Keyring(file: file)
      let secret = try OTPSecret(bytes: Array("12345678901234567890".utf8))
      func hexadecimal(_ record: FactorRecord) throws -> String {
        try record.sealed(by: keyring, for: "u").map { String(format: "%02x", $0) }.joined()
      }
      func explained(_ record: FactorRecord, _ arguments: String...) throws -> Run {
        try Tool.run(["record", "explain", file, "u"] + arguments, input: hexadecimal(record))
      }
      func first(_ run: Run) -> String? { run.lines.first?.split(separator: " ").first.map(String.init) }
      var record = try FactorRecord.totp(secret: secret, isPending: false, at: 1_111_111_109)
      let late = try explained(record, "081804", "--at", "1111111180")
      #expect(late.status == 0 && late.lines.first?.hasPrefix("late offset=-3 odds=1/") == true, "\(late)")
      #expect(first(try explained(record, "081804", "--at", "1111111180", "--window", "3")) == "right")
      let wrong = try explained(record, "x")
      #expect(wrong.status == 1 && first(wrong) == "malformed" && wrong.lines.count > 1)
      let pending = try explained(FactorRecord.totp(secret: secret, at: 1_111_111_109), "081804", "--at", "1111111109")
      #expect(first(pending) == "pending" && pending.lines.contains { $0.hasPrefix("right ") })
      #expect(try explained(record, "1", "--json").json["findings"] != nil)
      // Its times are in no calendar.
      let slow = try FactorRecord.totp(
        secret: secret, timeStep: TimeStep(period: .max), lastAcceptedStep: 1, isPending: false, at: 1_111_111_109)
      #expect(try explained(slow, "287082").output.contains("from @9223372036854775807 to @9223372036854775807"))
      for (period, isLong) in [(Int64(120), false), (121, true)] {
        let factor = try FactorRecord.totp(timeStep: TimeStep(period: period), at: 1_111_111_109)
        let shown = try Tool.run(["record", "show", file, "u"], input: hexadecimal(factor))
        #expect(shown.lines.contains("long-period=yes") == isLong)
      }

      for _ in 0..<4 { _ = try record.verify("000000", at: 4_000_000_000) }
      #expect(first(try explained(record, "081804")) == "waiting")
      let unlocked = try Tool.run(["record", "unlock", file, "u"], input: hexadecimal(record))
      let shown = try Tool.run(["record", "show", file, "u"], input: unlocked.output)
      #expect(unlocked.status == 0 && shown.lines.contains("failures=0") && shown.lines.contains("state=active"))
      for hour in 1...100 { _ = try record.verify("000000", at: 4_000_000_000 + Int64(hour) * 3600) }
      #expect(try explained(record, "081804").lines[0].hasSuffix("needs=enrollment"))
      let refused = try Tool.run(["record", "unlock", file, "u"], input: hexadecimal(record))
      #expect(refused.failed(65) && refused.error.contains("enroll again") && refused.output.isEmpty)
    }
  }

  @Test func `records of recovery codes and of a token are shown`() throws {
    try withKeyring { file, _ in
      let keyring = try Keyring(file: file)
      var (codes, texts) = try FactorRecord.recoveryCodes(count: 3, at: 1_700_000_000)
      #expect(try codes.verify(texts[1], at: 1_700_000_000).isAccepted)
      let token = try FactorRecord.hotp(counter: 9_007_199_254_740_993, at: 1_700_000_000)
      func shown(_ record: FactorRecord, _ options: String...) throws -> Run {
        let bytes = try record.sealed(by: keyring, for: "u").map { String(format: "%02x", $0) }.joined()
        return try Tool.run(["record", "show", file, "u"] + options, input: bytes)
      }
      let lines = try shown(codes).lines
      #expect(lines.contains("kind=recovery-codes") && lines.contains("unused-codes=1,3"))
      #expect(!lines.contains { $0.hasPrefix("digits") || $0.hasPrefix("weak") })
      #expect(try shown(token).lines.contains("last-counter=9007199254740992"))
      #expect(try shown(token, "--json").json["lastAccepted"] as? String == "9007199254740992")
      #expect(try shown(token).lines.contains("state=pending"))
      // A new enrollment, which a code would confirm.
      var replaced = try FactorRecord.totp(isPending: false, at: 1_700_000_000)
      for hour in 1...100 { _ = try replaced.verify("000000", at: 1_700_000_000 + Int64(hour) * 3600) }
      #expect(try shown(replaced).lines.contains("state=locked"))
      try replaced.replace(with: FactorRecord.totp(at: 1_700_000_000), evenIfActive: true)
      let pending = try shown(replaced).lines
      #expect(pending.contains("state=pending") && pending.contains("failures=100"), "\(pending)")
    }
  }
}
