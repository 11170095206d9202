#if SQLite
import Foundation
import MultiFactor

@testable import MultiFactorSQLite
import Testing

/// What a store never writes is answered with an error: nothing is accepted, nothing is taken for zero.
@Suite struct DamagedRowTests {
  @Test(arguments: [
    "kind = 'retina'", "kind = ''", "kind = 7", "kind = x'746f7470'", "uid = 5", "uid = x'ff' || x'fe'",
    "display_name = x'c328'", "display_name = 12", "sealed = 'text'", "sealed = 1.5", "enrolled = 'then'",
    "enrolled = 9223372036854775807", "enrolled = -9223372036854775808", "enrolled = 0.5", "last_accepted = 'x'",
    "last_accepted = 1e300", "drift = 'x'", "drift = 0.25", "attempts = 'many'", "attempts = x'00'",
    "cleared = attempts + 1", "cleared = 9223372036854775807", "acceptances = 'x'", "last_attempt = 'never'",
    "last_attempt = 9223372036854775807",
  ])
  func `a damaged factor is an error`(damage: String) async throws {
    let file = try TemporaryFile()
    let store = try await file.filled()
    try file.change("UPDATE factors SET \(damage)")
    #expect(await kind { _ = try await store.account(of: "u") } == .corrupt)
    #expect(await kind { _ = try await store.accounts(after: nil, limit: 9) } == .corrupt)
    // A factor whose name is damaged is no longer there.
    if !damage.hasPrefix("uid") {
      #expect(
        await kind {
          _ = try await store.reserveAttempt(on: .factor(uid: "f"), of: "u", at: .now + 1e6, under: .standard)
        } == .corrupt)
      let acceptance = Acceptance(.position(.max, drift: 0, factorUID: "f"), reservation: 1, generation: 0)
      #expect(await kind { _ = try await store.accept(acceptance, of: "u") } == .corrupt)
    }
  }

  @Test(arguments: [
    "generation = 'x'", "generation = 0.5", "attempts = 'x'", "cleared = 9223372036854775807", "acceptances = x''",
    "last_attempt = 'x'",
  ])
  func `a damaged account is an error`(damage: String) async throws {
    let file = try TemporaryFile()
    let store = try await file.filled()
    try file.change("UPDATE accounts SET \(damage)")
    #expect(await kind { _ = try await store.account(of: "u") } == .corrupt)
    #expect(
      await kind {
        _ = try await store.reserveAttempt(on: .recoveryCodes, of: "u", at: .now + 1e6, under: .standard)
      } == .corrupt)
    let acceptance = Acceptance(.recoveryCode(hash: [1]), reservation: 1, generation: 0)
    #expect(await kind { _ = try await store.accept(acceptance, of: "u") } == .corrupt)
    #expect(await kind { _ = try await store.revokeHandles(of: "u") } == .corrupt)
  }

  @Test func `a generation that can not be raised is an error`() async throws {
    let file = try TemporaryFile()
    let store = try await file.filled()
    try file.change("UPDATE accounts SET generation = 9223372036854775807")
    #expect(await kind { _ = try await store.revokeHandles(of: "u") } == .corrupt)
    #expect(await kind { _ = try await store.replaceFactors(of: "u", with: []) } == .corrupt)
    #expect(await kind { _ = try await store.removeFactor("f", of: "u", ifGeneration: nil) } == .corrupt)
    #expect(try await store.account(of: "u").factors.count == 1)
  }

  @Test(arguments: [
    "tries = -1", "tries = 'x'", "tries = 0.5", "active = 2", "active = 'x'", "expiry = 'x'",
    "expiry = 9223372036854775807", "number_key = 7", "sealed_number = 'text'", "code_hash = 1",
  ])
  func `a damaged challenge is an error`(damage: String) async throws {
    let file = try TemporaryFile()
    let store = try await file.filled()
    _ = try await store.enroll(.sample("p", kind: .phone), under: .any)
    try file.change("UPDATE challenges SET \(damage)")
    let before = try await store.account(of: "u")
    #expect(
      await kind {
        _ = try await store.reserveAttempt(
          on: .phoneFactor(uid: "p", challengeID: "c"), of: "u", at: .now, under: .standard)
      } == .corrupt)
    let acceptance = Acceptance(.challenge(id: "c", factorUID: "p"), reservation: 1, generation: 0)
    #expect(await kind { _ = try await store.accept(acceptance, of: "u") } == .corrupt)
    #expect(try await store.account(of: "u") == before)
  }

  @Test func `counted messages that are damaged still count, and trap nothing`() async throws {
    let file = try TemporaryFile()
    let store = try await file.filled()
    let limits = try SendLimits(
      perNumber: .init(1, every: 60), perUser: .init(1, every: 1e300), overall: .init(.max, every: 60))
    for damage in ["'x'", "9223372036854775807", "x'00'"] {
      try file.change("UPDATE messages SET time = \(damage)")
      let challenge = ChallengeRecord(
        id: "d", userID: "u", purpose: .enrollment, numberKey: [1], sealedNumber: [], codeHash: [], expiry: .now)
      guard case .refused = try await store.openChallenge(challenge, under: limits, at: .now) else {
        Issue.record("\(damage) does not count")
        return
      }
    }
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300])
  func `a time that is none is an error, and counts nothing`(seconds: Double) async throws {
    let file = try TemporaryFile()
    let store = try await file.filled()
    let before = try await store.account(of: "u")
    let time = Date(timeIntervalSince1970: seconds)
    for target: AttemptTarget in [.factor(uid: "f"), .recoveryCodes, .phoneFactor(uid: "f", challengeID: "c")] {
      #expect(
        await kind { _ = try await store.reserveAttempt(on: target, of: "u", at: time, under: .standard) } == .failed)
    }
    #expect(try await store.account(of: "u") == before)
    await #expect(throws: (any Error).self) {
      try await InMemoryFactorStore().reserveAttempt(on: .recoveryCodes, of: "u", at: time, under: .standard)
    }
  }

  @Test func `a damaged page of the file is an error`() async throws {
    let file = try TemporaryFile()
    do {
      let store = try await file.filled()
      for index in 0..<200 { _ = try await store.enroll(.sample("g\(index)", of: "v\(index)"), under: .any) }
      try await store.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
      try store.pool.close()
    }
    var bytes = try Data(contentsOf: URL(fileURLWithPath: file.path))
    for index in stride(from: 8192, to: bytes.count, by: 1) { bytes[index] = 0xA5 }
    try bytes.write(to: URL(fileURLWithPath: file.path))
    #expect(
      await kind {
        let store = try SQLiteFactorStore(path: file.path)
        _ = try await store.account(of: "u")
      } == .corrupt)
  }
}
#endif
