/// The types of groups that the format has.
enum GroupType: String, CaseIterable, Sendable {
  case hmac, hotp, totp, base32
  case uriParse = "uri-parse"
  case uriBuild = "uri-build"
  case verifyTOTP = "verify-totp"
  case verifyHOTP = "verify-hotp"
}
