import FactorRecord
import Keyring

/// Users' second factors, each in the column `otp` of its user's row, which is empty without one.
struct Factors {
  let database: any Database
  let keyring: Keyring

  /// Replaces the record that was read with the new one, if it is still there; answers only if that succeeded;
  /// otherwise reads again.
  private func underTheRule<Answer>(
    _ user: Int64, _ answer: (inout FactorRecord) throws -> Answer
  ) throws -> Answer {
    var refused: [[UInt8]] = []
    while true {
      let old = try database.bytes("SELECT otp FROM users WHERE id = $1", user)
      var record = try FactorRecord(sealed: old, by: keyring, for: "user \(user)")
      let found = try answer(&record)
      let new = try record.sealed(by: keyring, for: "user \(user)")
      if try new == old || replace(old, by: new, of: user, &refused) { return found }
    }
  }

  private func replace(
    _ old: [UInt8], by new: [UInt8], of user: Int64, _ refused: inout [[UInt8]]
  ) throws -> Bool {
    let update = "UPDATE users SET otp = $1 WHERE id = $2 AND otp = $3"
    if try database.change(update, new, user, old) == 1 { return true }
    refused = refused.filter { $0 == old } + [old]  // NULL never equals it.
    if refused.count < 16 { return false }
    throw Failure(description: "the column never equals what was read of it")
  }

  /// The key URI of a new factor, for a QR code; `nil` if the user has a factor.
  func enroll(_ user: Int64, at now: Int64) throws -> String? {
    var refused: [[UInt8]] = []
    while true {
      let old = try database.bytes("SELECT otp FROM users WHERE id = $1", user)
      var record = try FactorRecord.totp(at: now)
      if !old.isEmpty {
        var replaced = try FactorRecord(sealed: old, by: keyring, for: "user \(user)")
        do {
          try replaced.replace(with: record)
        } catch {
          if error.kind == .enrolled { return nil }
          throw error
        }
        record = replaced
      }
      if try replace(old, by: record.sealed(by: keyring, for: "user \(user)"), of: user, &refused) {
        return try record.keyURI(issuer: "Example", account: String(user)).uriString()
      }
    }
  }

  /// Confirms the enrollment by a code, which is spent.
  func confirm(_ user: Int64, _ typed: String, at now: Int64) throws -> FactorRecord.Answer {
    try underTheRule(user) { record in try record.confirm(typed, at: now) }
  }

  /// Verifies a code, after the right password. Tell the client whether it was accepted, or until when to wait; log the
  /// reason.
  func signIn(
    _ user: Int64, _ typed: String, at now: Int64
  ) throws -> FactorRecord.Answer {
    try underTheRule(user) { record in try record.verify(typed, at: now) }
  }
}
