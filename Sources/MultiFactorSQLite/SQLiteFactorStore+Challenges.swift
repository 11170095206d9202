#if SQLite
import Foundation
import GRDB
import MultiFactor

extension SQLiteFactorStore {
  /// See `FactorStore.openChallenge(_:under:at:)`.
  public func openChallenge(
    _ challenge: ChallengeRecord, under limits: SendLimits?, at now: Date
  ) async throws -> ChallengeOutcome {
    try await write { db in
      let now = try StoreTime.milliseconds(of: now)
      if let limits {
        let wait = try db.count(challenge, under: limits, at: now)
        if let wait { return .refused(retryAfter: StoreTime.date(wait)) }
      }
      try db.run(
        "DELETE FROM challenges WHERE expiry <= ?", (now - ChallengeRecord.keptAfterExpiry).databaseValue)
      var challenge = challenge
      challenge.isActive = false
      try db.insert(challenge)
      return .opened
    }
  }

  /// See `FactorStore.activateChallenge(_:of:)`.
  public func activateChallenge(_ id: String, of userID: String) async throws -> Bool {
    try await write { db in
      let user = Column.name(userID)
      let activated = try db.change(
        "UPDATE challenges SET active = 1 WHERE user = ? AND id = ?", user, Column.name(id))
      guard activated == 1 else { return false }
      try db.run(
        """
        DELETE FROM challenges WHERE user = ?1 AND id <> ?2
        AND factor IS (SELECT factor FROM challenges WHERE user = ?1 AND id = ?2)
        """, user, Column.name(id))
      return true
    }
  }
}

extension Database {
  /// Counts a challenge's message, unless a limit is reached.
  ///
  /// - Returns: `nil` if it is counted; else from when on no limit is reached, in milliseconds.
  fileprivate func count(_ challenge: ChallengeRecord, under limits: SendLimits, at now: Int64) throws -> Int64? {
    let user = Column.name(challenge.userID)
    let number = Column.bytes(challenge.numberKey)
    // After the clock was set back: a message from the future would hold for longer than its interval.
    try run("UPDATE messages SET time = ? WHERE time > ?", now.databaseValue, now.databaseValue)

    let waits = try [
      wait(for: limits.perNumber, at: now, where: "number_key = ?", number),
      wait(for: limits.perUser, at: now, where: "user = ?", user),
      wait(for: limits.overall, at: now, where: "? IS NULL", .null),
    ]
    if let wait = waits.compactMap({ $0 }).max() { return wait }

    let longest = [limits.perNumber, limits.perUser, limits.overall].map { StoreTime.milliseconds(of: $0.interval) }
      .max()
    if let longest { try run("DELETE FROM messages WHERE time <= ?", (now - longest).databaseValue) }
    try run("INSERT INTO messages (user, number_key, time) VALUES (?, ?, ?)", user, number, now.databaseValue)
    return nil
  }

  /// When a limit ends: where the latest messages up to its count have the oldest one leave the interval.
  fileprivate func wait(
    for limit: SendLimits.Limit, at now: Int64, where condition: String, _ argument: DatabaseValue
  ) throws -> Int64? {
    let interval = StoreTime.milliseconds(of: limit.interval)
    guard
      var columns = try first(
        "SELECT time FROM messages WHERE \(condition) AND time > ? ORDER BY time DESC LIMIT 1 OFFSET ?", argument,
        (now - interval).databaseValue, (limit.count - 1).databaseValue)
    else { return nil }
    return try columns.integer() + interval
  }
}
#endif
