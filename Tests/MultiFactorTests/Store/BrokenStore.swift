import Foundation
import MultiFactor

/// A store that is right but for one fault.
struct BrokenStore: FactorStore {
  /// What is wrong, and words from the name of a check that has to notice.
  enum Fault: String, CaseIterable, Sendable {
    case none = ""
    case acceptsAReplay = "a position is accepted once"
    case comparesPositionsAsSigned = "over their whole range"
    case forgetsTheDrift = "and then only one above it"
    case clearsLaterFailures = "not those after"
    case acceptsInAnyGeneration = "needs the generation, then the factor"
    case enrollsInAnyGeneration = "enrolling needs the generation"
    case enrollsOneTooMany = "largest number of factors is a user's"
    case enrollsInTwoSteps = "enrolments at once"
    case alwaysRaisesTheGeneration = "removing another does not"
    case takesOneTryFewer = "takes so many tries"
    case lastsASecondLonger = "until its expiry"
    case ignoresLocks = "as the policy says"
    case countsRefusedAttempts = "refusals are not counted"
    case forgivesWhereThereIsNoChallenge = "also where its challenge is of no use"
    case tellsOfChallengesDespiteALock = "generation, factor, lock, challenge"
    case takesAPhoneWithoutAChallenge = "one without needs another kind"
    case reservesInAnyGeneration = "an attempt needs the generation"
    case countsWhatIsRevoked = "who is revoked uses none up"
    case enrollsANameAgain = "a name stays taken"
    case replacesByANameOfBefore = "exclude one another"
    case makesSpentCodesGoodAgain = "a spent code stays spent"
    case keepsACodeOnReplacing = "replacing leaves neither"
    case replacesCodesInAnyGeneration = "recovery codes need the generation"
    case removesNoCodesWithoutFactors = "recovery codes can be removed"
    case keepsTheCodesItIsToRemove = "recovery codes can be removed, with"
    case showsTheFactorOfBefore = "shows what it is on"
    case locksUsersTogether = "each has a number of its own"
    case comparesNamesAsTheyLook = "byte by byte"
    case ordersIDsAsTheyLook = "page by page"
    case resealsWhatever = "still is the one that was read"
    case countsWithoutLimits = "without limits"
    case sendsOneMessageMore = "to one number"
    case endsALimitASecondEarly = "messages in all"
    case activatesAtOnce = "not active before"
    case unlocksWhatIsNotThere = "unlocking clears"
    case throwsWhenAskedForPages = "a page holds whole records"
  }

  struct Failed: Error {}

  let fault: Fault
  let store = InMemoryFactorStore()

  /// The user's name as the store knows it.
  private func name(_ userID: String) -> String {
    fault == .comparesNamesAsTheyLook ? userID.precomposedStringWithCanonicalMapping : userID
  }

  func account(of userID: String) async throws -> AccountRecord { await store.account(of: name(userID)) }

  func accounts(after userID: String?, limit: Int) async throws -> [AccountRecord] {
    if fault == .throwsWhenAskedForPages { throw Failed() }
    guard fault == .ordersIDsAsTheyLook else { return await store.accounts(after: userID, limit: limit) }
    let all = await store.accounts(after: nil, limit: .max).sorted { $0.userID < $1.userID }
    return Array(all.filter { account in userID.map { account.userID > $0 } ?? true }.prefix(limit))
  }

  func enroll(_ factor: FactorRecord, under conditions: EnrollmentConditions) async throws -> EnrollmentOutcome {
    var conditions = conditions
    if fault == .enrollsInAnyGeneration { conditions.generation = nil }
    if fault == .enrollsOneTooMany { conditions.maximumFactorCount += 1 }
    if fault == .enrollsInTwoSteps {
      if await store.account(of: factor.userID).factors.count >= conditions.maximumFactorCount { return .tooMany }
      try await Task.sleep(for: .milliseconds(20))
      conditions.maximumFactorCount = .max
    }
    let outcome = await store.enroll(factor, under: conditions)
    if fault == .enrollsANameAgain, outcome == .alreadyEnrolled, await !isHeld(factor.uid) { return .enrolled }
    return outcome
  }

