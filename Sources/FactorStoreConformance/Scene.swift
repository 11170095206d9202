import Foundation
import MultiFactor

/// The store of one check, and what the checks have in common.
struct Scene: Sendable {
  /// What a check expected and did not get.
  struct Mismatch: Error {
    let message: String
  }

  let store: any FactorStore
  let reopen: (@Sendable (any FactorStore) async throws -> any FactorStore)?

  /// A time, in seconds from the scene's beginning: whole seconds, which every store keeps exactly.
  static func time(_ seconds: Int) -> Date { Date(timeIntervalSince1970: TimeInterval(1_800_000_000 + seconds)) }

  func expect<Value: Equatable & Sendable>(
    _ actual: Value, _ expected: Value, _ what: String, line: Int = #line, file: String = #fileID
  ) throws {
    if actual != expected { throw Mismatch(message: "\(what): \(actual) instead of \(expected) (\(file):\(line))") }
  }

  func factor(
    _ uid: String, of userID: String = "user", kind: FactorRecord.Kind = .totp, uniqueKey: [UInt8]? = nil
  ) -> FactorRecord {
    FactorRecord(
      userID: userID, uid: uid, kind: kind, displayName: "name of \(uid)", enrollmentDate: Self.time(-3600),
      sealed: Array("sealed \(uid)".utf8), uniqueKey: uniqueKey)
  }

  static let anyConditions = EnrollmentConditions(generation: nil, allowsExistingFactors: true, maximumFactorCount: 100)

  /// Adds factors without further conditions.
  func enroll(_ factors: FactorRecord..., line: Int = #line) async throws {
    for factor in factors {
      try await expect(store.enroll(factor, under: Self.anyConditions), .enrolled, "enroll", line: line)
    }
  }

  func account(_ userID: String = "user") async throws -> AccountRecord { try await store.account(of: userID) }

  /// The user's factor, as it is held now.
  func held(_ uid: String, of userID: String = "user") async throws -> FactorRecord {
    guard let factor = try await account(userID).factors.first(where: { $0.uid == uid }) else {
      throw Mismatch(message: "the user has lost the factor \(uid)")
    }
    return factor
  }

  /// Runs what has to leave a user's record as it is.
  func expectUnchanged(_ what: String, line: Int = #line, by body: () async throws -> Void) async throws {
    try await expectUnchanged("user", what, line: line, by: body)
  }

  /// Runs what has to leave the record of that user as it is.
  func expectUnchanged(
    _ userID: String, _ what: String, line: Int = #line, by body: () async throws -> Void
  ) async throws {
    let before = try await account(userID)
    try await body()
    try await expect(account(userID), before, "\(what) has changed the record", line: line)
  }

  func reserve(
    _ target: AttemptTarget, of userID: String = "user", at seconds: Int = 0, under policy: AttemptPolicy = .standard,
    ifGeneration generation: UInt64? = nil
  ) async throws -> ReservationOutcome {
    try await store.reserveAttempt(
      on: target, of: userID, at: Self.time(seconds), under: policy, ifGeneration: generation)
  }

  /// Reserves an attempt that has to be granted.
  func reserved(
    _ target: AttemptTarget, of userID: String = "user", at seconds: Int = 0, under policy: AttemptPolicy = .standard,
    line: Int = #line
  ) async throws -> Reservation {
    let outcome = try await reserve(target, of: userID, at: seconds, under: policy)
    guard case .reserved(let reservation) = outcome else {
      throw Mismatch(message: "reserve: \(outcome) instead of a reservation (line \(line))")
    }
    return reservation
  }

  func accept(
    _ evidence: Acceptance.Evidence, of userID: String = "user", reservation: UInt64 = 1, generation: UInt64 = 0
  ) async throws -> AcceptanceOutcome {
    try await store.accept(Acceptance(evidence, reservation: reservation, generation: generation), of: userID)
  }

  func challenge(
    _ id: String, of userID: String = "user", for purpose: ChallengeRecord.Purpose = .enrollment, number: UInt8 = 1,
    expiry seconds: Int = 300
  ) -> ChallengeRecord {
    ChallengeRecord(
      id: id, userID: userID, purpose: purpose, numberKey: [number, 0, 255], sealedNumber: Array("sealed \(id)".utf8),
      codeHash: Array("hash \(id)".utf8), expiry: Self.time(seconds))
  }

  func open(
    _ challenge: ChallengeRecord, at seconds: Int = 0, under limits: SendLimits? = .standard
  ) async throws -> ChallengeOutcome {
    try await store.openChallenge(challenge, under: limits, at: Self.time(seconds))
  }

  /// Opens a challenge and makes it active.
  func activate(_ challenge: ChallengeRecord, at seconds: Int = 0, line: Int = #line) async throws {
    try await expect(open(challenge, at: seconds), .opened, "open", line: line)
    try await expect(
      store.activateChallenge(challenge.id, of: challenge.userID), true, "activate", line: line)
  }

  /// A policy without delays and with the highest of limits.
  static func patientPolicy() throws -> AttemptPolicy {
    try AttemptPolicy(failuresUntilLock: 100, lockDuration: nil, firstDelayedFailure: 100, initialDelay: 0)
  }

  /// Limits of which all but the given ones are out of reach.
  static func limits(
    perNumber: SendLimits.Limit? = nil, perUser: SendLimits.Limit? = nil, overall: SendLimits.Limit? = nil
  ) throws -> SendLimits {
    let wide = try SendLimits.Limit(1_000_000, every: 10)
    return SendLimits(perNumber: perNumber ?? wide, perUser: perUser ?? wide, overall: overall ?? wide)
  }

  /// Runs a body many times at once.
  func atOnce<Value: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Value
  ) async throws -> [Value] {
    try await withThrowingTaskGroup(of: Value.self) { group in
      for index in 0..<count { group.addTask { try await body(index) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }
}
