import Foundation

/// What a store holds of one phone challenge: a code that was sent, as a keyed hash, and what it is good for.
public struct ChallengeRecord: Sendable, Hashable {
  /// What a challenge proves.
  @frozen public enum Purpose: Sendable, Hashable {
    /// That the user has the number to be enrolled.
    case enrollment
    /// The factor of this name.
    case signIn(factorUID: String)
  }

  /// The challenge's name, random.
  public let id: String
  /// The user whose challenge it is.
  public let userID: String
  /// What it is good for.
  public let purpose: Purpose
  /// A keyed hash of the phone number, by which messages are counted.
  public let numberKey: [UInt8]
  /// The phone number, sealed by the keyring.
  public let sealedNumber: [UInt8]
  /// A keyed hash of the code.
  public let codeHash: [UInt8]
  /// From when on it is good for nothing.
  public let expiry: Date
  /// How many attempts have been reserved.
  public var tries: Int
  /// Whether its message has been handed over to the sender. Before, no attempt can be reserved.
  public var isActive: Bool

  /// A challenge; without more, one whose message has not been sent.
  public init(
    id: String, userID: String, purpose: Purpose, numberKey: [UInt8], sealedNumber: [UInt8], codeHash: [UInt8],
    expiry: Date, tries: Int = 0, isActive: Bool = false
  ) {
    self.id = id
    self.userID = userID
    self.purpose = purpose
    self.numberKey = numberKey
    self.sealedNumber = sealedNumber
    self.codeHash = codeHash
    self.expiry = expiry
    self.tries = tries
    self.isActive = isActive
  }

  /// How many attempts one challenge takes.
  public static let maximumTries = 5

  /// How long an expired challenge is kept, in milliseconds: for a while, who comes late is told so.
  package static let keptAfterExpiry: Int64 = 86_400_000
}
