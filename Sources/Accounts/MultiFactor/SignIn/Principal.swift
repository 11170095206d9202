/// A user whom the host has identified by a first factor.
public struct Principal: Sendable, Hashable {
  /// The host's ID for the user: unique, never reused for another user, 1...256 bytes of UTF-8 without control
  /// characters, line or paragraph separators, or bidirectional controls. It is compared byte by byte, so the host must
  /// resolve aliases and upper case first.
  public let id: String
  /// The user's e-mail address, if the host has one.
  public let email: String?
  /// Whether the host knows that the address is the user's.
  public let isEmailVerified: Bool

  /// A user as the host knows it.
  public init(id: String, email: String? = nil, isEmailVerified: Bool = false) {
    self.id = id
    self.email = email
    self.isEmailVerified = isEmailVerified
  }

  /// The maximum length of an ID or an address, in bytes.
  static let maximumByteCount = 256

  /// Whether its ID is valid and its e-mail address is short enough for a token: any other user is refused.
  public var isWellFormed: Bool { Self.isIdentifier(id) && (email?.utf8.count ?? 0) <= Self.maximumByteCount }

  /// Whether a text can be an ID: not too long, and without characters that break a line, start an escape sequence or
  /// change the direction of text. With those, log lines could be forged.
  static func isIdentifier(_ text: String) -> Bool {
    guard 1...maximumByteCount ~= text.utf8.count else { return false }
    if text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) { return true }
    return text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: false
      default: !scalar.properties.isBidiControl
      }
    }
  }
}

/// The first factor that the host has verified, as a provider ID of the SDK.
///
/// Two are equal if their IDs are, ignoring case.
public struct FirstFactor: Sendable, Hashable {
  /// The provider's ID: `password`, `google.com`, `saml.example`, …
  public let providerID: String

  /// A first factor by its provider's ID, such as `google.com`, `oidc.example` or `saml.example`.
  public init(providerID: String) { self.providerID = providerID }

  /// A password, which the host has checked.
  public static let password = FirstFactor(providerID: "password")
  /// A link sent by e-mail.
  public static let emailLink = FirstFactor(providerID: "emailLink")
  /// A text message. It cannot be combined with a second factor.
  public static let phone = FirstFactor(providerID: "phone")
  /// None at all. It cannot be combined with a second factor.
  public static let anonymous = FirstFactor(providerID: "anonymous")
  /// The host's own token. It cannot be combined with a second factor.
  public static let customToken = FirstFactor(providerID: "custom")
  /// Game Center. It cannot be combined with a second factor.
  public static let gameCenter = FirstFactor(providerID: "gc.apple.com")

  /// Whether it can be combined with a second factor.
  public var supportsSecondFactor: Bool {
    ![.phone, .anonymous, .customToken, .gameCenter].contains(self)
  }

  /// True if the IDs are equal, ignoring case.
  public static func == (left: FirstFactor, right: FirstFactor) -> Bool {
    left.providerID.lowercased() == right.providerID.lowercased()
  }

  /// Hashes the ID in lower case.
  public func hash(into hasher: inout Hasher) { hasher.combine(providerID.lowercased()) }
}
