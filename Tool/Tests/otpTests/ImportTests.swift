import Foundation
import OTP
import Testing

/// `otp import`.
@Suite struct ImportTests {
  private static let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
  private static let entra = """
    upn,serial number,secret key,time interval,manufacturer,model
    alice,1001,\(secret),30,Contoso,Key
    bob,1002,\(secret),60,Contoso,Key

    """
  private static let faulty = entra + "carol,1003,\(secret)0,30,,\ndave,1001,\(secret),30,,\n"

  @Test func `keys are imported once, and their codes are accepted`() throws {
    let hex = "3132333435363738393031323334353637383930"
    try withKeys("HOTP alice - \(hex) 6\nHOTP/T60 bob - \(hex)\n") { (store, file) throws in
      let first = try store.otp("import", file, "--format", "users-oath")
      #expect(
        first.status == 0 && first.output == "imported keys=2 present=0 refused=0 weak=0\n" && first.error.isEmpty)
      let again = try store.otp("import", file, "--format", "users-oath", "--json")
      #expect(again.status == 0 && again.json["present"] as? Int == 2 && again.json["keys"] as? Int == 0)
      let third = try store.otp("import", file, "--format", "users-oath")
      let present = ["present line=1 key=1 account=alice", "present line=2 key=2 account=bob"]
      #expect(third.lines == present + ["imported keys=0 present=2 refused=0 weak=0"])
      let hotp = try HOTP(secret: OTPSecret(base32: Self.secret))
      #expect(try store.otp("authenticate", "alice", hotp.code(counter: 5).description).output == "rejected\n")
      #expect(try store.otp("authenticate", "alice", hotp.code(counter: 6).description).output.hasPrefix("accepted "))
      #expect(try store.otp("factors", "bob").lines.count == 1)
    }
  }

  @Test func `if any key is refused, none is added, except with --partial`() throws {
    try withKeys(Self.faulty) { store, file in
      let report = [
        "refused line=4 key=3 field=secret reason=malformed", "refused line=5 key=4 field=serial reason=duplicate",
      ]
      let all = try store.otp("import", file, "--format", "entra")
      #expect(all.status == 1 && all.lines == report + ["refused keys=2 present=0 refused=2 weak=0"])
      #expect(try store.otp("accounts").output.isEmpty)
      let check = try store.otp("import", file, "--format", "entra", "--check", "--json")
      #expect(check.status == 1 && check.json["refused"] as? Int == 2 && !check.output.contains(Self.secret))
      let partial = try store.otp("import", file, "--format", "entra", "--partial")
      #expect(partial.status == 1 && partial.lines == report + ["imported keys=2 present=0 refused=2 weak=0"])
      #expect(try store.otp("factors", "alice").lines.count == 1)
    }
  }

  @Test func `more keys than an account can have are refused before any is added`() throws {
    let rows = (1...6).map { "alice,\($0),\(Self.secret.dropLast())\(["A", "I", "Q", "Y", "2", "4"][$0 - 1]),30\n" }
      .joined()
    try withKeys("upn,serial number,secret key,time interval\n" + rows) { store, file in
      let run = try store.otp("import", file, "--format", "entra")
      let refusal = "refused line=7 key=6 account=alice field=account reason=has as many factors as are allowed"
      #expect(run.status == 1 && run.lines == [refusal, "refused keys=5 present=0 refused=1 weak=0"])
      #expect(try store.otp("accounts").output.isEmpty)
      let partial = try store.otp("import", file, "--format", "entra", "--partial")
      #expect(partial.status == 1 && partial.lines == [refusal, "imported keys=5 present=0 refused=1 weak=0"])
    }
  }

  /// Bidirectional controls, and line and paragraph separators, which could forge a line of a log.
  @Test(arguments: ["\u{202E}", "\u{2066}", "\u{2028}", "\u{2029}"])
  func `an account that the layer refuses is refused before any key is imported`(bad: String) throws {
    let rows = Self.entra.replacing("bob", with: "bob\(bad)")
    try withKeys(rows) { store, file in
      let refusal = "refused line=3 key=2 field=account reason=malformed"
      let run = try store.otp("import", file, "--format", "entra")
      #expect(run.status == 1 && run.lines == [refusal, "refused keys=1 present=0 refused=1 weak=0"])
      #expect(try store.otp("accounts").output.isEmpty)
      let partial = try store.otp("import", file, "--format", "entra", "--partial")
      #expect(partial.status == 1 && partial.lines == [refusal, "imported keys=1 present=0 refused=1 weak=0"])
      let table = try store.write("1001,alice\n1002,b\(bad)\n", to: "accounts")
      #expect(try store.otp("import", file, "--format", "entra", "--check", "--accounts", table).lines.first == refusal)
    }
  }

  @Test(arguments: [[], ["--partial"]])
  func `the keys of a full account are refused one by one, and the others are added`(options: [String]) throws {
    func rows(_ letters: String) -> String {
      "upn,serial number,secret key,time interval\n"
        + letters.map { "alice,\($0),\(Self.secret.dropLast())\($0),30\n" }.joined()
    }
    try withKeys(rows("AIQY")) { store, file in
      #expect(try store.otp("import", file, "--format", "entra").status == 0)
      try Data((rows("A24") + "b c,1,\(Self.secret),30\n").utf8).write(to: URL(fileURLWithPath: file))
      let run = try Tool.run(["import", file, "--format", "entra", "--store", store.database] + options)
      let report = [
        "refused line=4 key=3 account=alice field=account reason=has as many factors as are allowed",
        "present line=2 key=1 account=alice", "imported keys=2 present=1 refused=1 weak=0",
      ]
      #expect(run.status == 1 && run.lines == report)
      let again = try store.otp("import", file, "--format", "entra")
      #expect(again.lines.contains("present line=5 key=4 account=b\\u{20}c"))
    }
  }

  @Test func `an account that fails ends the import, which says how many keys were added`() throws {
    let rows = (0..<300).map { "HOTP u\($0) - \(String(format: "%040x", $0))\n" }
    try withKeys(rows.joined()) { store, file in
      _ = try store.enroll("alice")
      try store.change("UPDATE documents SET key = CAST('user/u1' AS BLOB) WHERE key != CAST('store' AS BLOB)")
      let run = try store.otp("import", file, "--format", "users-oath")
      #expect(run.failed(65))
      #expect(run.error == "otp: line 2: the keyring cannot open the store's documents; 255 keys were taken\n")
      #expect(try store.otp("factors", "u255").lines.count == 1 && store.otp("factors", "u256").lines.isEmpty)
    }
  }

  /// More than are added at the same time; some accounts have several, and one has a key twice.
  @Test func `many keys are added side by side, and reported in the order of the file`() throws {
    let rows = (0..<700).map { number in
      "HOTP u\(number % 350) - \(String(format: "%040x", number == 699 ? 349 : number)) 0\n"
    }
    try withKeys(rows.joined()) { store, file in
      let run = try store.otp("import", file, "--format", "users-oath")
      let present = "present line=700 key=700 account=u349"
      #expect(run.lines == [present, "imported keys=699 present=1 refused=0 weak=0"])
      let again = try store.otp("import", file, "--format", "users-oath")
      let all = (0..<700).map { "present line=\($0 + 1) key=\($0 + 1) account=u\($0 % 350)" }
      #expect(again.lines == all + ["imported keys=0 present=700 refused=0 weak=0"])
      #expect(try store.otp("factors", "u7").lines.count == 2)
    }
  }

  @Test func `a key without an account is refused unless --account is given`() throws {
    try withKeys("508326,ubnu00000001,0,69cfb9202438ca68964ec3244bfa4843d073a43b,,,\n") { store, file in
      let run = try store.otp("import", file, "--format", "yubico", "--digits", "6")
      #expect(run.status == 1 && run.lines.first == "refused line=1 key=1 field=account reason=missing")
      let named = try store.otp("import", file, "--format", "yubico", "--digits", "6", "--account", "alice")
      let dropped = "dropped field=token identifier keys=1"
      #expect(named.lines == [dropped, "imported keys=1 present=0 refused=0 weak=0"])
    }
  }

  @Test func `a table's columns must be named, and nothing is guessed`() throws {
    try withKeys("who,seed\nalice,31323334353637383930\n") { store, file in
      let options = ["import", file, "--format", "csv", "--column", "secret=seed", "--column", "account=who"]
      #expect(try Tool.run(options + ["--store", store.database]).failed(64))
      let run = try Tool.run(
        options + ["--encoding", "hex", "--type", "hotp", "--digits", "8", "--store", store.database])
      #expect(run.output == "imported keys=1 present=0 refused=0 weak=1\n")
      #expect(try store.otp("factors", "alice").lines.first?.contains("type=hotp") == true)
    }
  }

  @Test(arguments: [
    ["--format", "xml"], ["--format", "uris", "--encoding", "hex"], ["--format", "entra", "--digits", "8"],
    ["--format", "yubico"], ["--format", "csv", "--encoding", "hex"], ["--format", "csv", "--column", "x=y"],
    ["--format", "uris", "--key-file", "k"], [],
  ]) func `incompatible options are a usage error`(options: [String]) throws {
    try withKeys(Self.entra) { (store, file) throws in
      #expect(try Tool.run(["import", file, "--store", store.database] + options).failed(64))
    }
  }

  @Test func `a file that is missing or of another format is a data error`() throws {
    try withKeys("<a/>") { (store, file) throws in
      #expect(try store.otp("import", file, "--format", "pskc").failed(65))
      #expect(try store.otp("import", store.folder, "--format", "pskc").failed(65))
      #expect(try store.otp("import", file + "x", "--format", "pskc").failed(65))
    }
  }

  @Test func `a table of serial numbers assigns devices to accounts`() throws {
    try withKeys("serial,seed\n1,\(Self.secret)\n2,\(Self.secret)\n") { store, file in
      let options = [
        "import", file, "--format", "csv", "--encoding", "base32", "--column", "serial=serial", "--column",
        "secret=seed", "--store", store.database, "--accounts",
      ]
      let part = try store.write("\u{FEFF}1 , alice, of Wonderland\r\n\n3,carol\n", to: "part")
      let refused = try Tool.run(options + [part])
      #expect(refused.status == 1 && refused.lines.first == "refused line=3 key=2 field=account reason=missing")
      let whole = try store.write("1,alice\n2,bob", to: "whole")
      #expect(try Tool.run(options + [part, "--account", "bob"]).output.hasPrefix("imported keys=2 "))
      #expect(try store.otp("factors", "alice, of Wonderland").output.hasSuffix(" name=1\n"))
      let report = ["present line=3 key=2 account=bob", "imported keys=1 present=1 refused=0 weak=0"]
      #expect(try Tool.run(options + [whole]).lines == report)
      for text in ["1,alice\n1,bob", "1;alice", "1,", ",alice", "\"1\",alice", "1,\u{0}\n2,\"bob\""] {
        #expect(try Tool.run(options + [store.write(text, to: "bad")]).failed(65))
      }
      #expect(try Tool.run(options + [store.folder + "/none"]).failed(65))
    }
  }

  @Test func `a signature is reported as unverified`() throws {
    let container = """
      <KeyContainer Version="1.0" xmlns="urn:ietf:params:xml:ns:keyprov:pskc"><KeyPackage><Key Id="1" \
      Algorithm="urn:ietf:params:xml:ns:keyprov:pskc:hotp"><AlgorithmParameters><ResponseFormat Length="6" \
      Encoding="DECIMAL"/></AlgorithmParameters><Data><Secret><PlainValue>MTIzNDU2Nzg5MDEyMzQ1Njc4OTA=</PlainValue>\
      </Secret></Data></Key></KeyPackage><Signature xmlns="http://www.w3.org/2000/09/xmldsig#"/></KeyContainer>
      """
    try withKeys(container) { store, file in
      let run = try store.otp("import", file, "--format", "pskc", "--account", "alice")
      #expect(run.lines == ["unverified field=signature", "imported keys=1 present=0 refused=0 weak=0"])
      let uris = try Tool.run(["export", file, "--format", "pskc", "--to", "uris", "--show-secret"])
      #expect(uris.status == 0 && uris.error == "otp: warning: the file's signature is not verified\n")
    }
  }
}