  func removeFactor(
    _ uid: String, of userID: String, ifGeneration generation: UInt64?
  ) async throws -> RemovalOutcome {
    let outcome = await store.removeFactor(uid, of: userID, ifGeneration: generation)
    guard fault == .alwaysRaisesTheGeneration, case .removed = outcome else { return outcome }
    return await .removed(generation: store.revokeHandles(of: userID))
  }

  func replaceFactors(of userID: String, with factors: [FactorRecord]) async throws -> UInt64? {
    let before = await store.account(of: userID)
    var factors = factors
    if fault == .makesSpentCodesGoodAgain {
      // Without its key, the store does not know the secret again.
      factors = factors.map {
        FactorRecord(
          userID: $0.userID, uid: $0.uid, kind: $0.kind, displayName: $0.displayName,
          enrollmentDate: $0.enrollmentDate, sealed: $0.sealed, lastAccepted: $0.lastAccepted)
      }
    }
    guard let generation = await store.replaceFactors(of: userID, with: factors) else {
      guard fault == .replacesByANameOfBefore, let last = factors.last, await !isHeld(last.uid) else { return nil }
      return await store.replaceFactors(of: userID, with: factors.dropLast())
    }
    if fault == .keepsACodeOnReplacing, before.recoveryCodesRemaining > 0 {
      _ = await store.replaceRecoveryCodes(of: userID, with: [[1]], ifGeneration: nil)
    }
    return generation
  }

  /// Whether anybody has a factor of this name now.
  private func isHeld(_ uid: String) async -> Bool {
    await store.accounts(after: nil, limit: .max).contains { $0.factors.contains { $0.uid == uid } }
  }

  func reserveAttempt(
    on target: AttemptTarget, of userID: String, at now: Date, under policy: AttemptPolicy,
    ifGeneration given: UInt64?
  ) async throws -> ReservationOutcome {
    let before = await store.account(of: userID)
    let generation = fault == .reservesInAnyGeneration ? nil : given
    let reserve = {
      try await store.reserveAttempt(on: $0, of: userID, at: $1, under: policy, ifGeneration: generation)
    }
    if fault == .lastsASecondLonger, case .enrollmentChallenge = target {
      return try await reserve(target, now.addingTimeInterval(-1))
    }
    let outcome = try await reserve(target, now)
    switch (fault, target, outcome) {
    case (.takesOneTryFewer, .enrollmentChallenge, .reserved(let reservation))
    where reservation.challenge?.tries == ChallengeRecord.maximumTries:
      return .challengeNotFound
    case (.ignoresLocks, .factor(let uid), .refused):
      _ = await store.unlock(.factor(uid: uid), of: userID)
      return try await reserve(target, now)
    case (.countsRefusedAttempts, .factor, .refused):
      _ = try await store.reserveAttempt(
        on: target, of: userID, at: now,
        under: AttemptPolicy(failuresUntilLock: 100, firstDelayedFailure: 100, initialDelay: 0))
      return outcome
    case (.forgivesWhereThereIsNoChallenge, .phoneFactor(let uid, _), .challengeNotFound):
      _ = await store.unlock(.factor(uid: uid), of: userID)
      return outcome
    case (.tellsOfChallengesDespiteALock, .phoneFactor(_, let id), .refused):
      return await store.activateChallenge(id, of: userID) ? outcome : .challengeNotFound
    case (.takesAPhoneWithoutAChallenge, .factor(let uid), .notFound):
      guard let phone = before.factors.first(where: { $0.uid == uid }) else { return outcome }
      return .reserved(Reservation(number: 1, generation: before.generation, factor: phone))
    case (.countsWhatIsRevoked, _, .revoked):
      _ = try await store.reserveAttempt(on: target, of: userID, at: now, under: policy)
      return outcome
    case (.showsTheFactorOfBefore, .factor(let uid), .reserved(let reservation)):
      return .reserved(
        Reservation(
          number: reservation.number, generation: reservation.generation,
          factor: before.factors.first { $0.uid == uid }))
    case (.locksUsersTogether, .factor, .reserved):
      for other in await store.accounts(after: nil, limit: .max) where other.userID != userID {
        for factor in other.factors {
          _ = try await store.reserveAttempt(on: .factor(uid: factor.uid), of: other.userID, at: now, under: policy)
        }
      }
      return outcome
    default: return outcome
    }
  }

