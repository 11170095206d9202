import Foundation
import Keyring
import MultiFactor
import MultiFactorSQLite
import OTP
import Synchronization
import Testing

/// What an administrator does with a store as a whole.
@Suite struct StoreMaintenanceTests {
  @Test func `a keyring can be rotated with only the tool`() throws {
    try withStore { store in
      let factor = try store.enroll()
      _ = try store.enroll("bob")
      func keys() throws -> [String] { try otp("keyring list \(store.keyring)").lines.filter { $0.hasPrefix("key=") } }
      let old = try #require(try keys().first?.split(separator: " ").first?.dropFirst(4))
      let added = try #require(otp("keyring add \(store.keyring)").lines.first?.split(separator: "=").last)
      #expect(try store.otp("store", "reseal").output == "resealed documents=0 unreadable=0\n")
      #expect(try otp("keyring activate \(store.keyring) \(added)").status == 0)
      #expect(try store.otp("store", "reseal").output == "resealed documents=3 unreadable=0\n")
      #expect(try store.otp("store", "reseal", "--json").json["documents"] as? Int == 0)
      #expect(try otp("keyring remove \(store.keyring) \(old)").status == 0)
      #expect(try store.otp("authenticate", "alice", factor.code(after: 1)).status == 0)
    }
  }

  @Test func `after a restore, earlier steps are spent`() throws {
    try withStore { store in
      let factor = try store.enroll()
      // The app's clock is a step ahead, which is learned.
      #expect(try store.otp("authenticate", "alice", factor.code(after: 1)).status == 0)
      try store.finish()
      _ = try sh("cp -p factors.sqlite f", in: store.folder)
      let code = try factor.code(after: 2)
      #expect(try store.otp("authenticate", "alice", code).status == 0)
      _ = try sh("rm factors.sqlite*; mv f factors.sqlite", in: store.folder)
      #expect(try store.otp("store", "spend", "--until", "1700000000000").failed(64))
      #expect(try store.otp("store", "spend").output == "spent accounts=1 unreadable=0\n")
      let again = try store.otp("authenticate", "alice", code)
      #expect(again.status == 1 && again.output.hasPrefix("spent until=20"))
      // One word for it everywhere, whatever was typed.
      let until = again.output.dropFirst(6).dropLast()
      let uid = factor.uid
      for code in [code, try factor.wrongCode()] {
        #expect(try store.otp("explain", "alice", code).output.hasPrefix("spent factor=\(uid) type=totp \(until)\n"))
      }
      let factors = try store.otp("factors", "alice").output
      #expect(factors.contains(" state=spent ") && factors.contains(" failures=0 ") && factors.contains(" \(until) "))
      #expect(try store.otp("accounts").output.hasSuffix(" state=spent \(until)\n"))
      for options in [[], [uid]] {
        let unlocked = try Tool.run(["unlock", "alice"] + options + ["--store", store.database])
        #expect(unlocked.status == 0 && unlocked.output == "spent factor=\(uid) \(until)\n")
      }
    }
  }

  /// Lends a store in which a server has enrolled alice's app, some hours ago.
  private func withServer(hoursAgo: Int, _ body: (Store, PastServer) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("otp-tests-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = Store(folder: folder)
    try store.create()
    try await body(store, PastServer(store, hoursAgo: hoursAgo))
  }

  @Test func `a factor with 100 failures in a row needs a new enrollment, by one word everywhere`() async throws {
    try await withServer(hoursAgo: 110) { store, server in
      let uid = server.uid
      let wrong = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: server.spentCode)
      try await server.answer(100, with: wrong)
      #expect(try store.otp("factors", "alice").output.contains(" failures=100 acceptances=0 needs=enrollment "))
      #expect(try store.otp("accounts").output.hasSuffix(" state=locked needs=enrollment\n"))
      for options in [[], [uid]] {
        let run = try Tool.run(["unlock", "alice"] + options + ["--store", store.database])
        #expect(run.status == 0 && run.output == "locked factor=\(uid) needs=enrollment\n")
      }
      let run = try store.otp("explain", "alice", server.spentCode)
      #expect(run.output.hasPrefix("locked factor=\(uid) type=totp needs=enrollment\n"))
      #expect(run.lines.contains("    otp unenroll alice \(uid) --store \(store.database)"))
    }
  }

