import Foundation

/// What a store holds of one factor. The secret is sealed: a store can neither read it nor move it to another row.
public struct FactorRecord: Sendable, Hashable {
  /// The kind of a factor.
  @nonexhaustive public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Codes by time (RFC 6238).
    case totp
    /// Codes by counter (RFC 4226).
    case hotp
    /// Codes by text message.
    case phone
  }

  /// The user whose factor it is.
  public let userID: String
  /// The factor's name, random. No factor of anybody gets it again, also when this one is gone.
  public let uid: String
  /// What kind of factor it is.
  public let kind: Kind
  /// What the user calls it.
  public let displayName: String?
  /// When it was enrolled, to the millisecond.
  public let enrollmentDate: Date
  /// The secret and its parameters, or the phone number, sealed by the keyring.
  public var sealed: [UInt8]
  /// A keyed hash that no two factors of one user share: of what the factor proves.
  public let uniqueKey: [UInt8]?
  /// The step or counter accepted last; the next one accepted is above it.
  public var lastAccepted: UInt64?
  /// How many steps the user's clock is ahead, learned from successes.
  public var drift: Int
  /// The attempts on it.
  public var attempts: AttemptState

  /// A factor; without more, as it is just before its enrolment.
  public init(
    userID: String, uid: String, kind: Kind, displayName: String?, enrollmentDate: Date, sealed: [UInt8],
    uniqueKey: [UInt8]? = nil, lastAccepted: UInt64? = nil, drift: Int = 0, attempts: AttemptState = AttemptState()
  ) {
    self.userID = userID
    self.uid = uid
    self.kind = kind
    self.displayName = displayName
    self.enrollmentDate = enrollmentDate
    self.sealed = sealed
    self.uniqueKey = uniqueKey
    self.lastAccepted = lastAccepted
    self.drift = drift
    self.attempts = attempts
  }
}

extension FactorRecord {
  /// This factor in the place of others: what one of them with the same `uniqueKey` has accepted stays accepted.
  package func keepingSpent(of replaced: [FactorRecord]) -> FactorRecord {
    // A step is no counter: what was spent of the one says nothing of the other.
    guard let uniqueKey,
      let spent = replaced.first(where: { $0.uniqueKey == uniqueKey && $0.kind == kind })?.lastAccepted
    else { return self }
    var factor = self
    factor.lastAccepted = lastAccepted.map { max($0, spent) } ?? spent
    return factor
  }
}
