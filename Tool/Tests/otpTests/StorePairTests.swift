import Foundation
import MultiFactorSQLite
import Testing

/// A store and its keyring belong together: neither is replaced, and neither is accepted with another.
@Suite struct StorePairTests {
  /// Expects that every command refuses the files for a reason, leaves the keyring unchanged, and creates no other
  /// file.
  private func expectRefusal(of store: Store, _ reason: String) throws {
    let files = try sh("ls -A | grep -v sqlite-; cat keyring.json 2> /dev/null | cksum", in: store.folder).output
    for command in Store.commands {
      let run = try Tool.run(command + ["--store", store.database], input: "1\n")
      let error = run.error.replacing(store.folder + "/", with: "")
      #expect(run.failed(65) && error.contains(reason), "\(command): \(run.status) \(error)")
    }
    #expect(try sh("ls -A | grep -v sqlite-; cat keyring.json 2> /dev/null | cksum", in: store.folder).output == files)
  }

  /// Changes the files of a store, and expects that the store works once that is undone.
  private func withEnrolled(_ change: (Store) throws -> Void) throws {
    try withStore { store in
      let factor = try store.enroll()
      try store.finish()
      _ = try sh("cp -p factors.sqlite f; cp -p keyring.json k", in: store.folder)
      try change(store)
      _ = try sh("rm -f factors.sqlite-*; mv f factors.sqlite; mv k keyring.json", in: store.folder)
      #expect(try store.otp("authenticate", "alice", factor.code(after: 1)).status == 0)
    }
  }

  @Test func `a missing store beside its keyring is refused`() throws {
    try withEnrolled { store in
      try FileManager.default.removeItem(atPath: store.database)
      try expectRefusal(of: store, "the store factors.sqlite is missing")
    }
  }

  @Test func `a missing keyring beside its store is refused`() throws {
    try withEnrolled { store in
      try FileManager.default.removeItem(atPath: store.keyring)
      try expectRefusal(of: store, "the keyring keyring.json is missing")
    }
  }

  @Test func `an empty store in place of another is refused`() throws {
    try withEnrolled { store in
      try FileManager.default.removeItem(atPath: store.database)
      _ = try SQLiteFactorStore.create(path: store.database)
      try expectRefusal(of: store, "the store factors.sqlite is empty")
    }
  }

  @Test(arguments: ["factors.sqlite", "keyring.json"])
  func `a store with the keyring of another pair is refused`(name: String) throws {
    try withEnrolled { store in
      try withStore { other in
        _ = try other.enroll()
        try other.finish()
        _ = try sh("cp -p '\(other.folder)/\(name)' .", in: store.folder)
        try expectRefusal(of: store, "do not belong together")
      }
    }
  }

  /// A command that prints a keyring as the library creates it, not yet bound to a store.
  private static func unbound(_ keyring: String) -> String {
    #"f() { sed '$d; s/"store":"[0-9a-f]*",//' '\#(keyring)'; }; { f; printf '"sha256":"%.64s"}\n' "$(f | sha256sum)"; }"#
  }

  @Test func `a new keyring in place of another is refused`() throws {
    try withEnrolled { store in
      try withStore { other in
        _ = try other.enroll()
        _ = try sh(Self.unbound(other.keyring) + " > keyring.json; chmod 600 keyring.json", in: store.folder)
        try expectRefusal(of: store, "do not belong together")
      }
    }
  }

  @Test func `a store from before the first release is refused`() throws {
    try withEnrolled { store in
      // SQLite's application ID.
      let script = "printf mfa1 | dd of=factors.sqlite bs=1 seek=68 conv=notrunc 2> /dev/null"
      _ = try sh(script, in: store.folder)
      try expectRefusal(of: store, "before the first release")
    }
  }

  /// What remains of a run that ended between creating the two files, or before the keyring was bound.
  @Test(arguments: ["a keyring", "a keyring and a store"])
  func `creating a store completes an interrupted creation`(left: String) throws {
    try withStore(isCreated: false) { store in
      try withStore { other in
        _ = try other.enroll()
        _ = try sh(Self.unbound(other.keyring) + " > keyring.json; chmod 600 keyring.json", in: store.folder)
      }
      let isThere = left.hasSuffix("store")
      if isThere { _ = try SQLiteFactorStore.create(path: store.database) }
      let refused = try store.otp("factors", "alice")
      #expect(refused.failed(65) && refused.error.contains("otp store create"), "\(refused.error)")
      #expect(try store.otp("store", "create").status == 0)
      let factor = try store.enroll()
      #expect(try store.otp("authenticate", "alice", factor.code(after: 1)).status == 0)
    }
  }

  @Test func `neither a store nor a keyring is created beside an existing one`() throws {
    try withStore(isCreated: false) { store in
      let command = ["store", "create", "--store", store.database]
      let first = try Tool.run(command)
      #expect(first.status == 0 && first.output == "created store=\(store.database) keyring=\(store.keyring)\n")
      let files = try sh("ls -A; cksum keyring.json", in: store.folder).output
      #expect(try Tool.run(command).failed(65))
      let other = try Tool.run(command + ["--keyring", store.folder + "/other.json"])
      #expect(other.failed(65) && other.error.contains("factors.sqlite already exists"))
      let second = ["store", "create", "--store", store.folder + "/other.sqlite"]
      #expect(try Tool.run(second).error.contains("keyring.json already belongs to a store"))
      #expect(try sh("ls -A; cksum keyring.json", in: store.folder).output == files)
      // A keyring that seals a table of one's own can have a store, too.
      _ = try Tool.run(["keyring", "new", store.folder + "/own.json"])
      #expect(try Tool.run(second + ["--keyring", store.folder + "/own.json"]).status == 0)
    }
  }

  @Test func `concurrent enrollments all use the same store and keyring`() throws {
    try withStore { store in
      let accounts = (0..<8).map { "user\($0)" }
      let tools = try accounts.map { try Tool.start(["enroll", $0, "--store", store.database]) }
      for tool in tools { _ = try store.complete(tool) }
      for account in accounts { #expect(try store.otp("factors", account).lines.count == 1) }
    }
  }
}
