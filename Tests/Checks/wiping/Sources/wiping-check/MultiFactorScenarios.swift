import Dispatch
import FactorRecord
import Foundation
import Keyring
import MultiFactor
import MultiFactorOperations
import MultiFactorPhone
import OTP

/// The multi-factor layer: a factor's secret while it is sealed, opened and checked.
///
/// The clock is set to steps whose tags the probe knows.
func multiFactorScenarios() -> [Scenario] {
  [("a wrong code", "000000"), ("no code", "abc")].map { name, code in
    scenario("multi-factor: a factor is imported, and \(name) refused") {
      try await signIn(by: $0, code: { _ in code }, isAccepted: false)
    }
  } + [
    scenario("multi-factor: a factor is imported, and signs in") {
      try await signIn(by: $0, code: { try TOTP(secret: $0, t0: t0).code(at: time).description }, isAccepted: true)
    },
    scenario("multi-factor: a factor by counter is imported, and refuses codes") { secret in
      let auth = try await makeAuth(keyring: Keyring())
      let uid = try await auth.admin.importFactor(.hotp(secret: secret), for: "u1")
      let resolver = try await resolver(of: auth)
      try await expectRefusal {
        try await resolver.resolveSignIn(
          with: HOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: "000000"))
      }
      try await expectRefusal {
        try await resolver.resolveSignIn(
          with: HOTPMultiFactorGenerator.assertionForResynchronization(
            withEnrollmentID: uid, oneTimePasswords: ["000000", "000001"]))
      }
    },
    scenario("multi-factor: a factor is imported beside others, sealed by another key, and deleted") {
      try await reseal($0)
    },
    Scenario(name: "record: a factor is sealed, opened, diagnosed, confirmed and verified") { material in
      let keyring = try Keyring()
      let secret = try material.secret()
      var column = try FactorRecord.totp(secret: secret, timeStep: TimeStep(period: 30, t0: t0), at: t0).sealed(
        by: keyring, for: "user 42")
      for (time, confirms) in [(t0, true), (t0 + 30, false)] {
        var record = try FactorRecord(sealed: column, by: keyring, for: "user 42")
        let code = try TOTP(secret: secret, t0: t0).code(at: time).description
        if confirms { _ = try record.diagnose("000000", at: time) }
        let answer = try confirms ? record.confirm(code, at: time) : record.verify(code, at: time)
        guard case .rejected = answer else {
          column = try record.sealed(by: keyring, for: "user 42")
          continue
        }
        throw Unexpected()
      }
    },
  ]
}

