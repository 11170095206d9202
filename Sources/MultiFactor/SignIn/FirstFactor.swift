/// How the user proved the first factor to the host, as a provider ID of the SDK.
///
/// Two are equal if their IDs are, ignoring case.
public struct FirstFactor: Sendable, Hashable {
  /// The provider's ID: `password`, `google.com`, `saml.example`, …
  public let providerID: String

  /// A first factor by its provider's ID, such as `google.com`, `oidc.example` or `saml.example`.
  public init(providerID: String) { self.providerID = providerID }

  /// A password.
  public static let password = FirstFactor(providerID: "password")
  /// A link sent by e-mail.
  public static let emailLink = FirstFactor(providerID: "emailLink")
  /// A text message. It cannot be combined with a second factor.
  public static let phone = FirstFactor(providerID: "phone")
  /// Nothing. It cannot be combined with a second factor.
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
