import FactorRecord
import Keyring
import OTP
import Testing

/// A factor's life, from its enrollment to the last code.
@Suite struct LifeTests {
  let keyring: Keyring
  let now: Int64 = 1_700_000_000

  init() throws { keyring = try Keyring() }

  /// What the user's app shows.
  private func code(of uri: OTPAuthURI, at unixTime: Int64) throws -> String {
    try TOTP(uri).code(at: unixTime).description
  }

  @Test func aTOTPFactorIsEnrolledConfirmedAndUsed() throws {
    var record = try FactorRecord.totp(at: now)
    let uri = try record.keyURI(issuer: "Example", account: "alice")
    let first = try code(of: uri, at: now)
    #expect(try record.verify(first, at: now) == .rejected(.pending))

    var column = try record.sealed(by: keyring, for: "user 42")
    record = try FactorRecord(sealed: column, by: keyring, for: "user 42")
    guard case .enrolled = try record.confirm(first, at: now) else { throw Failed() }
    #expect(try record.confirm(first, at: now) == .rejected(.confirmed))
    #expect(throws: FactorRecordError(.notPending)) { try record.keyURI(issuer: "Example", account: "alice") }

    column = try record.sealed(by: keyring, for: "user 42")
    record = try FactorRecord(sealed: column, by: keyring, for: "user 42", as: .totp)
    #expect(try record.verify(first, at: now) == .rejected(.replayed))
    #expect(record.failures == 1)
    let second = try code(of: uri, at: now + 30)
    #expect(try record.verify(" \(second.prefix(3)) \(second.suffix(3))\n", at: now + 30).isAccepted)
    #expect(record.failures == 0 && record.acceptances == 1)
  }

  @Test func anUnchangedRecordHasTheSameBytes() throws {
    var record = try FactorRecord.totp(isPending: false, at: now)
    let column = try record.sealed(by: keyring, for: "user 42")
    record = try FactorRecord(sealed: column, by: keyring, for: "user 42")
    #expect(try record.verify("no code", at: now) == .rejected(.malformed))
    #expect(try record.sealed(by: keyring, for: "user 42") == column)
    #expect(try record.verify("123456", at: now).isAccepted == false)
    #expect(try record.sealed(by: keyring, for: "user 42") != column)
  }

  @Test func diagnosisExplainsWhatTheAppDoes() throws {
    // Of random secrets, one in 75 has another explanation among the 13,500 codes.
    let secret = try OTPSecret(bytes: Array("12345678901234567890123456789012".utf8))
    let record = try FactorRecord.totp(secret: secret, algorithm: .sha256, at: now)
    let ignorant = try TOTP(secret: secret).code(at: now - 210).description
    #expect(
      try record.diagnose(ignorant, at: now)?.description
        == "the app computes SHA1 instead of SHA256; the app's clock is 3 min 30 s late")
    let hours = try TOTP(secret: secret, algorithm: .sha256).code(at: now + 12 * 3600).description
    #expect(try record.diagnose(hours, at: now)?.description == "the app's clock is 12 h early")
  }
}

private struct Failed: Error {}
