/// The types of groups that the format has.
enum GroupType: String, CaseIterable, Sendable {
  case hmac, hotp, totp, base32
  case uriParse = "uri-parse"
  case uriBuild = "uri-build"
  case verifyTOTP = "verify-totp"
  case verifyHOTP = "verify-hotp"
  // Only in the second format.
  case base32Code = "base32-code"
  case uriCode = "uri-code"
  case uriRoundTrip = "uri-round-trip"

  /// Whether a format has groups of this type.
  func isOf(_ format: Format) -> Bool {
    switch self {
    case .base32Code, .uriCode, .uriRoundTrip: format == .version2
    default: true
    }
  }
}
