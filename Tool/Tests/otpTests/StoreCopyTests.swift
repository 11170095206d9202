import Foundation
import Testing

/// `otp store copy` and `otp store check`, from one file to another.
@Suite struct StoreCopyTests {
  /// Provides a store with factors of two accounts, and a folder for its copy.
  private func withTwoStores(_ body: (Store, Store, Store.Factor) throws -> Void) throws {
    try withStore { store in
      let factor = try store.enroll()
      _ = try store.enroll("bob", "--type", "hotp")
      try withStore(isCreated: false) { copy in try body(store, copy, factor) }
    }
  }

  private func copy(_ store: Store, to copy: Store, _ options: String...) throws -> Run {
    try Tool.run(["store", "copy", store.database, copy.database] + options)
  }

  @Test func `a copy replaces its store, with its keyring`() throws {
    try withTwoStores { store, other, factor in
      let run = try copy(store, to: other)
      #expect(run.status == 0 && run.output == "copied documents=2\n" && run.error.isEmpty)
      #expect(try sh("cmp '\(store.keyring)' keyring.json && stat -c %a *", in: other.folder).output == "600\n600\n")
      #expect(try other.otp("factors", "bob").lines.count == 1)
      #expect(try other.otp("authenticate", "alice", factor.code(after: 1)).status == 0)
    }
  }

  @Test func `--json prints the results of copy and check`() throws {
    try withTwoStores { store, other, _ in
      let copied: NSDictionary = ["result": "copied", "documents": 2]
      var run = try copy(store, to: other, "--json")
      #expect(run.json == copied)
      let checked: NSDictionary = ["users": 2, "documents": 2, "unreadable": [String]()]
      run = try other.otp("store", "check", "--json")
      #expect(run.json == checked)
    }
  }

  @Test func `a copy with the same keyring leaves it where it is`() throws {
    try withTwoStores { store, other, factor in
      let keyring = ["--keyring", store.folder + "/k"]
      _ = try sh("mv keyring.json k", in: store.folder)
      #expect(try Tool.run(["store", "copy", store.database, other.database] + keyring).status == 0)
      #expect(try sh("ls", in: other.folder).output == "factors.sqlite\n")
      #expect(try other.otp("factors", "alice").failed(65))
      let code = try factor.code(after: 1)
      #expect(try Tool.run(["authenticate", "alice", code, "--store", other.database] + keyring).status == 0)
    }
  }

  @Test func `a copy to a store that is not empty is refused, and leaves no keyring there`() async throws {
    try withTwoStores { store, other, _ in
      _ = try other.enroll("carol")
      try other.finish()
      let before = try sh("cksum *", in: other.folder).output
      var run = try copy(store, to: other)
      #expect(run.failed(65) && run.error.contains("keyring"))
      #expect(try sh("cksum *", in: other.folder).output == before)
      _ = try sh("rm keyring.json*", in: other.folder)
      run = try copy(store, to: other)
      #expect(run.failed(65) && run.error.contains("not empty"))
      #expect(try sh("ls", in: other.folder).output == "factors.sqlite\n")
      run = try copy(store, to: store)
      #expect(run.failed(65) && run.error.contains("not empty"))
      #expect(try store.otp("store", "check").lines == ["users=2 documents=2 unreadable=0"])
    }
  }

  @Test func `a check lists the documents that do not open, one per line, and exits 1`() throws {
    try withStore { store in
      _ = try store.enroll()
      _ = try store.enroll("bob")
      try store.change(
        "UPDATE documents SET key = CAST('user/bob' || char(10) || 'users=7' AS BLOB) WHERE key = CAST('user/bob' AS BLOB)"
      )
      // Bytes that are no text are shown as they are.
      try store.change("UPDATE documents SET key = X'75FF' WHERE key = CAST('user/alice' AS BLOB)")
      let run = try store.otp("store", "check")
      let keys = [#"user/bob\u{a}users=7"#, #"\x{75}\x{ff}"#]
      #expect(run.status == 1 && run.error.isEmpty)
      #expect(run.lines == ["users=0 documents=2 unreadable=2"] + keys.map { "unreadable key=\($0)" })
      #expect(try store.otp("store", "check", "--json").json["unreadable"] as? [String] == keys)
    }
  }

  @Test func `progress is shown only on a terminal`() throws {
    try withTwoStores { store, other, _ in
      let script = #"script -qec "$tool store copy '$from' factors.sqlite" /dev/null"#
      let run = try sh(script, in: other.folder, environment: ["from": store.database])
      #expect(run.status == 0 && run.output.contains("\r2 documents copied\r2 documents compared\r\n"))
      #expect(run.output.hasSuffix("copied documents=2\r\n"))
    }
  }

  @Test(arguments: ["store", "store copy", "store copy a", "store copy a b c", "store copy --store a b", "store x"])
  func `invalid arguments are usage errors`(line: String) throws {
    #expect(try otp(line).failed(64))
  }
}
