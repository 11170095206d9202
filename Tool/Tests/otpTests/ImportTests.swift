import Foundation
import OTP
import Testing

/// `otp import` and `otp export`.
@Suite struct ImportTests {
  private static let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
  private static let entra = """
    upn,serial number,secret key,time interval,manufacturer,model
    alice,1001,\(secret),30,Contoso,Key
    bob,1002,\(secret),60,Contoso,Key

    """
  private static let faulty = entra + "carol,1003,\(secret)0,30,,\ndave,1001,\(secret),30,,\n"

  /// Runs the tool in a folder with a file, which only its owner can read, and a store.
  private func with(_ text: String, _ body: (Store, String) throws -> Void) throws {
    try withStore { store in
      let file = store.folder + "/keys"
      try Data(text.utf8).write(to: URL(fileURLWithPath: file))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
      try body(store, file)
    }
  }

  @Test func `keys are imported once, and their codes are accepted`() throws {
    try with(Self.entra) { (store, file) throws in
      let first = try store.otp("import", file, "--format", "entra")
      #expect(
        first.status == 0 && first.output == "imported keys=2 present=0 refused=0 weak=0\n" && first.error.isEmpty)
      let again = try store.otp("import", file, "--format", "entra", "--json")
      #expect(again.status == 0 && again.json["present"] as? Int == 2)
      let list = try store.otp("factors", "bob").lines
      #expect(list.count == 1 && list[0].hasSuffix(" name=1002"))
      let step = Int64(Date().timeIntervalSince1970) / 60
      let totp = try TOTP(secret: OTPSecret(base32: Self.secret), period: 60)
      let code = try totp.code(forStep: UInt64(step)).description
      #expect(try store.otp("authenticate", "bob", code).output.hasPrefix("accepted "))
    }
  }

  @Test func `if any key is refused, none is taken, unless the others are asked for`() throws {
    try with(Self.faulty) { store, file in
      let report = [
        "refused line=4 field=secret reason=malformed", "refused line=5 field=serial reason=duplicate",
      ]
      let all = try store.otp("import", file, "--format", "entra")
      #expect(all.status == 1 && all.lines == report + ["refused keys=2 present=0 refused=2 weak=0"])
      #expect(!FileManager.default.fileExists(atPath: store.database))
      let check = try store.otp("import", file, "--format", "entra", "--check", "--json")
      #expect(check.status == 1 && check.json["refused"] as? Int == 2 && !check.output.contains(Self.secret))
      let partial = try store.otp("import", file, "--format", "entra", "--partial")
      #expect(partial.status == 1 && partial.lines == report + ["imported keys=2 present=0 refused=2 weak=0"])
      #expect(try store.otp("factors", "alice").lines.count == 1)
    }
  }

  @Test func `more keys than an account can have are refused before any is taken`() throws {
    let rows = (1...6).map { "alice,\($0),\(Self.secret.dropLast())\(["A", "I", "Q", "Y", "2", "4"][$0 - 1]),30\n" }
      .joined()
    try with("upn,serial number,secret key,time interval\n" + rows) { store, file in
      let run = try store.otp("import", file, "--format", "entra")
      let refusal = "refused line=7 field=account reason=too long"
      #expect(run.status == 1 && run.lines == [refusal, "refused keys=5 present=0 refused=1 weak=0"])
      #expect(!FileManager.default.fileExists(atPath: store.database))
      let partial = try store.otp("import", file, "--format", "entra", "--partial")
      #expect(partial.status == 1 && partial.lines == [refusal, "imported keys=5 present=0 refused=1 weak=0"])
    }
  }

  @Test func `keys that find their account full end the import, or are refused one by one`() throws {
    func rows(_ letters: String) -> String {
      "upn,serial number,secret key,time interval\n"
        + letters.map { "alice,\($0),\(Self.secret.dropLast())\($0),30\n" }.joined()
    }
    try with(rows("AIQY")) { store, file in
      #expect(try store.otp("import", file, "--format", "entra").status == 0)
      try Data(rows("A24").utf8).write(to: URL(fileURLWithPath: file))
      let all = try store.otp("import", file, "--format", "entra")
      #expect(all.failed(65) && all.error.contains("line 4: ") && all.error.contains("1 keys were taken before"))
      let partial = try store.otp("import", file, "--format", "entra", "--partial")
      let report = ["refused line=4 field=account reason=too long", "imported keys=2 present=2 refused=1 weak=0"]
      #expect(partial.status == 1 && partial.lines == report)
    }
  }

  @Test func `a key without an account is given one, or refused`() throws {
    try with("\(Self.secret)\n\" TOTP_AUTH\n\" WINDOW_SIZE 3\n12345678\n") { store, file in
      let run = try store.otp("import", file, "--format", "google-authenticator")
      #expect(run.status == 1 && run.lines.first == "refused line=1 field=account reason=missing")
      let named = try store.otp("import", file, "--format", "google-authenticator", "--account", "alice")
      #expect(
        named.lines == [
          "dropped field=scratch codes keys=1", "dropped field=window keys=1",
          "imported keys=1 present=0 refused=0 weak=0",
        ])
    }
  }

  @Test func `a table's columns are named, and nothing of it is guessed`() throws {
    try with("who,seed\nalice,31323334353637383930\n") { store, file in
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
  ]) func `what does not go together is a usage error`(options: [String]) throws {
    try with(Self.entra) { (store, file) throws in
      #expect(try Tool.run(["import", file, "--store", store.database] + options).failed(64))
    }
  }

  @Test func `what is no such file is an error of the data`() throws {
    try with("<a/>") { (store, file) throws in
      #expect(try store.otp("import", file, "--format", "pskc").failed(65))
      #expect(try store.otp("import", store.folder, "--format", "pskc").failed(65))
      #expect(try store.otp("import", file + "x", "--format", "pskc").failed(65))
    }
  }

  @Test func `keys go out encrypted and come back, and as URIs only if asked for twice`() throws {
    try with(Self.entra) { (store, file) throws in
      let password = store.folder + "/password"
      try Data("pass word\n".utf8).write(to: URL(fileURLWithPath: password))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: password)
      let export = ["export", file, "--format", "entra", "--to"]
      let pskc = try Tool.run(export + ["pskc", "--to-password-file", password])
      #expect(pskc.status == 0 && pskc.output.contains("<ValueMAC>") && !pskc.output.contains("MTIz"))
      try Data(pskc.output.utf8).write(to: URL(fileURLWithPath: file))
      let back = try Tool.run([
        "export", file, "--format", "pskc", "--password-file", password, "--to", "uris", "--show-secret",
      ])
      #expect(back.lines.count == 2 && back.lines[0] == "otpauth://totp/alice?secret=\(Self.secret)")
      #expect(try Tool.run(export + ["uris"]).failed(64))
      #expect(try Tool.run(export + ["pskc"]).failed(64))
    }
  }
}
