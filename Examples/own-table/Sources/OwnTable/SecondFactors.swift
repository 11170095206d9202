import Keyring
import OTP

/// Second factors in a table of one's own. The article *In your own table* explains it.
struct SecondFactors: Sendable {
  let database: Database
  let keyring: Keyring

  /// Refers to a table `users` with a column `id`, which the server has already.
  static let table = """
    CREATE TABLE second_factor (
      user_id       bigint PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      sealed_secret bytea NOT NULL,
      state         text NOT NULL CHECK (state IN ('pending', 'active', 'moving', 'moved')),
      last_step     bigint CHECK (last_step >= 0),                -- of the code accepted last
      failures      integer NOT NULL DEFAULT 0,                   -- attempts since then
      next_try      timestamptz NOT NULL DEFAULT '-infinity'      -- until then, no code is looked at
    )
    """

  func seal(_ secret: OTPSecret, for userID: Int64) throws -> [UInt8] {
    try keyring.seal(secret, boundTo: ["second factor", String(userID)])
  }

  func unsealSecret(_ sealed: [UInt8], for userID: Int64) throws -> OTPSecret {
    try keyring.openSecret(sealed, boundTo: ["second factor", String(userID)])
  }

  /// Verifies a code with a sealed secret, in a step after the last one.
  func verify(
    _ typed: String, _ sealed: [UInt8], of userID: Int64, at now: Int64, after lastStep: UInt64?
  ) throws -> Verification {
    guard let code = try? SubmittedCode(typed: typed) else { return .rejected }
    let totp = try TOTP(secret: unsealSecret(sealed, for: userID))
    return try totp.verify(code, at: now, window: .adjacent(1), after: lastStep)
  }

  /// Stores a pending secret, and returns the URI to show as a QR code; `nil` if the user has a second factor already.
  func beginEnrollment(of userID: Int64, account: String) async throws -> String? {
    let secret = try OTPSecret.random(for: .sha1)
    let rows = try await database.query(
      """
      INSERT INTO second_factor (user_id, sealed_secret, state) VALUES ($1, $2, 'pending')
      ON CONFLICT (user_id) DO UPDATE SET sealed_secret = excluded.sealed_secret
      WHERE second_factor.state = 'pending'
      RETURNING user_id
      """, userID, try seal(secret, for: userID))
    guard !rows.isEmpty else { return nil }
    return try OTPAuthURI(.totp(), secret: secret, issuer: "Example", account: account).uriString()
  }

  /// Makes the pending secret the user's second factor, if the code is right.
  func confirmEnrollment(of userID: Int64, code: String, at now: Int64) async throws -> Bool {
    let pending = try await database.query(
      "SELECT sealed_secret FROM second_factor WHERE user_id = $1 AND state = 'pending'", userID)
    guard let sealed = try pending.first?.bytes(0) else { return false }
    guard case .accepted(let step, _) = try verify(code, sealed, of: userID, at: now, after: nil) else { return false }
    let confirmed = try await database.query(
      """
      UPDATE second_factor SET state = 'active', last_step = $3
      WHERE user_id = $1 AND state = 'pending' AND sealed_secret = $2
      RETURNING user_id
      """, userID, sealed, try column(step))
    return confirmed.count == 1
  }

  /// Whether the code lets the user in. If not, give the client the same answer whatever the reason.
  func signIn(_ userID: Int64, code: String, at now: Int64) async throws -> Bool {
    let admitted = try await database.query(
      """
      UPDATE second_factor
      SET failures = failures + 1,
        next_try = CASE WHEN failures < 4 THEN next_try
          WHEN failures < 9 THEN now() + interval '15 minutes' ELSE now() + interval '1 hour' END
      WHERE user_id = $1 AND state = 'active' AND failures < 100 AND next_try <= now()
      RETURNING sealed_secret, last_step
      """, userID)
    guard let row = admitted.first else { return false }
    let sealed = try row.bytes(0)
    let lastStep = try step(row.int64(1))

    guard case .accepted(let step, _) = try verify(code, sealed, of: userID, at: now, after: lastStep) else {
      return false
    }
    let taken = try await database.query(
      """
      UPDATE second_factor SET last_step = $3, failures = 0, next_try = '-infinity'
      WHERE user_id = $1 AND state = 'active' AND sealed_secret = $2
        AND (last_step IS NULL OR last_step < $3)
      RETURNING user_id
      """, userID, sealed, try column(step))
    return taken.count == 1
  }

  /// Seals a user's secret with the active key, if an old one sealed it.
  func reseal(_ userID: Int64) async throws {
    let rows = try await database.query("SELECT sealed_secret FROM second_factor WHERE user_id = $1", userID)
    guard let sealed = try rows.first?.bytes(0), !keyring.isSealedByActiveKey(sealed) else { return }
    try await database.query(
      "UPDATE second_factor SET sealed_secret = $3 WHERE user_id = $1 AND sealed_secret = $2",
      userID, sealed, try seal(unsealSecret(sealed, for: userID), for: userID))
  }

  /// Spends all steps up to the newest one in the window, which is one step ahead, and ends pending enrolments.
  ///
  /// - Parameter now: The latest time on any server's clock.
  func spendSteps(at now: Int64) async throws {
    try await database.query(
      "UPDATE second_factor SET last_step = greatest(last_step, $1)", column(TimeStep(period: 30).number(at: now) + 1))
    try await database.query("DELETE FROM second_factor WHERE state = 'pending'")
  }
}

// MARK: Steps and counters as `bigint`, which is signed.

struct OutOfRange: Error {}

func column(_ step: UInt64) throws -> Int64 {
  guard let column = Int64(exactly: step) else { throw OutOfRange() }
  return column
}

func step(_ column: Int64?) throws -> UInt64? {
  guard let column else { return nil }
  guard let step = UInt64(exactly: column) else { throw OutOfRange() }
  return step
}

func column(ofCounter counter: UInt64) -> Int64 { Int64(bitPattern: counter ^ (1 << 63)) }
func counter(ofColumn column: Int64) -> UInt64 { UInt64(bitPattern: column) ^ (1 << 63) }
