import Foundation

/// An ID token like those of Google's emulator: a JWT without a signature, which says who signed in and how.
///
/// Its header contains `MultiFactor`'s sealed handle of the sign-in; clients and Admin SDKs read only the claims.
struct IDToken: Sendable {
  let claims: JSON
  /// `MultiFactor`'s token for the sign-in; `nil` for a token from elsewhere.
  let handle: String?

  /// How long a token is valid, in seconds, also in responses.
  static let lifetime: Int64 = 3600

  var text: String {
    var header: JSON = ["alg": "none", "typ": "JWT"]
    header["multiFactor"] = .text(handle)
    return JWT.text(header: header, claims: claims)
  }

  var localID: String? { claims["user_id"]?.string ?? claims["sub"]?.string }
  var project: String? { claims["aud"]?.string }
  var tenant: String? { claims["firebase"]?["tenant"]?.string }
  var issuedAt: Int64 { claims["iat"]?.integer ?? 0 }
  var provider: String { claims["firebase"]?["sign_in_provider"]?.string ?? "custom" }

  /// Names that custom claims cannot have.
  static let reservedClaims: Set = [
    "acr", "amr", "at_hash", "aud", "auth_time", "azp", "cnf", "c_hash", "exp", "firebase", "iat", "iss", "jti", "nbf",
    "nonce", "sub",
  ]

  /// The standard claims; all others in a token are custom claims.
  private static let ownClaims = reservedClaims.union([
    "email", "email_verified", "phone_number", "name", "picture", "provider_id", "user_id",
  ])

  /// The custom claims of a token, including those of the account.
  var customClaims: JSON { .object((claims.object ?? [:]).filter { !Self.ownClaims.contains($0.key) }) }
}

extension IDToken {
  /// Parses a token without checking its origin; `nil` if it is not a JWT.
  init?(unchecked text: String) {
    guard let (header, claims) = JWT.parts(of: text) else { return nil }
    self.init(claims: claims, handle: header["multiFactor"]?.string)
  }
}

/// Which second factor was verified.
struct SecondFactorProof: Sendable, Hashable {
  /// `totp` or `phone`.
  let kind: String
  let uid: String
}

/// JSON Web Tokens without a signature.
enum JWT {
  static func text(header: JSON, claims: JSON) -> String { "\(base64URL(header.text)).\(base64URL(claims.text))." }

  /// The header and claims of a token; its signature is not checked.
  static func parts(of text: String) -> (header: JSON, claims: JSON)? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = json(parts[0]), let claims = json(parts[1]) else { return nil }
    return (header, claims)
  }

  private static func json(_ text: Substring) -> JSON? {
    guard let data = data(base64URL: String(text)), let value = try? JSON(parsing: data), case .object = value else {
      return nil
    }
    return value
  }

  static func base64URL(_ data: Data) -> String {
    data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  static func data(base64URL text: String) -> Data? {
    var text = text.replacing("-", with: "+").replacing("_", with: "/")
    while text.last == "=" { text.removeLast() }
    return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
  }
}

/// A refresh token, readable like those of Google's emulator.
struct RefreshToken: Sendable {
  let content: JSON

  init(content: JSON) { self.content = content }

  init?(text: String) {
    guard let data = JWT.data(base64URL: text), let content = try? JSON(parsing: data),
      content["_AuthEmulatorRefreshToken"] != nil
    else { return nil }
    self.content = content
  }

  var text: String { JWT.base64URL(content.text) }
  var localID: String { content["localId"]?.string ?? "" }
  var project: String { content["projectId"]?.string ?? "" }
  var tenant: String? { content["tenantId"]?.string }
  var provider: String { content["provider"]?.string ?? "custom" }
  var issuedAt: Int64 { content["issuedAt"]?.integer ?? 0 }
  var handle: String? { content["multiFactor"]?.string }
  var customClaims: JSON { content["extraClaims"] ?? [:] }
}
