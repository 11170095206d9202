import Foundation
import Testing

@testable import OTPTool

/// `--store postgresql://…`, on the server started by Scripts/postgresql.sh.
@Suite struct StoreServerTests {
  private func enroll(_ url: String, _ environment: [String: String]) throws -> Store.Factor {
    _ = try Tool.run(["store", "create", "--store", url], environment: environment)
    let tool = try Tool.start(["enroll", "alice", "--store", url], environment: environment)
    return try Store(folder: "").complete(tool)
  }

  @Test(arguments: ["postgresql://", "postgres://"])
  func `every command works with a database, whose keyring is in the user's folder`(scheme: String) throws {
    try withDatabase { url, folder, environment in
      let url = url.replacing("postgresql://", with: scheme)
      for command in Store.commands where command[0] != "enroll" {
        let run = try Tool.run(command + ["--store", url], input: "1\n", environment: environment)
        #expect(run.failed(65) && run.error.contains("does not exist"), "\(command): \(run.error)")
      }
      #expect(try sh("ls", in: folder).output.isEmpty)
      let factor = try enroll(url, environment)
      let made = try sh("stat -c '%a %n' otp otp/*", in: folder).output
      #expect(made == "700 otp\n600 otp/keyring.json\n600 otp/keyring.json.lock\n")
      func run(_ arguments: String...) throws -> Run {
        try Tool.run(arguments + ["--store", url], environment: environment)
      }
      let code = try factor.code(after: 1)
      #expect(try run("authenticate", "alice", code).status == 0)
      #expect(try run("authenticate", "alice", code).output == "rejected\n")
      #expect(try run("factors", "alice").output.hasPrefix("uid=\(factor.uid) "))
      let checked: NSDictionary = ["users": 1, "documents": 1, "unreadable": [String]()]
      let check = try run("store", "check", "--json")
      #expect(check.json == checked)
      #expect(try run("unenroll", "alice", factor.uid).status == 0)
    }
  }

  private static let page = URL(fileURLWithPath: #filePath).appendingPathComponent(
    "../../../../Sources/Accounts/MultiFactor/MultiFactor.docc/SeveralMachines.md"
  ).standardizedFileURL.path

  /// Grants what *Several machines* says to another role, and compares what both may do.
  private static let rights = """
    sed -n 's/^\\(GRANT .* TO \\)otp_service;/\\1pg_signal_backend;/p' "$PAGE" | psql -qv ON_ERROR_STOP=1 "$URL" &&
    psql -At "$URL" -c "SELECT count(DISTINCT rights), count(*) FROM (
      SELECT grantee, string_agg(one, ' ' ORDER BY one) rights FROM (
        SELECT grantee, concat(table_name, column_name, privilege_type) one FROM information_schema.column_privileges
        UNION ALL SELECT grantee, concat(table_name, privilege_type) FROM information_schema.table_privileges) each
      WHERE grantee IN ('pg_checkpoint', 'pg_signal_backend') GROUP BY 1) roles"
    """

  @Test func `a store can be copied to a database and back, without a change`() throws {
    try withDatabase { url, folder, environment in
      try withStore { store in
        let factor = try store.enroll()
        _ = try store.enroll("bob")
        func run(_ arguments: String...) throws -> Run { try Tool.run(arguments, environment: environment) }
        let copied = try run("store", "copy", store.database, url, "--grant-to", "pg_checkpoint")
        #expect(copied.output == "copied documents=2\n")
        #expect(try sh(Self.rights, in: folder, environment: ["URL": url, "PAGE": Self.page]).output == "1|2\n")
        #expect(try sh("cmp otp/keyring.json '\(store.keyring)'", in: folder).status == 0)
        let code = try factor.code(after: 1)
        #expect(try run("authenticate", "alice", code, "--store", url).status == 0)
        #expect(try run("store", "copy", store.database, url).failed(65))
        _ = try sh("mkdir back", in: folder)
        let back = folder + "/back/factors.sqlite"
        #expect(try run("store", "copy", url, back).output == "copied documents=2\n")
        #expect(try run("authenticate", "alice", code, "--store", back).output == "rejected\n")
        #expect(try run("store", "check", "--store", back).output == "users=2 documents=2 unreadable=0\n")
      }
    }
  }

  @Test func `no error repeats a URL or its password`() throws {
    try withDatabase { url, _, environment in
      _ = try enroll(url, environment)
      let words = ["hunter2", "somebody", "nowhere"]
      for (url, status) in [
        ("postgresql://somebody:hunter2@/nowhere?host=\(environment["XDG_DATA_HOME"] ?? "")", Int32(70)),
        ("postgresql://somebody:hunter2@/nowhere?sslmode=hunter2", 64),
        ("postgres://somebody:hunter2@/x?hunter2=1", 64),
        (url.replacing("otp@", with: "somebody:hunter2@"), 65),
        (url.replacing("otp@/", with: "otp:hunter2@/nowhere"), 65),
      ] {
        for command in [["factors", "alice", "--store"], ["store", "check", "--store"], ["store", "copy", "x"]] {
          let run = try Tool.run(command + [url], environment: environment)
          #expect(run.failed(command[1] == "copy" ? 65 : status), "\(url) \(command): \(run.error)")
          for word in words { #expect(!run.error.contains(word)) }
        }
      }
    }
  }

  @Test(arguments: [
    ("postgresql://otp:hunter2@db/login", false), ("postgresql://otp:hun/ter2@db/login", false),
    ("postgresql://otp:hun@ter2@db/login", false), ("postgresql://otp:hun@ter2@\u{301}db/login", false),
    ("postgresql://otp@db/login?password=hunter2", false), ("postgresql://otp@db/login?pass%77ord=hunter2", false),
    ("postgresql://otp@db/login?password=\u{301}hunter2", false),
    ("postgresql://otp@db:5432/login", true), ("postgresql://db:5432/login", true), ("/srv/a:b@c", true),
  ])
  func `a command that is suggested repeats a URL only without a password`(store: String, isShown: Bool) throws {
    let commands = try AccountCommands(account: "alice", store: StoreOptions.parse(["--store", store]))
    #expect(commands.command("unlock") == "otp unlock alice --store \(isShown ? store : "URL")")
  }
}
