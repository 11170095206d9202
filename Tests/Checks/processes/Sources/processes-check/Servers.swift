import Foundation

/// The servers that Scripts/postgresql.sh has started, and ways to disturb them. Number 0 is the primary when they
/// start, and the others are its standbys.
struct Servers {
  private let folder: String
  private let parent: Int32

  init?() {
    let environment = ProcessInfo.processInfo.environment
    guard let folder = environment["OTP_POSTGRESQL_FOLDER"],
      let parent = environment["OTP_POSTGRESQL_PARENT"].flatMap({ Int32($0) })
    else { return nil }
    (self.folder, self.parent) = (folder, parent)
  }

  /// The folder of a server's socket and data.
  func folder(of number: Int) -> String { number == 0 ? folder : "\(folder)/standby\(number)" }

  /// The URL of some servers.
  func url(_ numbers: Int...) -> String {
    "host=\(numbers.map(folder(of:)).joined(separator: ",")) user=otp dbname=postgres"
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
    try send(SIGKILL, to: 0)
    try await start(0)
  }

  /// Starts a server that has ended, and all others that have.
  func start(_ number: Int) async throws {
    // Retried until its remaining processes have ended, since they hold the shared memory until then.
    while (try? ask("SELECT pg_is_in_recovery()", of: url(number))) != "f" {
      kill(parent, SIGUSR1)
      try await Task.sleep(for: .milliseconds(300))
    }
  }

  /// Kills the primary, and promotes the standby.
  func failOver() throws {
    try send(SIGKILL, to: 0)
    try promote(1)
  }

  func promote(_ number: Int) throws { try ask("SELECT pg_promote()", of: url(number)) }

  /// Has commits wait for no standby.
  func uncover() async throws {
    try ask("ALTER SYSTEM SET synchronous_standby_names = ''")
    try ask("SELECT pg_reload_conf()")
    while try ask("SHOW synchronous_standby_names") != "" { try await Task.sleep(for: .milliseconds(10)) }
  }

  /// Waits until this many standbys have caught up.
  func catchUp(_ count: Int) async throws {
    let equal = "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn >= pg_current_wal_lsn()"
    while try ask(equal) != "\(count)" { try await Task.sleep(for: .milliseconds(10)) }
  }

  /// Waits until the standby has caught up, then stops replication.
  func cutStandby() async throws {
    try await catchUp(1)
    try ask("ALTER SYSTEM SET primary_conninfo = ''", of: url(1))
    try ask("SELECT pg_reload_conf()", of: url(1))
    while try ask("SELECT count(*) FROM pg_stat_replication") != "0" { try await Task.sleep(for: .milliseconds(10)) }
  }

  /// Makes a base backup of the first server.
  func backUp() throws {
    try run("pg_basebackup", ["--dbname=\(url(0))", "--pgdata=\(folder)/backup", "--checkpoint=fast", "--no-sync"])
  }

  /// Restores the base backup, in place of the first server's data: a recovery that ends in a promotion.
  func restore() async throws {
    try await stop(0)
    let steps = """
      cd "$0" && rm -r data && cp -a backup data && touch data/recovery.signal &&
        echo "restore_command = 'false'" >> data/postgresql.auto.conf && chown -R --reference=. data
      """
    try run("sh", ["-c", steps, folder])
    try await start(0)
  }

  /// Stops a server at once, as by a crash, and waits until its processes have ended.
  func stop(_ number: Int) async throws {
    try send(SIGQUIT, to: number)
    while FileManager.default.fileExists(atPath: folder(of: number) + "/data/postmaster.pid") {
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Sends a signal to a server's first process.
  private func send(_ signal: Int32, to number: Int) throws {
    let lines = try String(contentsOfFile: folder(of: number) + "/data/postmaster.pid", encoding: .utf8)
    guard let pid = lines.split(separator: "\n").first.flatMap({ Int32($0) }) else {
      throw Wrong(description: "no postmaster")
    }
    kill(pid, signal)
  }

  /// Queries a server with psql.
  @discardableResult func ask(_ sql: String, of url: String? = nil) throws -> String {
    try run(
      "psql", ["--no-psqlrc", "--tuples-only", "--no-align", "--dbname", url ?? self.url(0), "--command", sql])
  }

  /// - Returns: What the program prints.
  @discardableResult private func run(_ program: String, _ arguments: [String]) throws -> String {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/\(program)")
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Wrong(description: "\(program): \(arguments.last ?? "")") }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