  @Test func `recovery codes with 100 failures in a row need to be made again, also after a sign-in with the app`()
    async throws
  {
    try await withServer(hoursAgo: 110) { store, server in
      let codes = try await server.user.multiFactor.generateRecoveryCodes().codes
      let wrong = RecoveryCodeMultiFactorGenerator.assertionForSignIn(recoveryCode: "AAAA-AAAA-AAAA-AAAA-AAAA-AAAA")
      try await server.answer(100, with: wrong)
      let right = try TOTPMultiFactorGenerator.assertionForSignIn(
        withEnrollmentID: server.uid, oneTimePassword: server.code(after: 3600))
      try await server.answer(1, with: right)
      #expect(try store.otp("factors", "alice").lines.last == "recovery-codes=10 needs=enrollment")
      #expect(try store.otp("factors", "alice", "--json").json["recoveryCodesNeed"] as? String == "enrollment")
      #expect(
        try store.otp("accounts").output
          == "account=alice factors=1 recovery-codes=10 failures=0 state=locked needs=enrollment\n")
      for options in [[], ["recovery"]] {
        let run = try Tool.run(["unlock", "alice"] + options + ["--store", store.database])
        #expect(run.status == 0 && run.output == "locked factor=recovery needs=enrollment\n")
      }
      let run = try store.otp("explain", "alice", codes[3])
      #expect(run.output.hasPrefix("locked factor=recovery type=recovery needs=enrollment\n"))
    }
  }

  @Test func `an account that does not open is counted when all are spent, and the command fails`() throws {
    try withStore { store in
      for account in ["alice", "bob"] { _ = try store.enroll(account) }
      try store.change("UPDATE documents SET key = CAST('user/b' AS BLOB) WHERE key = CAST('user/bob' AS BLOB)")
      let run = try store.otp("store", "spend")
      #expect(run.status == 1 && run.output == "spent accounts=1 unreadable=1\n")
    }
  }

  @Test func `a factor that is locked and spent is called locked by every command until it is unlocked`() async throws {
    try await withServer(hoursAgo: 10) { store, server in
      let uid = server.uid
      let wrong = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: server.spentCode)
      try await server.answer(10, with: wrong)
      #expect(try store.otp("store", "spend").output == "spent accounts=1 unreadable=0\n")
      let code = try server.code(after: 0)
      let refused = try store.otp("authenticate", "alice", code).output
      #expect(refused.hasPrefix("locked until=20"))
      let until = refused.dropFirst(7).dropLast()
      let factors = try store.otp("factors", "alice").output
      #expect(factors.contains(" state=locked ") && factors.contains(" \(until) "))
      #expect(try store.otp("accounts").output.hasSuffix(" state=locked \(until)\n"))
      let run = try store.otp("explain", "alice", code)
      #expect(run.output.hasPrefix("locked factor=\(uid) type=totp \(until)\n"), "\(run)")
      #expect(run.lines.contains("    otp unlock alice --store \(store.database)"))
      #expect(try store.otp("unlock", "alice").output.hasPrefix("unlocked factor=\(uid)\nspent factor=\(uid) until=20"))
      #expect(try store.otp("explain", "alice", code).output.hasPrefix("spent factor=\(uid) "))
    }
  }

  @Test func `revoking handles keeps the factors`() throws {
    try withStore { store in
      let factor = try store.enroll()
      #expect(try store.otp("revoke", "alice").output == "revoked\n")
      #expect(try store.otp("revoke", "alice", "--json").output == "{\"result\":\"revoked\"}\n")
      #expect(try store.otp("authenticate", "alice", factor.code(after: 1)).status == 0)
    }
  }

  @Test func `each account is printed on one line`() throws {
    try withStore { store in
      #expect(
        try store.otp("accounts").output.isEmpty && store.otp("accounts", "--json").output == "{\"accounts\":[]}\n")
      _ = try store.enroll("b c")
      _ = try store.enroll("a")
      let lines = try store.otp("accounts").lines
      #expect(lines.map { $0.split(separator: " ")[0] } == ["account=a", "account=b\\u{20}c"])
      let list = try #require(store.otp("accounts", "--json").json["accounts"] as? [NSDictionary])
      #expect(list.map { $0["account"] as? String } == ["a", "b c"] && list[0]["factors"] as? Int == 1)
    }
  }
}

/// A server that began some hours ago, in which hours pass at once.
private struct PastServer {
  private final class Clock: Sendable {
    let now: Mutex<Date>
    init(_ now: Date) { self.now = Mutex(now) }
  }

  private static let alice = Principal(id: "alice", email: "alice@example.com", isEmailVerified: true)

  let user: User
  let uid: String
  /// The code that enrolled the app.
  let spentCode: String
  private let auth: MultiFactorAuth
  private let totp: TOTP
  private let clock: Clock

  init(_ store: Store, hoursAgo hours: Int) async throws {
    let clock = Clock(Date() - TimeInterval(hours * 3600))
    self.clock = clock
    auth = try await MultiFactorAuth(
      configuration: MultiFactorConfiguration(providerConfigs: [.totp()]),
      store: SQLiteFactorStore(path: store.database), keyring: Keyring(file: store.keyring),
      clock: { clock.now.withLock { $0 } })
    user = try await auth.signIn(Self.alice, firstFactor: .password).user
    let key = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
    totp = try TOTP(secret: OTPSecret(base32: key.sharedSecretKey()))
    spentCode = try totp.code(at: clock.now.withLock { Int64($0.timeIntervalSince1970) }).description
    try await user.multiFactor.enroll(
      with: TOTPMultiFactorGenerator.assertionForEnrollment(with: key, oneTimePassword: spentCode), displayName: nil)
    uid = try #require(user.claims.secondFactorIdentifier)
  }

  /// The app's code, some seconds later.
  func code(after seconds: Int64) throws -> String {
    try totp.code(at: clock.now.withLock { Int64($0.timeIntervalSince1970) } + seconds).description
  }

  /// Answers a number of times, after an hour each.
  func answer(_ count: Int, with assertion: MultiFactorAssertion) async throws {
    for _ in 0..<count {
      clock.now.withLock { $0 += 3600 }
      guard case .secondFactorRequired(let resolver) = try await auth.beginSignIn(Self.alice, firstFactor: .password)
      else { return }
      _ = try? await resolver.resolveSignIn(with: assertion)
    }
  }
}
