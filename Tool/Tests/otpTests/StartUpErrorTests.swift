import Foundation
import MultiFactorSQLite
import Testing

/// Each error of *Operating*'s list of what keeps a server from starting is what the tool prints, and none is missing.
@Suite struct StartUpErrorTests {
  /// The errors in the list, with its paths.
  private static func documented() throws -> [String] {
    let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardizedFileURL
    let page = root.appendingPathComponent("Sources/Accounts/MultiFactor/MultiFactor.docc/Operating.md")
    return try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("- `otp: ") }.map { String($0.dropFirst(3).prefix { $0 != "`" }) }
  }

  /// What is done to a store that works, as a script in its folder: `$other` is the folder of another one.
  private static let files: [(script: String, error: String)] = [
    ("rm -f factors.sqlite* keyring.json", "does not exist"), ("rm -f factors.sqlite*", "is missing, but"),
    ("rm -f keyring.json", "is missing, and only"),
    ("rm -f factors.sqlite*; cp $other/empty factors.sqlite", "belongs to one that"),
    (
      "rm -f factors.sqlite* keyring.json; cp $other/empty factors.sqlite; otp keyring new keyring.json",
      "has no store yet"
    ),
    ("cp $other/keyring.json .", "do not belong together"),
    ("rm -f factors.sqlite*; cp $other/copy factors.sqlite", "incomplete copy"),
    ("sed -i 's/\"sha256\":\"./\"sha256\":\"x/' keyring.json", "is damaged"),
    ("echo x > keyring.json", "is not a keyring"),
    ("rm keyring.json; mkdir keyring.json", "cannot be read: it is"), ("chmod 644 keyring.json", "chmod 600"),
    ("ln factors.sqlite second", "several names"),
    ("rm -f factors.sqlite*; echo text > factors.sqlite", "is something else"),
    ("printf mfa1 | dd of=factors.sqlite bs=1 seek=68 conv=notrunc", "before the first release"),
    ("printf '\\377' | dd of=factors.sqlite bs=1 seek=63 conv=notrunc", "by a newer version"),
    ("head -c 20000 /dev/zero | dd of=factors.sqlite bs=4096 seek=1 conv=notrunc", "sqlite is damaged"),
    ("rm -f factors.sqlite*; mkdir factors.sqlite", "not a regular file"),
    ("rm -f factors.sqlite*; ln -s nowhere factors.sqlite", "dangling symbolic link"),
  ]

  private static let servers = [
    "the database does not exist", "the database is missing", "URL is invalid", "does not respond", "certificate",
    "refuses the role", "lacks a right", "read-only", "acknowledges changes",
  ]

  @Test func `every documented error at start-up is tested`() throws {
    let known = Self.files.map(\.error) + Self.servers
    for error in try Self.documented() { #expect(known.contains { error.contains($0) }, "\(error)") }
    #expect(try Self.documented().count == known.count)
  }

  /// Expects the documented error of a run, once its paths are those of the page.
  private func expect(_ error: String, _ run: Run, in folder: String) throws {
    let printed = run.error.replacing(folder, with: "/srv/otp").trimmingCharacters(in: .newlines)
    #expect(run.status == 65 || run.status == 70 || run.status == 64, "\(error)")
    #expect(try printed.contains(error) && Self.documented().contains(printed), "\(error): \(run.error)")
  }

  @Test func `the documented errors of store files occur`() throws {
    for (script, error) in Self.files {
      try withStore { other in
        _ = try SQLiteFactorStore.create(path: other.folder + "/empty")
        try other.finish()
        _ = try sh("cp factors.sqlite copy", in: other.folder)
        // A copy's reservation in the mark's place.
        try other.change("UPDATE documents SET document = x'00' WHERE key = CAST('store' AS BLOB)", in: "copy")
        try withStore { store in
          _ = try store.enroll()
          try store.finish()
          _ = try sh(script, in: store.folder, environment: ["other": other.folder])
          try expect(error, store.otp("accounts"), in: store.folder)
        }
      }
    }
  }

  @Test func `the documented errors of a database occur`() throws {
    try withDatabase { url, folder, _ in
      let keyring = folder + "/keyring.json"
      let name = String(url.dropFirst("postgresql://otp@/".count).prefix { $0 != "?" })
      func psql(_ statement: String, on database: String = "postgres") throws {
        let target = url.replacing("/\(name)?", with: "/\(database)?")
        #expect(try sh("psql '\(target)' -c '\(statement)'", in: folder).status == 0)
      }
      try psql("CREATE ROLE role\(name) LOGIN")
      defer { try? psql("DROP ROLE role\(name)") }
      func accounts(_ url: String) throws -> Run { try Tool.run(["accounts", "--store", url, "--keyring", keyring]) }
      try expect("does not exist", accounts(url), in: folder)
      #expect(try Tool.run(["store", "create", "--store", url, "--keyring", keyring]).status == 0)
      #expect(try accounts(url).status == 0)
      try expect("lacks a right", accounts(url.replacing("otp@", with: "role\(name)@")), in: folder)
      try expect("refuses the role", accounts(url.replacing("otp@", with: "nobody\(name)@")), in: folder)
      try expect("URL is invalid", accounts("postgresql://otp@/\(name)?nonsense=1"), in: folder)
      try expect("does not respond", accounts("postgresql://otp@/\(name)?host=\(folder)"), in: folder)
      try withPlainServer { port in
        try expect("certificate", accounts("postgresql://otp@127.0.0.1:\(port)/\(name)"), in: folder)
      }
      try psql("ALTER DATABASE \(name) SET default_transaction_read_only = on")
      try expect("read-only", accounts(url), in: folder)
      try psql("ALTER DATABASE \(name) RESET default_transaction_read_only")
      try psql("ALTER DATABASE \(name) SET synchronous_commit = off")
      try expect("acknowledges changes", accounts(url), in: folder)
      try psql("ALTER DATABASE \(name) RESET synchronous_commit")
      try psql("DROP SCHEMA otp CASCADE", on: name)
      try expect("is missing, but", accounts(url), in: folder)
    }
  }

  /// A server that answers libpq's request for TLS with no.
  private func withPlainServer(_ body: (String) throws -> Void) throws {
    let script = """
      import socket
      s = socket.socket()
      s.bind(('127.0.0.1', 0))
      s.listen()
      s.settimeout(20)
      print(s.getsockname()[1], flush=True)
      while True:
        c, _ = s.accept()
        c.recv(8)
        c.send(b'N')
      """
    try withFile(script) { path in
      let server = try Tool.startScript("exec timeout 20 python3 '\(path)' 2> /dev/null", in: "/")
      try body(#require(server.lines(until: "").first))
      server.stop()
    }
  }
}
