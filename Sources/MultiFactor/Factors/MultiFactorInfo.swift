import Foundation
import OTP

// The SDK's names; this project's convention would start them in lower case.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The `factorID` of TOTP factors (RFC 6238).
public let TOTPMultiFactorID = "totp"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The `factorID` of HOTP factors (RFC 4226).
public let HOTPMultiFactorID = "hotp"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The second factor, and its identifier, in the claims of a sign-in by a recovery code.
public let RecoveryCodeMultiFactorID = "recovery"

/// What a client may know about an enrolled factor.
public protocol MultiFactorInfo: Sendable {
  /// The factor's name, as used by an assertion for sign-in.
  var uid: String { get }
  /// What the user calls it.
  var displayName: String? { get }
  /// Its kind: ``TOTPMultiFactorID``, ``HOTPMultiFactorID``, or that of an ``ExternalFactor``.
  var factorID: String { get }
  /// When it was enrolled.
  var enrollmentDate: Date { get }
}

/// A TOTP factor.
public struct TOTPMultiFactorInfo: MultiFactorInfo, Hashable {
  /// The factor's name.
  public let uid: String
  /// What the user calls it.
  public let displayName: String?
  /// When it was enrolled.
  public let enrollmentDate: Date
  /// Always ``TOTPMultiFactorID``.
  public var factorID: String { TOTPMultiFactorID }
}

/// An HOTP factor: a hardware token.
public struct HOTPMultiFactorInfo: MultiFactorInfo, Hashable {
  /// The factor's name.
  public let uid: String
  /// What the user calls it.
  public let displayName: String?
  /// When it was enrolled.
  public let enrollmentDate: Date
  /// Always ``HOTPMultiFactorID``.
  public var factorID: String { HOTPMultiFactorID }
}
