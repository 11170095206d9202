// A user's first days, as the article shows them: enrolment, sign-ins, a restored backup, and the move to MultiFactor.
// Then what it says about guesses, stolen secrets, interrupted moves and new keys.
//
// OTP_POSTGRESQL names a database without tables `users` and `second_factor`. The keys are in a temporary folder.

import Foundation
import Keyring
import MultiFactor
import OTP

guard let connectionString = ProcessInfo.processInfo.environment["OTP_POSTGRESQL"] else {
  print("OTP_POSTGRESQL must name an empty PostgreSQL database")
  exit(64)
}
let database = Database(connectionString: connectionString)
for statement in [
  "CREATE TABLE users (id bigint PRIMARY KEY)", "INSERT INTO users VALUES (1), (2)", SecondFactors.table,
] {
  try await database.query(statement)
}

let folder = FileManager.default.temporaryDirectory.appending(path: "own-table-\(UUID().uuidString)").path
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
guard FileManager.default.changeCurrentDirectoryPath(folder) else { throw CocoaError(.fileNoSuchFile) }

// Created once, on one machine; the others get a copy. Later: Keyring(file: "keyring.json")
let keyring = try Keyring.create(file: "keyring.json")
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
func admitted(_ signIn: @escaping @Sendable () async throws -> Bool) async throws -> Int {
  try await withThrowingTaskGroup(of: Bool.self) { group in
    for _ in 0..<100 { group.addTask { try await signIn() } }
    var count = 0
    for try await isIn in group where isIn { count += 1 }
    return count
  }
}
print(try await admitted { try await factors.signIn(1, code: third, at: now + 30) })  // prints 1
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

// The password was right. The code that was accepted here last is refused there. The next one is accepted, but only
// there.
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

// A move that ends before its last statement is completed by the next one.
try await database.query("UPDATE second_factor SET state = 'moving' WHERE user_id = 1")
try await factors.move(1, to: auth)
print(try await database.query("SELECT FROM second_factor WHERE user_id = 1 AND state = 'moved'").count)  // prints 1

// After five failures in a row a right code must wait, after ten longer, and after a hundred for an administrator.
let bobsURI = try await factors.beginEnrollment(of: 2, account: "bob@example.com")
let bob = try TOTP(OTPAuthURI(bobsURI ?? ""))
func code(_ step: Int64) throws -> String { try bob.code(at: now + 30 * step).description }
let rightCodes = try (-1...4).map(code)
let wrong = (0...9).map { "00000\($0)" }.first { !rightCodes.contains($0) } ?? ""
print(try await factors.confirmEnrollment(of: 2, code: wrong, at: now))  // prints false
print(try await factors.confirmEnrollment(of: 2, code: code(0), at: now))  // prints true
for _ in 0..<5 { _ = try await factors.signIn(2, code: wrong, at: now) }
print(try await factors.signIn(2, code: code(1), at: now))  // prints false
let waits = "SELECT FROM second_factor WHERE user_id = 2 AND next_try > now() AND next_try <= now() + interval "
print(try await database.query(waits + "'15 minutes'").count)  // prints 1
try await database.query("UPDATE second_factor SET failures = 9, next_try = '-infinity' WHERE user_id = 2")
_ = try await factors.signIn(2, code: wrong, at: now)
print(try await database.query(waits + "'15 minutes'").count)  // prints 0
print(try await database.query(waits + "'1 hour'").count)  // prints 1
try await database.query("UPDATE second_factor SET next_try = '-infinity' WHERE user_id = 2")
print(try await factors.signIn(2, code: code(1), at: now))  // prints true
print(try await database.query("SELECT FROM second_factor WHERE user_id = 2 AND failures = 0").count)  // prints 1
try await database.query("UPDATE second_factor SET failures = 100 WHERE user_id = 2")
print(try await factors.signIn(2, code: code(2), at: now + 30))  // prints false
try await database.query("UPDATE second_factor SET failures = 99 WHERE user_id = 2")
print(try await factors.signIn(2, code: code(2), at: now + 30))  // prints true

// With a limiter elsewhere, each code is accepted once as well.
print(try await factors.signInWithLimiter(2, code: wrong, at: now + 60))  // prints false
let bobsFourth = try code(3)
print(try await admitted { try await factors.signInWithLimiter(2, code: bobsFourth, at: now + 60) })  // prints 1

// Another user's sealed secret does not open.
try await database.query(
  """
  UPDATE second_factor SET sealed_secret = (SELECT sealed_secret FROM second_factor WHERE user_id = 1)
  WHERE user_id = 2
  """)
do {
  _ = try await factors.signIn(2, code: code(4), at: now + 90)
} catch {
  print(error)  // prints keyring: notAuthentic
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

try FileManager.default.removeItem(atPath: folder)
