/// How the host proved who the user is, before this layer comes in: a provider's ID as the SDK writes it.
///
/// Two are equal when their IDs differ in nothing but upper and lower case.
public struct FirstFactor: Sendable, Hashable {
  /// The provider's ID: `password`, `google.com`, `saml.example`, …
  public let providerID: String

  /// A first factor by its provider's ID, such as `google.com`, `oidc.example` or `saml.example`.
  public init(providerID: String) { self.providerID = providerID }

  /// A password.
  public static let password = FirstFactor(providerID: "password")
  /// A link sent by e-mail.
  public static let emailLink = FirstFactor(providerID: "emailLink")
  /// A text message. No second factor goes with it.
  public static let phone = FirstFactor(providerID: "phone")
  /// Nothing. No second factor goes with it.
  public static let anonymous = FirstFactor(providerID: "anonymous")
  /// A token of the host's own making. No second factor goes with it.
  public static let customToken = FirstFactor(providerID: "custom")
  /// Game Center. No second factor goes with it.
  public static let gameCenter = FirstFactor(providerID: "gc.apple.com")

  /// Whether a second factor can go with it.
  public var supportsSecondFactor: Bool {
    ![.phone, .anonymous, .customToken, .gameCenter].contains(self)
  }

  /// True where the IDs are the same, whatever their case.
  public static func == (left: FirstFactor, right: FirstFactor) -> Bool {
    left.providerID.lowercased() == right.providerID.lowercased()
  }

  /// Hashes the ID in lower case.
  public func hash(into hasher: inout Hasher) { hasher.combine(providerID.lowercased()) }
}
