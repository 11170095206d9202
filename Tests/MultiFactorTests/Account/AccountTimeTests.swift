import FactorRecord
import Foundation
import OTP
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// An account's own time: each change records it, and everything that can expire goes by it.
@Suite struct AccountTimeTests {
  private static let start = Date(timeIntervalSince1970: 1_700_000_000)
  private static let phone = Factor(
    uid: "phone", content: .external(.phone, details: [1]), displayName: nil, enrollmentDate: start)

  /// The operations that change an account, even if they are refused.
  enum Change: String, CaseIterable {
    case code, codesInARow, stepsInARow, begunExternal, external, recoveryCode
    case enrolledSecret, enrolledExternal, added, removed, replaced, revoked
    case unlockedFactor, unlockedRecoveryCodes, replacedRecoveryCodes
  }

  /// An account with an app, a token, a phone, and recovery codes, last changed at a given time.
  private static func account(latest: Date) throws -> Account {
    var account = Account()
    for (uid, kind, byte) in [("app", FactorKind.totp, 1), ("token", .hotp, 2)] {
      account.factors.append(
        Factor(uid: uid, content: try secret(kind, UInt8(byte)), displayName: nil, enrollmentDate: start))
    }
    account.factors.append(phone)
    account.recovery = try FactorRecord.recoveryCodes(at: 1_700_000_000).record
    account.latestTime = latest
    return account
  }

  private static func secret(_ kind: FactorKind, _ byte: UInt8) throws -> Factor.Content {
    let secret = try OTPSecret(bytes: [UInt8](repeating: byte, count: 20))
    return .secret(FactorSecret(isTimeBased: kind == .totp, secret: secret))
  }

  private static func enrollment(expiry: Date = .distantFuture) throws -> EnrollmentSecret {
    guard case .record(let record) = try secret(.hotp, 3), let secret = record.secret else {
      throw AuthError(.internalError)
    }
    return EnrollmentSecret(secret: secret, userID: "u1", generation: 0, uid: "new", expiry: expiry)
  }

  private static func signIn(expiry: Date = .distantFuture) -> SignIn {
    SignIn(
      principal: Host.alice, firstFactor: .password, firstFactorDate: start,
      proof: .factor(uid: "app", .totp, binding: 0, start), generation: 0, expiry: expiry, end: expiry)
  }

  private static func apply(_ change: Change, to account: inout Account, at time: Date) throws {
    let configuration = try MultiFactorConfiguration(providerConfigs: [.totp(), .phone()])
    let signIn = signIn()
    func prove(_ offer: Offer) {
      #expect(throws: Refusal.self) { try account.verify(offer, in: signIn, at: time, under: configuration) }
    }
    switch change {
    case .code: prove(.codes(["000000"], factor: "app", .totp))
    case .codesInARow: prove(.codes(["000000", "000000"], factor: "token", .hotp))
    case .stepsInARow: prove(.codes(["000000", "000000"], factor: "app", .totp))
    case .begunExternal:
      _ = try account.beginAttempt(on: "phone", .phone, in: signIn, at: time, under: configuration)
    case .external:
      _ = try account.verify(.external(phone, details: [2]), in: signIn, at: time, under: configuration)
    case .recoveryCode:
      prove(.codes(["ABCD-EFGH-IJKL-MNOP-QRST-UVWX"], factor: RecoveryCodeMultiFactorID, .recovery))
    case .enrolledSecret:
      let secret = try enrollment()
      let hotp = try HOTP(secret: secret.secret.secret)
      _ = try account.enroll(
        .secret(secret, code: hotp.code(counter: 0).description), displayName: nil, by: signIn, at: time,
        under: configuration)
    case .enrolledExternal:
      _ = try account.enroll(
        .external(uid: "new", .phone, details: [3]), displayName: nil, by: signIn, at: time, under: configuration)
    case .added:
      let factor = Factor(uid: "new", content: try secret(.totp, 3), displayName: nil, enrollmentDate: time)
      try account.add(factor, atMost: 5, at: time)
    case .removed: _ = try account.remove("app", at: time)
    case .replaced: try account.replace(with: [], at: time)
    case .revoked: account.revoke(at: time)
    case .unlockedFactor: _ = try account.unlock("app", at: time)
    case .unlockedRecoveryCodes: _ = try account.unlock(RecoveryCodeMultiFactorID, at: time)
    case .replacedRecoveryCodes:
      try account.replaceRecoveryCodes(
        with: FactorRecord.recoveryCodes(at: 1_700_000_000).record, by: signIn, at: time, under: configuration)
    }
  }

  @Test(arguments: Change.allCases) func `each change records its time, which never runs backward`(
    change: Change
  ) throws {
    var account = try Self.account(latest: Self.start)
    try Self.apply(change, to: &account, at: Self.start.addingTimeInterval(100))
    #expect(account.latestTime == Self.start.addingTimeInterval(100))
    account = try Self.account(latest: Self.start)
    try Self.apply(change, to: &account, at: Self.start.addingTimeInterval(-100))
    #expect(account.latestTime == Self.start)
  }

  @Test(arguments: ["app", RecoveryCodeMultiFactorID])
  func `only a time over a day ahead is set back, by unlocking, which then revokes`(uid: String) throws {
    for (date, isSetBack) in [
      (Self.start - 86_400, false), (Self.start - 86_400.001, true), (Self.start - 1e9, true), (.distantPast, false),
    ] {
      var account = try Self.account(latest: Self.start)
      _ = try account.unlock(uid, at: date)
      #expect(account.latestTime == (isSetBack ? date : Self.start))
      #expect(account.generation == (isSetBack ? 1 : 0))
    }
  }

  @Test func `what has expired by the account's time stays expired, whatever the clock says`() throws {
    let end = Self.start.addingTimeInterval(200)
    let configuration = try MultiFactorConfiguration(providerConfigs: [.totp(), .phone()])
    /// The refusal of an enrollment at a given account time, when the clock is behind.
    func refusal(at latest: Date, by signIn: SignIn, _ secret: EnrollmentSecret) throws -> AuthError.Code? {
      var account = try Self.account(latest: latest)
      let code = try HOTP(secret: secret.secret.secret).code(counter: 0).description
      do {
        _ = try account.enroll(
          .secret(secret, code: code), displayName: nil, by: signIn, at: Self.start, under: configuration)
        return nil
      } catch {
        return error.code
      }
    }
    let before = end.addingTimeInterval(-0.001)
    let (handle, secret) = (Self.signIn(expiry: end), try Self.enrollment(expiry: end))
    #expect(try refusal(at: before, by: handle, secret) == nil)
    #expect(try refusal(at: end, by: handle, Self.enrollment()) == .userTokenExpired)
    #expect(try refusal(at: end, by: Self.signIn(), secret) == .sessionExpired)
    // Whether the first factor was recent was decided when the session began.
    let notRecent = Self.start.addingTimeInterval(301)
    #expect(try refusal(at: notRecent, by: Self.signIn(), Self.enrollment()) == nil)
  }
}