/// A keyring's keys.
func keyringScenarios() -> [Scenario] {
  [
    scenario("keyring: a key seals and opens a token", byteCount: 32) {
      try await useTokens(of: Keyring(activeKey: .init(name: "k", secret: $0), hashKey: .random(for: .sha256)))
    },
    scenario("keyring: a hash key hashes", byteCount: 32) {
      let key = try Keyring.Key(name: "k", secret: .random(for: .sha256))
      let auth = try await makeAuth(keyring: Keyring(activeKey: key, hashKey: $0))
      _ = try await auth.admin.importFactor(.phone(number: "+15105551234"), for: "u1")
    },
    Scenario(name: "keyring: a key is read from a file, which then learns its store", byteCount: 32) { material in
      try withFile(material, "\"", "\"}],\"hashKey\":\"\(zeros)\",") { path in
        // In another process, whose memory is not searched.
        let append = #"sum=$(sha256sum "$0") && printf '"sha256":"%.64s"}\n' "$sum" >> "$0""#
        try Process.run(URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", append, path]).waitUntilExit()
        try blocking { try await useTokens(of: Keyring(file: path)) }
      }
    },
    Scenario(name: "keyring: a file without its last line is refused", byteCount: 32) { material in
      try withFile(material, "\"\(zeros)\"}],\"hashKey\":\"", "\",\n") { path in
        guard (try? Keyring(file: path)) == nil else { throw Unexpected() }
      }
    },
    Scenario(name: "control: a keyring's cipher still alive", byteCount: 32, leavesTraces: true) { material in
      let secret = try material.secret()
      keepAlive(try Keyring(activeKey: .init(name: "k", secret: secret), hashKey: .random(for: .sha256)))
    },
  ]
}

/// A key of zeros, in a keyring's file.
private let zeros = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

/// Work on a file with the key in base64 between two texts, the first of which comes after the name of a key.
private func withFile(_ material: Material, _ before: String, _ after: String, _ work: (String) throws -> Void) throws {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("keyring-\(getpid()).json").path
  defer { for suffix in ["", ".lock"] { _ = unsafe unlink(path + suffix) } }
  let start = "{\"format\":\"otp-keyring/1\",\"active\":\"k\",\"keys\":[{\"name\":\"k\",\"key\":"
  try material.withText(.base64, before: start + before, after: after) { text in
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    defer { close(file) }
    guard unsafe text.withUnsafeBytes({ text in unsafe write(file, text.baseAddress, text.count) }) == text.count
    else { throw Unexpected() }
  }
  try work(path)
}

/// Asynchronous work with the secret.
private func scenario(
  _ name: String, byteCount: Int = 20, _ work: @escaping @Sendable (OTPSecret) async throws -> Void
) -> Scenario {
  Scenario(name: name, byteCount: byteCount) { material in
    let secret = try material.secret()
    try blocking { try await work(secret) }
  }
}

/// When step 0 begins: a record's times are after 2000.
private let t0: Int64 = 1_600_000_000
/// A time in step 20.
private let time = t0 + 607

private struct Unexpected: Error {}

private func makeAuth(
  keyring: Keyring, store: InMemoryFactorStore = InMemoryFactorStore()
) async throws -> MultiFactorAuth {
  if keyring.storeID == nil { try await MultiFactorAuth.createStore(store, keyring: keyring) }
  return try await MultiFactorAuth(
    configuration: MultiFactorConfiguration(providerConfigs: [.totp(adjacentIntervals: 5)]),
    store: store, keyring: keyring,
    clock: { Date(timeIntervalSince1970: TimeInterval(time)) })
}

private func resolver(of auth: MultiFactorAuth) async throws -> MultiFactorResolver {
  do {
    _ = try await auth.signIn(Principal(id: "u1"), firstFactor: .password)
  } catch let error as AuthError where error.code == .secondFactorRequired {
    if let resolver = error.resolver { return resolver }
  }
  throw Unexpected()
}

private func expectRefusal(_ signIn: () async throws -> AuthDataResult) async throws {
  do { _ = try await signIn() } catch let error as AuthError where error.code == .invalidVerificationCode { return }
  throw Unexpected()
}

private func signIn(by secret: OTPSecret, code: (OTPSecret) throws -> String, isAccepted: Bool) async throws {
  let auth = try await makeAuth(keyring: Keyring())
  let uid = try await auth.admin.importFactor(.totp(secret: secret, t0: t0), for: "u1")
  let assertion = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: try code(secret))
  let resolver = try await resolver(of: auth)
  guard isAccepted else { return try await expectRefusal { try await resolver.resolveSignIn(with: assertion) } }
  _ = try await resolver.resolveSignIn(with: assertion)
}

/// A user's document is longer than the buffer that it is first written into.
private func reseal(_ secret: OTPSecret) async throws {
  let (store, hashKey) = (InMemoryFactorStore(), try OTPSecret.random(for: .sha256))
  let keys = try ["k1", "k2"].map { try Keyring.Key(name: $0, secret: .random(for: .sha256)) }
  let old = try Keyring(activeKey: keys[0], hashKey: hashKey)
  let auth = try await makeAuth(keyring: old, store: store)
  for secret in [secret] + (try (0..<4).map { _ in try OTPSecret.random(for: .sha512) }) {
    _ = try await auth.admin.importFactor(.totp(secret: secret, displayName: "One of many apps"), for: "u1")
  }
  let new = try Keyring(activeKey: keys[1], otherKeys: [keys[0]], hashKey: hashKey, storeID: old.storeID)
  let next = try await makeAuth(keyring: new, store: store)
  // The user's document and the mark.
  guard try await next.admin.resealAll().resealed == 2 else { throw Unexpected() }
  try await next.admin.deleteUser("u1")
}

private func useTokens(of keyring: Keyring) async throws {
  let auth = try await makeAuth(keyring: keyring)
  let token = try await auth.signIn(Principal(id: "u1"), firstFactor: .password).user.token()
  guard try await auth.user(from: token).uid == "u1" else { throw Unexpected() }
}

/// Runs asynchronous work to its end on other threads, and waits. Their stacks are searched like all other memory.
private func blocking(_ work: @escaping @Sendable () async throws -> Void) throws {
  let done = DispatchSemaphore(value: 0)
  let failure = Failure()
  Task.detached {
    do { try await work() } catch { failure.error = error }
    done.signal()
  }
  done.wait()
  if let error = failure.error { throw error }
}

private final class Failure: @unchecked Sendable {
  // Written before the signal, and read after the wait.
  var error: (any Error)?
}