  func accept(_ acceptance: Acceptance, of userID: String) async throws -> AcceptanceOutcome {
    var acceptance = acceptance
    if fault == .acceptsInAnyGeneration {
      acceptance = await Acceptance(
        acceptance.evidence, reservation: acceptance.reservation,
        generation: store.account(of: userID).generation)
    }
    if case .position(let position, _, let uid) = acceptance.evidence {
      if fault == .comparesPositionsAsSigned, position >> 63 == 1 { return .replayed }
      if fault == .forgetsTheDrift {
        acceptance = Acceptance(
          .position(position, drift: 0, factorUID: uid), reservation: acceptance.reservation,
          generation: acceptance.generation)
      }
    }
    let outcome = await store.accept(acceptance, of: userID)
    if fault == .acceptsAReplay, outcome == .replayed { return .accepted }
    if fault == .clearsLaterFailures, case .position(_, _, let uid) = acceptance.evidence {
      _ = await store.unlock(.factor(uid: uid), of: userID)
    }
    return outcome
  }

  func reseal(_ uid: String, of userID: String, from old: [UInt8], to new: [UInt8]) async throws -> Bool {
    var old = old
    if fault == .resealsWhatever, let factor = await store.account(of: userID).factors.first(where: { $0.uid == uid }) {
      old = factor.sealed
    }
    return await store.reseal(uid, of: userID, from: old, to: new)
  }

  func unlock(_ target: UnlockTarget, of userID: String) async throws -> Bool {
    await store.unlock(target, of: userID) || fault == .unlocksWhatIsNotThere
  }

  func revokeHandles(of userID: String) async throws -> UInt64 { await store.revokeHandles(of: name(userID)) }

  func replaceRecoveryCodes(
    of userID: String, with hashes: [[UInt8]], ifGeneration given: UInt64?
  ) async throws -> Bool {
    let generation = fault == .replacesCodesInAnyGeneration ? nil : given
    if hashes.isEmpty {
      let account = await store.account(of: userID)
      if fault == .removesNoCodesWithoutFactors, account.factors.isEmpty { return false }
      if fault == .keepsTheCodesItIsToRemove { return generation.map { $0 == account.generation } ?? true }
    }
    return await store.replaceRecoveryCodes(of: userID, with: hashes, ifGeneration: generation)
  }

  func openChallenge(
    _ challenge: ChallengeRecord, under given: SendLimits?, at now: Date
  ) async throws -> ChallengeOutcome {
    guard var limits = given else {
      let limits = fault == .countsWithoutLimits ? SendLimits.standard : nil
      return try await store.openChallenge(challenge, under: limits, at: now)
    }
    if fault == .sendsOneMessageMore {
      limits = try SendLimits(
        perNumber: SendLimits.Limit(limits.perNumber.count + 1, every: limits.perNumber.interval),
        perUser: limits.perUser, overall: limits.overall)
    }
    if fault == .endsALimitASecondEarly {
      limits = try SendLimits(
        perNumber: limits.perNumber, perUser: limits.perUser,
        overall: SendLimits.Limit(limits.overall.count, every: limits.overall.interval - 1))
    }
    let outcome = try await store.openChallenge(challenge, under: limits, at: now)
    if fault == .activatesAtOnce { _ = await store.activateChallenge(challenge.id, of: challenge.userID) }
    return outcome
  }

  func activateChallenge(_ id: String, of userID: String) async throws -> Bool {
    await store.activateChallenge(id, of: userID)
  }
}
