import OTP

extension SecondFactors {
  /// Whether the code lets the user in. The limiter has counted this attempt; if the result is true, clear its count.
  func signInWithLimiter(_ userID: Int64, code: String, at now: Int64) async throws -> Bool {
    let active = try await database.query(
      "SELECT sealed_secret, last_step FROM second_factor WHERE user_id = $1 AND state = 'active'", userID)
    guard let row = active.first else { return false }
    let sealed = try row.bytes(0)
    let lastStep = try step(row.int64(1))

    guard case .accepted(let step, _) = try verify(code, sealed, of: userID, at: now, after: lastStep) else {
      return false
    }
    let taken = try await database.query(
      """
      UPDATE second_factor SET last_step = $3
      WHERE user_id = $1 AND state = 'active' AND sealed_secret = $2
        AND (last_step IS NULL OR last_step < $3)
      RETURNING user_id
      """, userID, sealed, try column(step))
    return taken.count == 1
  }
}
