import Foundation
import MultiFactor
import OTP

/// A factor whose codes are sent by text message. Its description does not show the number.
public struct PhoneMultiFactorInfo: MultiFactorInfo, Hashable {
  /// The factor's name.
  public let uid: String
  /// What the user calls it.
  public let displayName: String?
  /// When it was enrolled.
  public let enrollmentDate: Date
  /// The number in E.164, for the signed-in user and for an administrator; in a resolver's hints, with all digits but
  /// the last four masked: `+*******1234`.
  public let phoneNumber: String
  /// Always ``PhoneMultiFactorID``.
  public var factorID: String { PhoneMultiFactorID }
}

extension PhoneMultiFactorInfo: Redacted {}
