import Foundation
import GRDB

/// What this site knows of a browser between two requests. The browser has its name only, in a cookie.
struct WebSession: Sendable, Codable, Equatable {
  /// What forms must have in them: no other site knows it.
  var csrf = Random.token()
  /// Whose password was right; the second factor may be wanting.
  var accountID: String?
  /// `User.token`: the sign-in, once it is complete.
  var handle: String?
  /// `MultiFactorResolver.token`: a sign-in, or a step up, that waits for the second factor.
  var resolver: String?
  /// `TOTPSecret.token`: an app that is being added.
  var secret: String?
  /// Where to go on after a sign-in or a step up.
  var next: String?
  /// What the next page says, by its name among the texts.
  var notice: String?

  /// How long one lasts, in seconds.
  static let lifetime: TimeInterval = 12 * 3600
}

/// Web sessions, under the hashes of their names: whoever reads the file cannot use them.
struct WebSessions: Sendable {
  let database: DatabasePool

  func session(_ name: String) async throws -> WebSession? {
    let row = try await database.read { db in
      try String.fetchOne(
        db, sql: "SELECT content FROM session WHERE name = ? AND expiry > ?", arguments: [digest(of: name), Date()])
    }
    return try row.map { try JSONDecoder().decode(WebSession.self, from: Data($0.utf8)) }
  }

  /// Keeps a new session.
  ///
  /// - Parameter old: The name of the one that it goes on from, which is good for nothing any more.
  /// - Returns: Its name.
  func add(_ session: WebSession, replacing old: String?) async throws -> String {
    let name = Random.token()
    let content = try Self.content(of: session)
    try await database.write { db in
      if let old { try db.execute(sql: "DELETE FROM session WHERE name = ?", arguments: [digest(of: old)]) }
      try db.execute(sql: "DELETE FROM session WHERE expiry <= ?", arguments: [Date()])
      try db.execute(
        sql: "INSERT INTO session (name, accountID, content, expiry) VALUES (?, ?, ?, ?)",
        arguments: [digest(of: name), session.accountID, content, Date(timeIntervalSinceNow: WebSession.lifetime)])
    }
    return name
  }

  /// Changes a session, unless it has been ended meanwhile.
  func update(_ session: WebSession, of name: String) async throws {
    let content = try Self.content(of: session)
    try await database.write { db in
      try db.execute(
        sql: "UPDATE session SET accountID = ?, content = ? WHERE name = ?",
        arguments: [session.accountID, content, digest(of: name)])
    }
  }

  private static func content(of session: WebSession) throws -> String {
    String(decoding: try JSONEncoder().encode(session), as: UTF8.self)
  }

  /// Ends all sessions of a user, in all browsers.
  func endAll(of accountID: String) async throws {
    try await database.write { db in
      try db.execute(sql: "DELETE FROM session WHERE accountID = ?", arguments: [accountID])
    }
  }
}
