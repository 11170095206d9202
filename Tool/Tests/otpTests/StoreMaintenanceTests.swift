import Foundation
import Testing

/// What an administrator does with a store as a whole.
@Suite struct StoreMaintenanceTests {
  @Test func `a keyring can be rotated with only the tool`() throws {
    try withStore { store in
      let factor = try store.enroll()
      _ = try store.enroll("bob")
      func keys() throws -> [String] { try otp("keyring list \(store.keyring)").lines.filter { $0.hasPrefix("key=") } }
      let old = try #require(try keys().first?.split(separator: " ").first?.dropFirst(4))
      let added = try #require(otp("keyring add \(store.keyring)").lines.first?.split(separator: "=").last)
      #expect(try store.otp("store", "reseal").output == "resealed documents=0 unreadable=0\n")
      #expect(try otp("keyring activate \(store.keyring) \(added)").status == 0)
      #expect(try store.otp("store", "reseal").output == "resealed documents=3 unreadable=0\n")
      #expect(try store.otp("store", "reseal", "--json").json["documents"] as? Int == 0)
      #expect(try otp("keyring remove \(store.keyring) \(old)").status == 0)
      #expect(try store.otp("authenticate", "alice", factor.code(after: 1)).status == 0)
    }
  }

  @Test func `after a restore, earlier steps are spent`() throws {
    try withStore { store in
      let factor = try store.enroll()
      try store.finish()
      _ = try sh("cp -p factors.sqlite f", in: store.folder)
      let code = try factor.code(after: 1)
      #expect(try store.otp("authenticate", "alice", code).status == 0)
      _ = try sh("rm factors.sqlite*; mv f factors.sqlite", in: store.folder)
      #expect(try store.otp("store", "spend", "--until", "1700000000000").failed(64))
      #expect(try store.otp("store", "spend").output == "spent accounts=1\n")
      let again = try store.otp("authenticate", "alice", code)
      #expect(again.status == 1 && again.output.hasPrefix("spent until=20"))
      // One word for it everywhere, whatever was typed.
      let until = again.output.dropFirst(6).dropLast()
      let uid = factor.uid
      for code in [code, try factor.wrongCode()] {
        #expect(try store.otp("explain", "alice", code).output.hasPrefix("spent factor=\(uid) type=totp \(until)\n"))
      }
      let factors = try store.otp("factors", "alice").output
      #expect(factors.contains(" state=spent ") && factors.contains(" failures=0 ") && factors.contains(" \(until) "))
      #expect(try store.otp("accounts").output.hasSuffix(" state=spent \(until)\n"))
      for options in [[], [uid]] {
        let unlocked = try Tool.run(["unlock", "alice"] + options + ["--store", store.database])
        #expect(unlocked.status == 0 && unlocked.output == "spent factor=\(uid) \(until)\n")
      }
    }
  }

  @Test func `revoking handles keeps the factors`() throws {
    try withStore { store in
      let factor = try store.enroll()
      #expect(try store.otp("revoke", "alice").output == "revoked\n")
      #expect(try store.otp("revoke", "alice", "--json").output == "{\"result\":\"revoked\"}\n")
      #expect(try store.otp("authenticate", "alice", factor.code(after: 1)).status == 0)
    }
  }

  @Test func `each account is printed on one line`() throws {
    try withStore { store in
      #expect(
        try store.otp("accounts").output.isEmpty && store.otp("accounts", "--json").output == "{\"accounts\":[]}\n")
      _ = try store.enroll("b c")
      _ = try store.enroll("a")
      let lines = try store.otp("accounts").lines
      #expect(lines.map { $0.split(separator: " ")[0] } == ["account=a", "account=b\\u{20}c"])
      let list = try #require(store.otp("accounts", "--json").json["accounts"] as? [NSDictionary])
      #expect(list.map { $0["account"] as? String } == ["a", "b c"] && list[0]["factors"] as? Int == 1)
    }
  }
}
