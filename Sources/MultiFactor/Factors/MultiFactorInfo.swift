import Foundation
import OTP

// The SDK's names; this project's convention would start them in lower case.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The `factorID` of TOTP factors (RFC 6238).
public let TOTPMultiFactorID = "totp"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The `factorID` of codes by text message.
public let PhoneMultiFactorID = "phone"
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
  /// Its kind: ``TOTPMultiFactorID``, ``PhoneMultiFactorID`` or ``HOTPMultiFactorID``.
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
  /// ``TOTPMultiFactorID``.
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
  /// ``HOTPMultiFactorID``.
  public var factorID: String { HOTPMultiFactorID }
}

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
  /// ``PhoneMultiFactorID``.
  public var factorID: String { PhoneMultiFactorID }
}

extension PhoneMultiFactorInfo: Redacted {}

extension Factor {
  /// What its user and an administrator may know about it.
  var info: any MultiFactorInfo { info(\.e164) }
  /// What a client that has proved only the first factor may know about it.
  var hint: any MultiFactorInfo { info(\.masked) }

  private func info(_ text: (PhoneNumber) -> String) -> any MultiFactorInfo {
    switch content {
    case .phone(let number, _):
      PhoneMultiFactorInfo(
        uid: uid, displayName: displayName, enrollmentDate: enrollmentDate, phoneNumber: text(number))
    case .record(let record) where record.kind == .hotp:
      HOTPMultiFactorInfo(uid: uid, displayName: displayName, enrollmentDate: enrollmentDate)
    case .record: TOTPMultiFactorInfo(uid: uid, displayName: displayName, enrollmentDate: enrollmentDate)
    }
  }
}
