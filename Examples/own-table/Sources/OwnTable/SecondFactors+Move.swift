import MultiFactor
import OTP

extension SecondFactors {
  /// Moves a user's second factor, if it is still here. Call it before `MultiFactorAuth.signIn`, at each sign-in.
  func move(_ userID: Int64, to auth: MultiFactorAuth) async throws {
    try await database.query(
      "UPDATE second_factor SET state = 'moving' WHERE user_id = $1 AND state = 'active'", userID)
    let rows = try await database.query(
      "SELECT sealed_secret, last_step FROM second_factor WHERE user_id = $1 AND state = 'moving'", userID)
    guard let row = rows.first else { return }
    let factor = try FactorImport.totp(
      secret: unsealSecret(row.bytes(0), for: userID), lastAcceptedStep: step(row.int64(1)), uid: "app")
    do {
      try await auth.admin.importFactor(factor, for: String(userID))
    } catch let error as AuthError where error.code == .secondFactorAlreadyEnrolled {
      // An interrupted move had already imported it.
    }
    try await database.query("UPDATE second_factor SET state = 'moved' WHERE user_id = $1", userID)
  }
}
