#if SQLite
import GRDB
import MultiFactor

extension ChallengeRecord.Purpose {
  /// The factor's name, or nothing for an enrolment.
  var column: DatabaseValue {
    switch self {
    case .enrollment: .null
    case .signIn(let uid): Column.name(uid)
    }
  }
}

extension Database {
  func challenge(_ id: String, of userID: String, for purpose: ChallengeRecord.Purpose) throws -> ChallengeRecord? {
    guard
      var columns = try first(
        """
        SELECT number_key, sealed_number, code_hash, expiry, tries, active FROM challenges
        WHERE user = ? AND id = ? AND factor IS ?
        """, Column.name(userID), Column.name(id), purpose.column)
    else { return nil }
    return try ChallengeRecord(
      id: id, userID: userID, purpose: purpose, numberKey: columns.bytes(), sealedNumber: columns.bytes(),
      codeHash: columns.bytes(), expiry: columns.time(), tries: columns.count(), isActive: columns.flag())
  }

  func insert(_ challenge: ChallengeRecord) throws {
    guard challenge.tries >= 0 else { throw SQLiteFactorStoreError(.failed) }
    try run(
      """
      INSERT OR REPLACE INTO challenges (user, id, factor, number_key, sealed_number, code_hash, expiry, tries, active)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      Column.name(challenge.userID), Column.name(challenge.id), challenge.purpose.column,
      Column.bytes(challenge.numberKey), Column.bytes(challenge.sealedNumber), Column.bytes(challenge.codeHash),
      Column.time(challenge.expiry), challenge.tries.databaseValue, challenge.isActive.databaseValue)
  }

  func setTries(of challenge: ChallengeRecord) throws {
    try run(
      "UPDATE challenges SET tries = ? WHERE user = ? AND id = ?",
      challenge.tries.databaseValue, Column.name(challenge.userID), Column.name(challenge.id))
  }

  func delete(_ challenge: ChallengeRecord) throws {
    try run(
      "DELETE FROM challenges WHERE user = ? AND id = ?", Column.name(challenge.userID), Column.name(challenge.id))
  }
}
#endif
