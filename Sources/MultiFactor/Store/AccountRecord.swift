/// What a store holds of one user: an opaque identity of the host's, factors, and what counts attempts.
///
/// A user that a store has never heard of has an empty record.
public struct AccountRecord: Sendable, Hashable {
  /// The host's name for the user.
  public let userID: String
  /// The generation of the user's handles, 0 at first. A handle of an earlier generation is revoked.
  public var generation: UInt64
  /// The factors, in the order of their enrolment.
  public var factors: [FactorRecord]
  /// How many recovery codes are left.
  public var recoveryCodesRemaining: Int
  /// The attempts on the recovery codes.
  public var recoveryAttempts: AttemptState

  /// A record; without more, an empty one.
  public init(
    userID: String, generation: UInt64 = 0, factors: [FactorRecord] = [], recoveryCodesRemaining: Int = 0,
    recoveryAttempts: AttemptState = AttemptState()
  ) {
    self.userID = userID
    self.generation = generation
    self.factors = factors
    self.recoveryCodesRemaining = recoveryCodesRemaining
    self.recoveryAttempts = recoveryAttempts
  }
}
