import Foundation
import MultiFactorSQLite
import Testing

/// A store and its keyring belong together. Which pairs are refused, and how, is in ``StartUpErrorTests``.
@Suite struct StorePairTests {
  /// A command that prints a keyring as the library creates it, not yet bound to a store.
  private static func unbound(_ keyring: String) -> String {
    #"f() { sed '$d; s/"store":"[0-9a-f]*",//' '\#(keyring)'; }; { f; printf '"sha256":"%.64s"}\n' "$(f | sha256sum)"; }"#
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
}
