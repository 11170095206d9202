import Foundation

/// The servers that Scripts/postgresql.sh has started, and ways to disturb them.
struct Servers {
  let url: String
  private let folder: String
  private let parent: Int32

  init?() {
    let environment = ProcessInfo.processInfo.environment
    guard let url = environment["OTP_POSTGRESQL"], let folder = environment["OTP_POSTGRESQL_FOLDER"],
      let parent = environment["OTP_POSTGRESQL_PARENT"].flatMap({ Int32($0) })
    else { return nil }
    (self.url, self.folder, self.parent) = (url, folder, parent)
  }

  /// The URL of both servers, the primary first.
  var both: String {
    url.replacingOccurrences(of: "host=\(folder)", with: "host=\(folder),\(folder)/standby")
  }

  /// Kills a process that serves a connection; the server then ends all others and recovers.
  func killBackend() async throws {
    let backends = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    guard let pid = try Int32(ask("\(backends) ORDER BY random() LIMIT 1")) else { return }
    kill(pid, SIGKILL)
    // The server goes on until it notices, and accepts no connections until it has recovered.
    while (try? ask("SELECT count(*) FROM pg_stat_activity WHERE pid = \(pid)")) != "0" {
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Kills the whole server, and restarts it.
  func killPostmaster() async throws {
    try killForGood()
    // Retried until its remaining processes have ended, since they hold the shared memory until then.
    while (try? ask("SELECT 1")) == nil {
      kill(parent, SIGUSR1)
      try await Task.sleep(for: .milliseconds(300))
    }
  }

  /// Kills the primary, and promotes the standby.
  func failOver() throws {
    try killForGood()
    _ = try ask("SELECT pg_promote()", of: both.replacingOccurrences(of: "host=\(folder),", with: "host="))
  }

  /// Waits until the standby has caught up, then stops replication.
  func cutStandby() async throws {
    let standby = both.replacingOccurrences(of: "host=\(folder),", with: "host=")
    let lag = "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn >= pg_current_wal_lsn()"
    while try ask(lag) != "1" { try await Task.sleep(for: .milliseconds(10)) }
    _ = try ask("ALTER SYSTEM SET primary_conninfo = ''", of: standby)
    _ = try ask("SELECT pg_reload_conf()", of: standby)
    while try ask("SELECT count(*) FROM pg_stat_replication") != "0" { try await Task.sleep(for: .milliseconds(10)) }
  }

  private func killForGood() throws {
    let lines = try String(contentsOfFile: folder + "/data/postmaster.pid", encoding: .utf8)
    guard let pid = lines.split(separator: "\n").first.flatMap({ Int32($0) }) else {
      throw Wrong(description: "no postmaster")
    }
    kill(pid, SIGKILL)
  }

  /// Queries a server with psql.
  func ask(_ sql: String, of url: String? = nil) throws -> String {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/psql")
    process.arguments = ["--no-psqlrc", "--tuples-only", "--no-align", "--dbname", url ?? self.url, "--command", sql]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Wrong(description: "psql: \(sql)") }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
