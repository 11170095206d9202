import Foundation

/// Where users' second factors are kept.
///
/// Each function is one atomic operation in the terms of this layer: it happens whole or, when it throws, not at all,
/// also beside any number of others in other tasks, processes and machines that share the store. When it returns, what
/// it has changed survives a crash of the process and, for a store on a disk, of the machine. There is no way to load
/// a record, change it and save it.
///
/// Names (of users, factors, challenges) are equal where all their UTF-8 bytes are: not, as `String`s are, where they look
/// the same. A store may keep times to the millisecond, rounded to the nearest. What it finds damaged, it answers with
/// an error, never with a default.
///
/// `FactorStoreConformance` is the suite that a store has to pass.
public protocol FactorStore: Sendable {
  /// What is held of a user, as of one moment; an empty record for a user who has nothing.
  func account(of userID: String) async throws -> AccountRecord

  /// The users whose records are not empty, in the order of their IDs' UTF-8 bytes. Challenges and counted messages
  /// alone make no record.
  ///
  /// - Parameters:
  ///   - userID: Only users that come after it; `nil` for the first ones.
  ///   - limit: How many at most, 1 or more.
  func accounts(after userID: String?, limit: Int) async throws -> [AccountRecord]

  /// Adds a factor, under conditions that are checked in the same transaction, in the order in which
  /// ``EnrollmentOutcome`` lists their failures. The record is kept as it is, and comes after the user's others.
  ///
  /// A factor's `uid` is used once: when the factor was removed or replaced, it stays taken, for everybody and for ever.
  /// Else a secret that is being enrolled could be enrolled once more after its removal, with a code that was accepted
  /// before.
  func enroll(_ factor: FactorRecord, under conditions: EnrollmentConditions) async throws -> EnrollmentOutcome

  /// Removes a factor and the challenges for it, under conditions checked in the order of ``RemovalOutcome``.
  ///
  /// If it is the one of the user's factors that was enrolled last, the generation is raised. If none is left, the
  /// recovery codes go too, and what counted the attempts on them.
  ///
  /// - Parameters:
  ///   - uid: The factor's name.
  ///   - userID: The user whose factor it has to be.
  ///   - generation: The generation that the user must have; `nil` for any.
  func removeFactor(_ uid: String, of userID: String, ifGeneration generation: UInt64?) async throws -> RemovalOutcome

  /// Puts factors in the place of all that the user has, raises the generation, and removes all of the user's challenges
  /// and recovery codes, with what counted the attempts on them.
  ///
  /// The records are kept as they are, but that one whose `uniqueKey` a replaced factor had takes over that factor's
  /// `lastAccepted` where it is above its own, or it has none: a code that is spent stays spent, also when the same secret
  /// is put in its own place.
  ///
  /// - Returns: The new generation, or `nil`, with nothing changed, if two of the factors share a `uid` or `uniqueKey`,
  ///   or one belongs to another user, or a factor has or had its `uid`, other than one that this user has now.
  func replaceFactors(of userID: String, with factors: [FactorRecord]) async throws -> UInt64?

  /// Reserves an attempt: counts it as a failure, durably, before anybody looks at the code.
  ///
  /// What is in the way is looked for in the order in which ``ReservationOutcome`` lists it:
  ///
  /// 1. The generation, before anything is touched: who is revoked uses up nobody's attempts.
  /// 2. The factor of the target's kind, or the recovery codes; before anything is touched.
  /// 3. The lock or delay. The attempts of the factor or of the recovery codes change by
  ///    ``AttemptState/reserve(at:under:)`` alone, also where it refuses.
  /// 4. The challenge, if one takes part: it must be of this user and purpose, be active, have tries left (else
  ///    `challengeNotFound`), and not be expired: `now` is before its expiry (else `challengeExpired`). One of its tries is
  ///    taken.
  ///
  /// So an attempt on a phone factor is counted, and stays counted as a failure, also where its challenge cannot take
  /// part. Else a spent challenge could be asked about without limit.
  ///
  /// - Parameters:
  ///   - target: What the attempt is on.
  ///   - userID: The user whose it has to be.
  ///   - now: The time of the attempt.
  ///   - policy: What limits attempts.
  ///   - generation: The generation that the user must have, 0 for one whom the store does not know; `nil` for any.
  func reserveAttempt(
    on target: AttemptTarget, of userID: String, at now: Date, under policy: AttemptPolicy,
    ifGeneration generation: UInt64?
  ) async throws -> ReservationOutcome

