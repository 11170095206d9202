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
      try store.finish()
      _ = try sh("cp -p factors.sqlite f", in: store.folder)
      let code = try factor.code(after: 1)
      #expect(try store.otp("authenticate", "alice", code).status == 0)
      _ = try sh("rm factors.sqlite*; mv f factors.sqlite", in: store.folder)
      #expect(try store.otp("store", "spend", "--until", "1700000000000").failed(64))
      #expect(try store.otp("store", "spend").output == "spent accounts=1\n")
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

  @Test func `a factor with 100 failures in a row needs a new enrollment, by one word everywhere`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("otp-tests-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = Store(folder: folder)
    try store.create()
    // A server's, in which hours pass at once.
    let clock = Mutex(Date() - 110 * 3600)
    let auth = try await MultiFactorAuth(
      configuration: MultiFactorConfiguration(providerConfigs: [.totp()]),
      store: SQLiteFactorStore(path: store.database), keyring: Keyring(file: store.keyring),
      clock: { clock.withLock { $0 } })
    let alice = Principal(id: "alice", email: "alice@example.com", isEmailVerified: true)
    let user = try await auth.signIn(alice, firstFactor: .password).user
    let key = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
    let time = clock.withLock { Int64($0.timeIntervalSince1970) }
    let code = try TOTP(secret: OTPSecret(base32: key.sharedSecretKey())).code(at: time).description
    try await user.multiFactor.enroll(
      with: TOTPMultiFactorGenerator.assertionForEnrollment(with: key, oneTimePassword: code), displayName: nil)
    let uid = try #require(user.claims.secondFactorIdentifier)
    // A code that was spent.
    let wrong = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: code)
    for _ in 0..<100 {
      clock.withLock { $0 += 3600 }
      guard case .secondFactorRequired(let resolver) = try await auth.beginSignIn(alice, firstFactor: .password) else {
        break
      }
      _ = try? await resolver.resolveSignIn(with: wrong)
    }
    #expect(try store.otp("factors", "alice").output.contains(" failures=100 acceptances=0 needs=enrollment "))
    for options in [[], [uid]] {
      let run = try Tool.run(["unlock", "alice"] + options + ["--store", store.database])
      #expect(run.status == 0 && run.output == "locked factor=\(uid) needs=enrollment\n")
    }
    let run = try store.otp("explain", "alice", code)
    #expect(run.output.hasPrefix("locked factor=\(uid) type=totp needs=enrollment\n"))
    #expect(run.lines.contains("    otp unenroll alice \(uid) --store \(store.database)"))
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
