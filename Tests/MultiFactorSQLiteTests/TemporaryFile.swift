#if SQLite
import Foundation
import GRDB
import MultiFactor

@testable import MultiFactorSQLite

/// A folder for one test's file, removed when the test is done with it.
final class TemporaryFile: Sendable {
  let folder: String
  var path: String { folder + "/factors.sqlite" }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("otp-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Runs SQL on the file, as somebody else would.
  func change(_ sql: String) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
  }

  /// A file with a user `u` who has a factor `f` with attempts, recovery codes, and a challenge `c` for a phone `p`.
  func filled() async throws -> SQLiteFactorStore {
    let store = try SQLiteFactorStore(path: path)
    _ = try await store.enroll(.sample("f"), under: .any)
    _ = try await store.replaceRecoveryCodes(of: "u", with: [[1], [2]], ifGeneration: 0)
    _ = try await store.reserveAttempt(on: .recoveryCodes, of: "u", at: .now, under: .standard)
    _ = try await store.reserveAttempt(on: .factor(uid: "f"), of: "u", at: .now, under: .standard)
    let challenge = ChallengeRecord(
      id: "c", userID: "u", purpose: .signIn(factorUID: "p"), numberKey: [1], sealedNumber: [2], codeHash: [3],
      expiry: .now + 300)
    _ = try await store.openChallenge(challenge, under: .standard, at: .now)
    _ = try await store.activateChallenge("c", of: "u")
    return store
  }
}

extension FactorRecord {
  static func sample(
    _ uid: String, of userID: String = "u", kind: Kind = .totp, sealed: [UInt8] = [1, 2, 3]
  ) -> FactorRecord {
    FactorRecord(
      userID: userID, uid: uid, kind: kind, displayName: "Phone", enrollmentDate: Date(timeIntervalSince1970: 1e9),
      sealed: sealed)
  }

  /// One whose date no store can keep.
  static func impossible(_ uid: String, of userID: String = "u") -> FactorRecord {
    FactorRecord(
      userID: userID, uid: uid, kind: .totp, displayName: nil, enrollmentDate: Date(timeIntervalSince1970: .nan),
      sealed: [])
  }
}

extension EnrollmentConditions {
  static let any = EnrollmentConditions(generation: nil, allowsExistingFactors: true, maximumFactorCount: 1000)
}

/// The kind of the error that a body throws; `nil` for none or another's error.
func kind(of body: () async throws -> Void) async -> SQLiteFactorStoreError.Kind? {
  do { try await body() } catch { return (error as? SQLiteFactorStoreError)?.kind }
  return nil
}
#endif