  /// Turns a reserved attempt into a success: compare-and-advance.
  ///
  /// In one transaction: the evidence is spent (a step or counter above the one accepted last becomes that one; a
  /// challenge or a recovery code is deleted), and the attempts change by ``AttemptState/succeed(_:)``. Where the
  /// evidence is spent already, nothing changes. The conditions are checked in the order of ``AcceptanceOutcome``.
  func accept(_ acceptance: Acceptance, of userID: String) async throws -> AcceptanceOutcome

  /// Replaces a factor's sealed value if it still is the given one.
  ///
  /// - Returns: Whether it was.
  func reseal(_ uid: String, of userID: String, from old: [UInt8], to new: [UInt8]) async throws -> Bool

  /// Clears the failures of a factor, or of the recovery codes.
  ///
  /// - Returns: Whether there is such a factor, or any recovery code.
  func unlock(_ target: UnlockTarget, of userID: String) async throws -> Bool

  /// Raises the generation: all of the user's handles and pending sign-ins are revoked.
  ///
  /// - Returns: The new generation.
  func revokeHandles(of userID: String) async throws -> UInt64

  /// Puts recovery codes in the place of those that the user has, and clears the failures on them. Attempts are numbered
  /// on, so that none of before can clear one of after.
  ///
  /// - Parameters:
  ///   - userID: The user.
  ///   - hashes: Keyed hashes of the codes, all different; one given twice is kept once. None removes all codes.
  ///   - generation: The generation that the user must have, 0 for one whom the store does not know; `nil` for any.
  /// - Returns: Whether it is that, and the user has a factor or there are no `hashes`; else nothing changes.
  func replaceRecoveryCodes(
    of userID: String, with hashes: [[UInt8]], ifGeneration generation: UInt64?
  ) async throws -> Bool

  /// Counts a text message and keeps its challenge, not yet active, unless a limit is reached.
  ///
  /// The message counts, whatever becomes of the challenge; one that is refused does not. A message counts under a limit
  /// until the limit's interval has passed since it was opened, that moment excluded. The answer to one too many is
  /// the moment at which no limit refuses any more. A clock that was set back does not lengthen that by more than
  /// the interval: messages from the future are taken to be of `now`.
  ///
  /// Challenges that expired a day ago, and counts that none of these limits looks at, may be deleted on the way.
  ///
  /// - Parameters:
  ///   - challenge: The challenge, kept as not active whatever it says.
  ///   - limits: The limits; `nil` for a challenge whose message is not sent, which nothing counts or refuses.
  ///   - now: The time by which messages are counted.
  func openChallenge(
    _ challenge: ChallengeRecord, under limits: SendLimits?, at now: Date
  ) async throws -> ChallengeOutcome

  /// Makes a challenge active, since its message is on its way, and deletes the user's others for the same purpose, active
  /// or not.
  ///
  /// - Returns: Whether there is such a challenge.
  func activateChallenge(_ id: String, of userID: String) async throws -> Bool
}

extension FactorStore {
  /// Reserves an attempt in any generation. See ``reserveAttempt(on:of:at:under:ifGeneration:)``.
  public func reserveAttempt(
    on target: AttemptTarget, of userID: String, at now: Date, under policy: AttemptPolicy
  ) async throws -> ReservationOutcome {
    try await reserveAttempt(on: target, of: userID, at: now, under: policy, ifGeneration: nil)
  }
}
