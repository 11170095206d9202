import FactorRecord
import Foundation
import Keyring
import MultiFactor
import MultiFactorOperations
import OTP

let secret = Array("12345678901234567890".utf8)

/// Operations whose instructions are counted; each is given a number that differs each time.
func operations() throws -> [(name: String, work: (Int) throws -> Void)] {
  let totp = try TOTP(secret: OTPSecret(bytes: secret))
  let hotp = HOTP(key: totp.key)
  let code = try SubmittedCode("123456")
  let time: Int64 = 1_700_000_000
  let symbols = Array("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ".utf8)
  let uri = "otpauth://totp/ACME%20Co:person@example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ACME%20Co"
  let keyring = try Keyring()
  let subject = Array("user 42".utf8)
  let record = try FactorRecord.totp(secret: OTPSecret(bytes: secret), isPending: false, at: time)
  let column = try record.sealed(by: keyring, for: subject)
  return [
    ("code", { _ = try hotp.code(counter: UInt64($0)) }),
    ("codes-256", { _ = try hotp.codes(counters: UInt64($0)...UInt64($0 + 255)) }),
    ("verify-window1", { _ = try totp.verify(code, at: time + Int64($0), window: .adjacent(1), after: nil) }),
    // Texts and collections, which a caller's module must be able to specialize.
    ("verify-text", { _ = try totp.verify("123456", at: time + Int64($0), after: nil) }),
    ("secret-from-bytes", { _ in _ = try OTPSecret(bytes: secret) }),
    ("verify-window5", { _ = try totp.verify(code, at: time + Int64($0), window: .adjacent(5), after: nil) }),
    (
      "verify-window1-cold",
      { _ = try TOTP.verify(code, secret: secret.span, timeStep: totp.timeStep, at: time + Int64($0), after: nil) }
    ),
    (
      "batch-64",
      { index in
        _ = VerificationBatch.verify((0..<64).map { .init(code, totp: totp, at: time + Int64(index + $0), after: nil) })
      }
    ),
    ("base32-decode-32", { _ in _ = try Base32.decode(utf8: symbols.span) }),
    ("uri-parse", { _ in _ = try OTPAuthURI(uri) }),
    (
      "record-rejected",
      { index in
        var opened = try FactorRecord(sealed: column.span, by: keyring, for: subject)
        _ = try opened.verify("123456", at: time + Int64(index))
        _ = try opened.sealed(by: keyring, for: subject)
      }
    ),
  ]
}

/// Signs a user in this many times, without a change of threads.
func signIn(_ count: Int) async throws {
  let user = try await User()
  for index in 0..<count { try await user.signIn(index) }
}

/// A user with one factor in a store in memory, and a code for each of the first sign-ins, 220 at most.
final class User: Sendable {
  private let clock = Clock()
  private let resolver: MultiFactorResolver
  private let uid: String
  private let codes: [String]

  init() async throws {
    let totp = try TOTP(secret: OTPSecret(bytes: secret))
    codes = try (0..<220).map { try totp.code(at: Clock.time(of: $0)).description }
    let (keyring, store) = (try Keyring(), InMemoryFactorStore())
    try await MultiFactorAuth.createStore(store, keyring: keyring)
    let auth = try await MultiFactorAuth(
      configuration: MultiFactorConfiguration(
        providerConfigs: [.totp(adjacentIntervals: 1)], sessionLifetime: .seconds(7200),
        userTokenLifetime: .seconds(7200)),
      store: store, keyring: keyring, clock: { [clock] in clock.now })
    uid = try await auth.admin.importFactor(.totp(secret: OTPSecret(bytes: secret)), for: "user 42")
    do {
      _ = try await auth.signIn(Principal(id: "user 42"), firstFactor: .password)
      fatalError("no second factor was asked for")
    } catch let error as AuthError {
      guard let resolver = error.resolver else { throw error }
      self.resolver = resolver
    }
  }

  func signIn(_ index: Int) async throws {
    clock.now = Date(timeIntervalSince1970: TimeInterval(Clock.time(of: index)))
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: codes[index])
    _ = try await resolver.resolveSignIn(with: assertion)
  }
}

/// A clock that is set by one task, and read by it.
final class Clock: @unchecked Sendable {
  var now = Date(timeIntervalSince1970: TimeInterval(time(of: 0)))

  static func time(of index: Int) -> Int64 { 1_700_000_000 + 30 * Int64(index) }
}
