// A user's first days: enrolment, sign-ins, a restored backup, and the move to MultiFactor.
//
// The database is that of `OTP_POSTGRESQL` (or of libpq's own variables), and must not have the tables `users` and
// `second_factor`. The keys are in `keyring.json`, in the current folder.

import Foundation
import Keyring
import MultiFactor
import OTP

let database = Database(connectionString: ProcessInfo.processInfo.environment["OTP_POSTGRESQL"] ?? "")
for statement in [
  "CREATE TABLE users (id bigint PRIMARY KEY)", "INSERT INTO users VALUES (1), (2)", SecondFactors.table,
] {
  try await database.query(statement)
}

// Created once, on one machine; the others get a copy. Later, without `createIfMissing`: until a secret does not open,
// nothing notices that a keyring is not the one of this table.
let keyring = try Keyring(file: "keyring.json", createIfMissing: true)
let factors = SecondFactors(database: database, keyring: keyring)

let now = Int64(Date().timeIntervalSince1970)
let uri = try await factors.beginEnrollment(of: 1, account: "alice@example.com")
let app = try TOTP(OTPAuthURI(uri ?? ""))  // stands for the app on her phone

let first = try app.code(at: now - 30).description
print(try await factors.confirmEnrollment(of: 1, code: first, at: now))  // prints true
print(try await factors.signIn(1, code: first, at: now))  // prints false
print(try await factors.beginEnrollment(of: 1, account: "alice@example.com") ?? "she has one")  // prints she has one

let second = try app.code(at: now).description
print(try await factors.signIn(1, code: second, at: now))  // prints true
let third = try app.code(at: now + 30).description
let admitted = try await withThrowingTaskGroup(of: Bool.self) { group in
  for _ in 0..<100 { group.addTask { try await factors.signIn(1, code: third, at: now + 30) } }
  var count = 0
  for try await isIn in group where isIn { count += 1 }
  return count
}
print(admitted)  // prints 1
// The replays counted as failures, so she may have to wait. An administrator lets her try at once.
try await database.query("UPDATE second_factor SET failures = 0, next_try = '-infinity' WHERE user_id = $1", 1 as Int64)

let other = try await TOTP(OTPAuthURI(factors.beginEnrollment(of: 2, account: "bob@example.com") ?? ""))
try await factors.spendSteps(at: now + 30)
let typed = try other.code(at: now + 30).description
print(try await factors.confirmEnrollment(of: 2, code: typed, at: now + 30))  // prints false
let fourth = try app.code(at: now + 60).description
print(try await factors.signIn(1, code: fourth, at: now + 60))  // prints false
let fifth = try app.code(at: now + 90).description
print(try await factors.signIn(1, code: fifth, at: now + 90))  // prints true

let auth = try await MultiFactorAuth(
  configuration: .init(providerConfigs: [.totp()]), store: InMemoryFactorStore(), keyring: Keyring())
try await factors.move(1, to: auth)

// The password was right. The code that was accepted here last is refused, and the next one accepted, only there.
do {
  _ = try await auth.signIn(Principal(id: "1"), firstFactor: .password)
} catch let error as AuthError where error.code == .secondFactorRequired {
  guard let resolver = error.resolver else { throw error }
  func assertion(_ code: String) -> MultiFactorAssertion {
    TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: resolver.hints[0].uid, oneTimePassword: code)
  }
  do {
    _ = try await resolver.resolveSignIn(with: assertion(fifth))
  } catch let error as AuthError {
    print(error)  // prints invalidVerificationCode (17044)
  }
  let sixth = try app.code(at: now + 120).description
  print(try await factors.signIn(1, code: sixth, at: now + 120))  // prints false
  print(try await resolver.resolveSignIn(with: assertion(sixth)).user.uid)  // prints 1
}

// New keys: the row is sealed again, and then opens without the old key.
let oldKey = keyring.activeKeyName
_ = try Keyring.rotate(file: "keyring.json")
try await SecondFactors(database: database, keyring: Keyring(file: "keyring.json")).reseal(1)
try Keyring.removeKey(named: oldKey, fromFile: "keyring.json")
let rotated = SecondFactors(database: database, keyring: try Keyring(file: "keyring.json"))
let rows = try await database.query("SELECT sealed_secret FROM second_factor WHERE user_id = 1")
let opened = try TOTP(secret: rotated.unsealSecret(rows[0].bytes(0), for: 1))
print(try opened.code(at: now).description == second)  // prints true
