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

/// A factor that is not a TOTP factor; an external one has its details, which its description does not show.
public struct FactorInfo: MultiFactorInfo, Hashable {
  /// The factor's name.
  public let uid: String
  /// What the user calls it.
  public let displayName: String?
  /// The kind's name: ``HOTPMultiFactorID`` or ``ExternalFactor/factorID``.
  public let factorID: String
  /// When it was enrolled.
  public let enrollmentDate: Date
  /// What the verdict at the enrollment, or at a later sign-in, contained; empty for a client, and for a token.
  public private(set) var details: [UInt8]

  /// The maximum length of the details, in bytes.
  package static let maximumDetailsByteCount = 2048

  init(_ factor: Factor) {
    (uid, displayName, factorID) = (factor.uid, factor.displayName, factor.kind.rawValue)
    enrollmentDate = factor.enrollmentDate
    details = if case .external(_, let details, _) = factor.content { details } else { [] }
  }

  var withoutDetails: FactorInfo {
    var info = self
    info.details = []
    return info
  }
}

extension FactorInfo: Redacted {}
