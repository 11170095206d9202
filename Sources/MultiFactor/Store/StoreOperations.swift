import Foundation

/// What must hold for a factor to be added.
public struct EnrollmentConditions: Sendable, Hashable {
  /// The generation that the user must have; `nil` for any.
  public var generation: UInt64?
  /// Whether the user may have factors already.
  public var allowsExistingFactors: Bool
  /// How many factors the user may have afterwards.
  public var maximumFactorCount: Int
  /// The enrolment challenge that is spent with it. It must be active and of the same user, whatever its tries and expiry.
  public var challengeID: String?

  /// Conditions.
  public init(
    generation: UInt64?, allowsExistingFactors: Bool, maximumFactorCount: Int, challengeID: String? = nil
  ) {
    self.generation = generation
    self.allowsExistingFactors = allowsExistingFactors
    self.maximumFactorCount = maximumFactorCount
    self.challengeID = challengeID
  }
}

/// What came of adding a factor.
@frozen public enum EnrollmentOutcome: Sendable, Hashable {
  /// It was added.
  case enrolled
  /// The user has another generation.
  case revoked
  /// The user has a factor, and may not.
  case factorsExist
  /// The user has a factor with this `uniqueKey`, or some user has or had one with this `uid`.
  case alreadyEnrolled
  /// The user has as many as are allowed.
  case tooMany
  /// There is no such challenge, or not any more.
  case challengeSpent
}

/// What came of removing a factor.
@frozen public enum RemovalOutcome: Sendable, Hashable {
  /// It was removed; the user's generation afterwards.
  case removed(generation: UInt64)
  /// The user has another generation.
  case revoked
  /// The user has no such factor.
  case notFound
}

/// What an attempt is made on.
@frozen public enum AttemptTarget: Sendable, Hashable {
  /// A factor of another kind than phone: a phone has no codes without a challenge.
  case factor(uid: String)
  /// A phone factor, by a challenge that was sent for it.
  case phoneFactor(uid: String, challengeID: String)
  /// An enrolment challenge: its own tries are all that counts.
  case enrollmentChallenge(id: String)
  /// The recovery codes.
  case recoveryCodes
}

/// What came of asking for an attempt.
@frozen public enum ReservationOutcome: Sendable, Hashable {
  /// The attempt may be made.
  case reserved(Reservation)
  /// The user has another generation. Nothing was touched.
  case revoked
  /// The user has no such factor, or none of the target's kind, or no recovery code. Nothing was touched.
  case notFound
  /// The factor is locked or delayed, until then or, with `nil`, until an administrator unlocks it. No attempt is counted.
  case refused(retryAfter: Date?)
  /// There is no such challenge, or not any more, or not for this; or it has no tries left. An attempt on the factor is
  /// counted, and can no longer become a success.
  case challengeNotFound
  /// The challenge has expired. An attempt on the factor is counted, and can no longer become a success.
  case challengeExpired
}

/// A reserved attempt, and what is needed to check the code: all as it is once the attempt is reserved.
public struct Reservation: Sendable, Hashable {
  /// The attempt's number among those on its target; 0 for an enrolment challenge.
  public let number: UInt64
  /// The user's generation.
  public let generation: UInt64
  /// The factor that the attempt is on.
  public let factor: FactorRecord?
  /// The challenge that takes part.
  public let challenge: ChallengeRecord?

  /// A reservation.
  public init(
    number: UInt64, generation: UInt64, factor: FactorRecord? = nil, challenge: ChallengeRecord? = nil
  ) {
    self.number = number
    self.generation = generation
    self.factor = factor
    self.challenge = challenge
  }
}

/// A success to be recorded.
public struct Acceptance: Sendable, Hashable {
  /// What made it a success, and is spent by it.
  @frozen public enum Evidence: Sendable, Hashable {
    /// A step or counter of a factor, and the factor's drift from now on.
    case position(UInt64, drift: Int, factorUID: String)
    /// A challenge for a factor.
    case challenge(id: String, factorUID: String)
    /// A recovery code's keyed hash.
    case recoveryCode(hash: [UInt8])
  }

  /// What is spent.
  public let evidence: Evidence
  /// The number of the reserved attempt.
  public let reservation: UInt64
  /// The generation that the user must have.
  public let generation: UInt64

  /// An acceptance.
  public init(_ evidence: Evidence, reservation: UInt64, generation: UInt64) {
    self.evidence = evidence
    self.reservation = reservation
    self.generation = generation
  }
}

/// What came of recording a success.
@frozen public enum AcceptanceOutcome: Sendable, Hashable {
  /// It is recorded.
  case accepted
  /// The user has another generation.
  case revoked
  /// The user has no such factor.
  case notFound
  /// The evidence was spent before, or was never there, or is a challenge that was never active.
  case replayed
}

/// Whose failures an administrator clears.
@frozen public enum UnlockTarget: Sendable, Hashable {
  /// A factor's.
  case factor(uid: String)
  /// The recovery codes'.
  case recoveryCodes
}

/// What came of opening a challenge.
@frozen public enum ChallengeOutcome: Sendable, Hashable {
  /// It is kept, and its message may be sent.
  case opened
  /// A limit is reached; from when on it will not be.
  case refused(retryAfter: Date)
}
