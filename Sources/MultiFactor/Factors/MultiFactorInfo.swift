import Foundation

// The SDK's names; by this project's they would begin in lower case.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The `factorID` of codes by time (RFC 6238).
public let TOTPMultiFactorID = "totp"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The `factorID` of codes by text message.
public let PhoneMultiFactorID = "phone"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The `factorID` of codes by counter (RFC 4226).
public let HOTPMultiFactorID = "hotp"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// What the claims of a sign-in by a recovery code have as second factor, and as its identifier.
public let RecoveryCodeMultiFactorID = "recovery"

/// What a client may know of an enrolled factor.
public protocol MultiFactorInfo: Sendable {
  /// The factor's name, by which an assertion for sign-in names it.
  var uid: String { get }
  /// What the user calls it.
  var displayName: String? { get }
  /// Its kind: ``TOTPMultiFactorID``, ``PhoneMultiFactorID`` or ``HOTPMultiFactorID``.
  var factorID: String { get }
  /// When it was enrolled.
  var enrollmentDate: Date { get }
}

/// A factor whose codes go by time.
public struct TOTPMultiFactorInfo: MultiFactorInfo, Hashable {
  /// The factor's name.
  public let uid: String
  /// What the user calls it.
  public let displayName: String?
  /// When it was enrolled.
  public let enrollmentDate: Date
  /// ``TOTPMultiFactorID``.
  public var factorID: String { TOTPMultiFactorID }
}

/// A factor whose codes go by counter: a hardware token.
public struct HOTPMultiFactorInfo: MultiFactorInfo, Hashable {
  /// The factor's name.
  public let uid: String
  /// What the user calls it.
  public let displayName: String?
  /// When it was enrolled.
  public let enrollmentDate: Date
  /// ``HOTPMultiFactorID``.
  public var factorID: String { HOTPMultiFactorID }
}

/// A factor whose codes come by text message.
public struct PhoneMultiFactorInfo: MultiFactorInfo, Hashable {
  /// The factor's name.
  public let uid: String
  /// What the user calls it.
  public let displayName: String?
  /// When it was enrolled.
  public let enrollmentDate: Date
  /// The number with all digits but the last four masked: `+*******1234`.
  public let phoneNumber: String
  /// ``PhoneMultiFactorID``.
  public var factorID: String { PhoneMultiFactorID }
}

extension Factor {
  /// What a client may know of it.
  var info: any MultiFactorInfo {
    switch content {
    case .phone(let number):
      PhoneMultiFactorInfo(
        uid: uid, displayName: displayName, enrollmentDate: enrollmentDate, phoneNumber: number.masked)
    case .secret(let secret) where secret.kind == .hotp:
      HOTPMultiFactorInfo(uid: uid, displayName: displayName, enrollmentDate: enrollmentDate)
    case .secret: TOTPMultiFactorInfo(uid: uid, displayName: displayName, enrollmentDate: enrollmentDate)
    }
  }
}
