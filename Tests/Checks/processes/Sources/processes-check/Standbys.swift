import Foundation
import MultiFactor

/// Commits that did not wait for their standby.
enum Standbys {
  /// Lets an update wait for a standby that is gone, until an administrator ends the wait: its change is on no standby,
  /// so it must not report success.
  static func checkCancelledWait(_ servers: Servers, url: String) async throws -> String {
    let store = try await openStore(at: url, in: Folder().path, isNew: true)
    guard let key = DocumentKey(bytes: [1]) else { throw Wrong(description: "a key") }
    try await store.update(key) { $0 = [1] }
    try servers.ask("ALTER SYSTEM SET synchronous_standby_names = 'nobody'", of: url)
    try servers.ask("SELECT pg_reload_conf()", of: url)
    // Each connection finds out by itself.
    var waits = false
    while !waits {
      let update = Task { try await store.update(key) { $0 = ($0 ?? []) + [2] } }
      for _ in 0..<20 where !waits {
        try await Task.sleep(for: .milliseconds(10))
        let cancelled = try servers.ask(
          "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'", of: url)
        waits = cancelled != "0"
      }
      if case .success = await update.result, waits {
        throw Wrong(description: "a commit without its standby reported success")
      }
    }
    return "a commit that lost its standby did not report success"
  }

  /// Loses sign-ins in a failover to a standby that lagged, and submits their codes again.
  ///
  /// - Parameter isWarm: Whether commits waited for the standby when the store connected, and an administrator ended
  ///   that later, since the standby was down. A note of it in the store would not be on the standby.
  static func checkLoss(_ servers: Servers, isWarm: Bool) async throws -> String {
    if !isWarm { try await servers.uncover() }
    let folder = try Folder()
    let keyring = try Keyring.create(file: folder.path + "/keyring.json")
    let store = try await openStore(at: servers.url(0, 1), in: folder.path, isNew: true)
    // The clock stands still, so that the code's step stays current.
    let now = Int64(Date.now.timeIntervalSince1970)
    let code = try Server.code(at: now / 30)
    let server = try await Server(store, keyring) { now }
    let users = (0..<64).map { "u\($0)" }
    for user in users { try await server.prepare(user) }
    if isWarm { try await servers.uncover() }
    try await servers.cutStandby()
    for user in users {
      let first = try await server.signIn(user, code)
      try require(first == nil, "a sign-in failed with \(String(describing: first))")
    }
    try servers.failOver()
    let tally = try await server.tally(of: users[0])
    try require(tally == Tally(), "nothing was lost: \(tally)")
    try require(store.lossDate != nil, "the loss was not noticed")
    for user in users {
      let again = try await server.signIn(user, code)
      try require(again == .tooManyRequests, "a spent code gave \(String(describing: again))")
    }
    // On a machine that starts later, some steps on.
    let later = Int64(Date.now.timeIntervalSince1970) + 30
    let other = try await Server(openStore(at: servers.url(0, 1), in: folder.path, isNew: false), keyring) { later }
    let next = try await other.signIn(users[0], Server.code(at: later / 30))
    try require(next == nil, "a later code gave \(String(describing: next))")
    return "\(users.count) codes whose sign-ins were lost in a failover were not accepted again"
      + (isWarm ? ", though commits had waited for the standby before" : "")
  }
}
