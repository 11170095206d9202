import Foundation
import OTP
import Testing

/// `otp export`, from a file and from a store.
@Suite struct ExportTests {
  private static let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
  private static let entra = """
    upn,serial number,secret key,time interval
    alice,1001,\(secret),30
    bob,1002,\(secret),60

    """
  private static let token = "HOTP/E/8 alice - 3132333435363738393031323334353637383930 5\n"

  @Test func `exported containers are encrypted and can be read, and URIs also need --show-secret`() throws {
    try withKeys(Self.entra) { (store, file) throws in
      let password = try store.write("pass word\n", to: "password")
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

  @Test func `a token exported from one store can be used in another`() throws {
    let hotp = try HOTP(secret: OTPSecret(base32: Self.secret), digits: .eight)
    try withKeys(Self.token) { (store, file) throws in
      #expect(try store.otp("import", file, "--format", "users-oath").status == 0)
      let code = try hotp.code(counter: 7).description
      #expect(try store.otp("authenticate", "alice", code).output.hasPrefix("accepted "))
      let uris = try store.otp("export", "--account", "alice", "--to", "uris", "--show-secret")
      let uri = try OTPAuthURI(#require(uris.lines.first))
      #expect(try uri.kind == .hotp(counter: 8) && uri.digits == .eight && uri.secret == OTPSecret(base32: Self.secret))
      #expect(uri.account == "alice" && uris.lines.count == 1 && uris.error.isEmpty)
      let password = try store.write("pass word\n", to: "password")
      let pskc = try store.otp("export", "--account", "alice", "--to", "pskc", "--to-password-file", password)
      #expect(pskc.status == 0 && !pskc.output.contains("MTIz"))
      try withStore { other in
        let keys = try other.write(pskc.output, to: "keys.xml")
        let run = try other.otp("import", keys, "--format", "pskc", "--password-file", password)
        #expect(run.output == "imported keys=1 present=0 refused=0 weak=0\n")
        #expect(try other.otp("authenticate", "alice", code).output == "rejected\n")
        let next = try hotp.code(counter: 8).description
        #expect(try other.otp("authenticate", "alice", next).output.hasPrefix("accepted "))
      }
    }
  }

  @Test func `a container records clock drift, and a warning says that a URI does not`() throws {
    try withKeys("secret,drift\n\(Self.secret),-2\n") { (store, file) throws in
      let key = try store.write(String(repeating: "07", count: 32), to: "key")
      let container = try store.write("", to: "keys.xml")
      #expect(try store.otp("import", file, "--format", "csv", "--account", "alice").status == 0)
      let kept = ["--account", "alice", "--store", store.database]
      for from in [[file, "--format", "csv"], kept] {
        let pskc = try Tool.run(["export"] + from + ["--to", "pskc", "--to-key-file", key])
        #expect(pskc.output.contains("<TimeDrift><PlainValue>-2</PlainValue></TimeDrift>") && pskc.error.isEmpty)
        try Data(pskc.output.utf8).write(to: URL(fileURLWithPath: container))
      }
      for from in [[container, "--format", "pskc", "--key-file", key], kept] {
        let uris = try Tool.run(["export"] + from + ["--to", "uris", "--show-secret"])
        #expect(uris.status == 0 && uris.output.contains("secret=\(Self.secret)"))
        #expect(uris.error == "otp: warning: key URIs cannot record clock drift; keys that have it: 1\n")
      }
    }
  }

  private static let everything = """
    account,type,secret,algorithm,digits,period,drift,last-step,counter,failures,confirmed,name
    alice,totp,\(secret),SHA256,8,60,-2,99999999,,3,yes,"Alice's ""phone"", new"
    alice,hotp,\(secret.dropLast())A,,,,,,7,0,,
    bob,totp,\(secret),,,,,,,12,no,

    """

  @Test func `a table keeps what was used last, failures and what is pending, from file to store to file`() throws {
    try withKeys(Self.everything) { (store, file) throws in
      let all = try store.otp("import", file, "--format", "csv")
      #expect(all.lines.first == "refused line=4 key=3 account=bob field=confirmation reason=missing")
      #expect(try store.otp("import", file, "--format", "csv", "--partial").output.contains("imported keys=2 "))
      let options = ["export", "--account", "alice", "--store", store.database, "--to", "csv"]
      #expect(try Tool.run(options).failed(64))
      let table = try Tool.run(options + ["--show-secret"])
      #expect(table.status == 0 && table.error.isEmpty && table.lines.count == 3)
      let name = "\"Alice's \"\"phone\"\", new\""
      #expect(table.lines[1].hasPrefix("\(Self.secret),,alice,,\(name),8,SHA256,60,,totp,-2,99999999,"))
      #expect(table.lines[1].hasSuffix(",3,yes"))
      #expect(table.lines[2] == "\(Self.secret.dropLast())A,,alice,,,6,SHA1,,7,hotp,,,0,yes")
      let read = ["export", file, "--format", "csv", "--show-secret", "--to"]
      #expect(try Tool.run(read + ["csv"]).lines[3].hasSuffix(",12,no"))
      #expect(try Tool.run(read + ["uris"]).lines[0] == "refused line=4 key=3 field=confirmation reason=unsupported")
    }
  }

  @Test func `records of a table of one's own are as the keys were`() throws {
    let faulty = "carol,totp,\(Self.secret),,,0,,,,,,\n,,\(Self.secret),,,,,,,,,\n"
    try withKeys(Self.everything + faulty) { (store, file) throws in
      let options = ["record", "import", store.keyring, file, "--format", "csv"]
      let report = [
        "refused line=5 key=4 field=period reason=out of range", "refused line=6 key=5 field=account reason=missing",
      ]
      #expect(try Tool.run(options).lines == report + ["refused keys=3 present=0 refused=2 weak=0"])
      let table = try Tool.run(options + ["--partial"])
      #expect(table.status == 1 && table.lines.count == 4 && table.lines[0] == "account,name,record")
      #expect(table.lines[1].hasPrefix("alice,\"Alice's \"\"phone\"\", new\",") && table.lines[3].hasPrefix("bob,,"))
      let shown = try table.lines.dropFirst().map { line in
        let words = try #require(line.split(separator: ",").last)
        return try Tool.run(
          ["record", "show", store.keyring, line.hasPrefix("bob") ? "bob" : "alice"], input: String(words)
        ).lines
      }
      let first = ["kind=totp", "state=active", "failures=3", "algorithm=SHA256", "digits=8", "period=60"]
      #expect((first + ["last-step=99999999"]).allSatisfy(shown[0].contains))
      #expect(["kind=hotp", "state=active", "failures=0", "last-counter=6"].allSatisfy(shown[1].contains))
      #expect(["state=pending", "failures=12"].allSatisfy(shown[2].contains))
    }
  }

  @Test(arguments: [
    ["--account", "alice", "--to", "uris"], ["--account", "alice", "--to", "pskc"],
    ["--account", "alice", "--to", "pskc", "--show-secret"], ["--to", "uris", "--show-secret"],
    ["--account", "alice", "--format", "uris", "--to", "uris", "--show-secret"],
    ["--account", "alice", "--digits", "6", "--to", "uris", "--show-secret"],
    ["keys", "--format", "uris", "--account", "alice", "--to", "uris", "--show-secret"],
    ["keys", "--format", "uris", "--to", "uris", "--show-secret"], ["keys", "--to", "uris", "--show-secret"],
  ]) func `incompatible or missing options are a usage error`(options: [String]) throws {
    try withKeys(Self.token) { (store, file) throws in
      #expect(try store.otp("import", file, "--format", "users-oath").status == 0)
      #expect(try Tool.run(["export", "--store", store.database] + options, in: store.folder).failed(64))
    }
  }

  @Test func `a key that cannot be written is named by field, and with --partial the others are written`() throws {
    let uris = ["A%3AB:a", "Example:b"].map { "otpauth://totp/\($0)?secret=\(Self.secret)\n" }
    try withKeys(uris.joined()) { (store, file) throws in
      let options = ["export", file, "--format", "uris", "--to", "uris", "--show-secret"]
      let all = try Tool.run(options)
      let refusal = "refused line=1 key=1 field=issuer reason=unsupported"
      #expect(all.status == 1 && all.lines == [refusal, "refused keys=1 present=0 refused=1 weak=0"])
      let partial = try Tool.run(options + ["--partial"])
      #expect(partial.status == 1 && partial.lines.count == 1 && partial.output.contains("Example:b?secret="))
      #expect(partial.error == "otp: \(refusal)\notp: exported keys=1 present=0 refused=1 weak=0\n")
    }
  }

  /// One has no counter left.
  @Test func `with --partial, the other factors of an account are written`() throws {
    try withKeys(Self.token + "HOTP/E/8 alice - 31 \(UInt64.max)\n") { (store, file) throws in
      #expect(try store.otp("import", file, "--format", "users-oath").status == 0)
      let last = try HOTP(secret: OTPSecret(base32: "GE"), digits: .eight).code(counter: .max).description
      let uid = try #require(store.otp("factors", "alice").lines.last?.split(separator: " ").first?.dropFirst(4))
      #expect(try store.otp("authenticate", "alice", last, "--factor", String(uid)).output.hasPrefix("accepted "))
      let options = ["export", "--account", "alice", "--to", "uris", "--show-secret", "--store", store.database]
      #expect(try Tool.run(options).lines.first == "refused line=2 key=2 field=counter reason=out of range")
      let partial = try Tool.run(options + ["--partial"])
      #expect(partial.status == 1 && partial.lines.count == 1 && partial.output.contains("secret=\(Self.secret)"))
    }
  }

  @Test(arguments: ["+f", "-1", " 7", "0x", "g0", "\u{FF10}", "7", "077"])
  func `a key is only hexadecimal digits`(pair: String) throws {
    try withKeys(Self.entra) { (store, file) throws in
      let good = String(repeating: "aF", count: 31)
      let options = ["export", file, "--format", "entra", "--to", "pskc", "--to-key-file"]
      #expect(try Tool.run(options + [store.write(good + "09", to: "key")]).status == 0)
      #expect(try Tool.run(options + [store.write(good + pair, to: "bad")]).failed(65))
    }
  }

  @Test func `nothing is written for an account that does not exist`() throws {
    try withKeys(Self.token) { (store, file) throws in
      let options = ["export", "--account", "alice", "--to", "uris", "--show-secret", "--store", store.database]
      #expect(try Tool.run(options).failed(65))
      #expect(try store.otp("import", file, "--format", "users-oath", "--account", "bob").status == 0)
      #expect(try store.otp("export", "--account", "bob", "--to", "uris", "--show-secret").failed(65))
    }
  }
}
