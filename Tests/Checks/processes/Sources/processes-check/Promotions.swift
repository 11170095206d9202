import Foundation
import MultiFactor
import MultiFactorPostgreSQL

/// Several servers that were promoted from one, and take writes at once: an old primary that was not stopped, and
/// timelines of one number.
struct Promotions {
  /// In the year 2065: no loss of today spends codes of these steps, so each is accepted again by a server that lacks
  /// the sign-in.
  private static let firstStep: Int64 = 100_000_000

  private let servers: Servers
  private let folder: Folder
  private let keyring: Keyring
  private let users = (0..<64).map { "u\($0)" }

  init(_ servers: Servers) throws {
    (self.servers, folder) = (servers, try Folder())
    keyring = try Keyring.create(file: folder.path + "/keyring.json")
  }

  func check() async throws -> String {
    try await servers.uncover()
    let server = try await Server(openStore(at: servers.url(0), in: folder.path, isNew: true), keyring) {
      Int64(Date.now.timeIntervalSince1970)
    }
    for user in users + ["pooled", "restored"] { try await server.prepare(user) }
    try servers.backUp()
    // The new primary first, and the old one.
    let (one, other) = try await (store("one", servers.url(2, 1, 0)), store("other", servers.url(0, 1, 2)))
    try await require(accepted(0, by: one) == users.count, "a sign-in failed")
    try await servers.catchUp(2)

    // The old primary is not stopped, and connections to it stay open.
    try servers.promote(1)
    try close(1, of: "one", on: 0)
    while one.lossDate == nil { _ = try await accepted(0, by: one) }
    for step in Int64(1)...3 { try await checkOnce(step, by: one, "an open connection to an old primary was used") }

    try await require(accepted(4, by: other) == users.count, "a sign-in on the old primary failed")
    try await servers.stop(0)
    try await require(accepted(5, by: other) == users.count, "a sign-in after a promotion failed")
    try await servers.start(0)
    try close(8, of: "other", on: 1)
    try await checkOnce(5, by: other, isFirst: false, "an old primary was used again")

    try await checkPooler("pooled", from: 1, to: 2) {
      try await servers.stop(1)
      try servers.promote(2)
    }
    try await require(accepted(6, by: other) == users.count, "a sign-in after the second promotion failed")
    try await servers.start(1)
    try close(8, of: "other", on: 2)
    try await checkOnce(6, by: other, isFirst: false, "an old primary with the same timeline was used again")

    // It still has connections of the pooler's.
    try await servers.stop(2)
    try await servers.restore()
    try await checkPooler("restored", from: 0, to: 0) { try await servers.restore() }
    return "no code was accepted twice by a process whose old primaries came back, nor behind a pooler after two "
      + "promotions of one number, or two restorations of one backup"
  }

  /// The store of a process.
  private func store(_ name: String, _ url: String) async throws -> PostgreSQLFactorStore {
    try await openStore(at: "\(url) application_name=\(name)", in: folder.path, isNew: false, connections: 8)
  }

  /// Submits all users' codes of a step at once.
  ///
  /// - Returns: How many are accepted.
  private func accepted(_ step: Int64, by store: PostgreSQLFactorStore) async throws -> Int {
    let step = Self.firstStep + step
    let server = try await Server(store, keyring) { step * 30 }
    return try await withThrowingTaskGroup(of: AuthError.Code?.self) { group in
      for user in users { group.addTask { try await server.signInOrFail(user, Server.code(at: step)) } }
      return try await group.reduce(0) { $0 + ($1 == nil ? 1 : 0) }
    }
  }

  /// Submits all users' codes of a step, and submits them again.
  ///
  /// - Parameter isFirst: Whether none of them was accepted before.
  private func checkOnce(
    _ step: Int64, by store: PostgreSQLFactorStore, isFirst: Bool = true, _ fault: String
  ) async throws {
    if isFirst { try await require(accepted(step, by: store) == users.count, "a sign-in failed") }
    let doubled = try await accepted(step, by: store)
    try require(doubled == 0, "\(fault): \(doubled) codes were accepted for the second time")
  }

  /// Closes some connections of a process.
  private func close(_ count: Int, of name: String, on number: Int) throws {
    let connections = "pg_stat_activity WHERE application_name = '\(name)'"
    try servers.ask(
      "SELECT pg_terminate_backend(pid, 60000) FROM \(connections) LIMIT \(count)", of: servers.url(number))
  }

  /// Signs a user in through PgBouncer, moves that to another server, where another process is first to notice the loss,
  /// and submits the code again.
  private func checkPooler(
    _ user: String, from old: Int, to new: Int, exchange: () async throws -> Void
  ) async throws {
    let environment = ProcessInfo.processInfo.environment
    guard let url = environment["OTP_POSTGRESQL"], let link = environment["OTP_POSTGRESQL_POOLED"] else {
      throw Wrong(description: "no pooler")
    }
    func use(_ number: Int) async throws {
      try await require(store("first", servers.url(number)).keys(after: nil, limit: 1).count == 1, "an empty store")
      try FileManager.default.removeItem(atPath: link)
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: servers.folder(of: number))
    }
    try await use(old)
    // So that the code is not spent with the first loss.
    try servers.ask(
      "UPDATE \(schema(for: folder.path)).format SET lost = lost - interval '1 hour'", of: servers.url(old))
    let now = Int64(Date.now.timeIntervalSince1970)
    let code = try Server.code(at: now / 30)
    let pooled = try await openStore(at: url, in: folder.path, isNew: false, connections: 1, isPooled: true)
    let server = try await Server(pooled, keyring) { now }
    let first = try await server.signIn(user, code)
    try require(first == nil, "\(user): a sign-in failed with \(String(describing: first))")
    try await exchange()
    try await use(new)
    let again = try await server.signIn(user, code)
    try require(again == .tooManyRequests, "\(user): a spent code gave \(String(describing: again))")
  }
}
