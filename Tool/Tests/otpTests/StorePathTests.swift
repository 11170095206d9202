import Foundation
import Testing

/// Where `--store` leads.
@Suite struct StorePathTests {
  /// Things that are not stores, created in a store's folder.
  static let scene = """
    mkdir e n folder; mkfifo p pipe; ln -s nowhere dangling; ln -s loop loop; ln -s folder link
    echo 'not a database' > text
    """

  static let paths = [
    "e", ".", "n/", "./e", "..", "folder", "folder/", "folder/.", "link", "link/", "/", "//", "p", "pipe", "pipe/",
    "dangling", "dangling/", "loop", "/dev/null", "/dev/zero", "/dev/tty", "text", "text/", "text/x", "factors.sqlite/",
    "nowhere/", "nowhere/x", "d/", ":memory:", "keyring.json", String(repeating: "x", count: 250),
    String(repeating: "x", count: 300), String(repeating: "x/", count: 2000),
  ]

  @Test func `a path that is not a store is bad data, and nothing is created`() throws {
    try withStore { store in
      _ = try store.enroll()
      _ = try sh(StorePathTests.scene, in: store.folder)
      let files = try sh("ls -AlR", in: store.folder).output
      for path in StorePathTests.paths {
        let run = try Tool.run(["factors", "alice", "--store", path], in: store.folder)
        #expect(run.failed(65), "\(path.prefix(20)): \(run.status) \(run.error)")
      }
      #expect(try sh("ls -AlR", in: store.folder).output == files)
    }
  }

  /// Foundation's function for a path's folder traps on a path of one letter; to SQLite, `file:` starts a URI.
  @Test(arguments: [
    "s", "-", "./s", "file:s", "file:s?mode=memory", "file::memory:", "a%20b", "n\u{301}", "folder//s", "link/s",
    "folder/../s", "folder/\u{301}",
  ])
  func `a file has exactly the given name`(name: String) throws {
    try withStore { store in
      _ = try sh("mkdir folder; ln -s folder link", in: store.folder)
      let option = "--store=\(name)"
      _ = try sh("rm factors.sqlite* keyring.json*", in: store.folder)
      #expect(try Tool.run(["store", "create", option], in: store.folder).status == 0)
      let factor = try store.complete(Tool.start(["enroll", "alice", option], in: store.folder))
      #expect(try Tool.run(["factors", "alice", option], in: store.folder).output.hasPrefix("uid=\(factor.uid) "))
      let code = try factor.code(after: 1)
      #expect(try Tool.run(["authenticate", "alice", option, "--", code], in: store.folder).status == 0)
      let run = try sh("stat -c '%a %s' \"$name\"", in: store.folder, environment: ["name": "./\(name)"])
      #expect(run.output.hasPrefix("600 ") && run.output != "600 0\n")
    }
  }
}
