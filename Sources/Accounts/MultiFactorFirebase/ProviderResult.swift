import Keyring
import MultiFactor
import OTP

extension MultiFactorAuth {
  /// Signs in a user, as `signIn(_:firstFactor:payload:)`, with what the first factor's provider returned, as in the
  /// SDK.
  ///
  /// - Parameters:
  ///   - principal: The user, as known to the host.
  ///   - firstFactor: How the host has just verified the user: the first factor.
  ///   - additionalUserInfo: What the first factor's provider says about the user, returned in the result, also after a
  ///     second factor. A profile can have 255 entries.
  ///   - credential: What the first factor's provider issued, returned likewise.
  /// - Throws: `AuthError` with code `invalidCredential` if that comes to more than 2,048 bytes, a few for each text
  ///   included; otherwise as that function.
  public func signIn(
    _ principal: Principal, firstFactor: FirstFactor, additionalUserInfo: AdditionalUserInfo?,
    credential: AuthCredential? = nil
  ) async throws -> AuthDataResult {
    guard additionalUserInfo?.profile?.count ?? 0 <= 255 else { throw AuthError(.invalidCredential) }
    let result = ProviderResult(additionalUserInfo: additionalUserInfo, credential: credential)
    return try await signIn(principal, firstFactor: firstFactor, payload: result.encoded().copiedBytes())
  }
}

extension AuthDataResult {
  /// What the first factor's provider says about the user, if the host passed it at the sign-in.
  public var additionalUserInfo: AdditionalUserInfo? { providerResult?.additionalUserInfo }
  /// What the first factor's provider issued, if the host passed it at the sign-in.
  public var credential: AuthCredential? { providerResult?.credential }

  private var providerResult: ProviderResult? { try? ProviderResult(SecretBytes(copying: payload.span)) }
}

/// What the provider of a first factor says about a user. Its description shows none of it.
public struct AdditionalUserInfo: Sendable, Hashable {
  /// The provider's ID.
  public let providerID: String
  /// The provider's attributes of the user, by its own names. The host must convert other types of values to text.
  public let profile: [String: String]?
  /// The provider's name for the user.
  public let username: String?
  /// Whether this is the user's first sign-in.
  public let isNewUser: Bool

  /// What a provider says about a user.
  public init(providerID: String, profile: [String: String]? = nil, username: String? = nil, isNewUser: Bool = false) {
    self.providerID = providerID
    self.profile = profile
    self.username = username
    self.isNewUser = isNewUser
  }
}

extension AdditionalUserInfo: Redacted {}

/// What the provider of a first factor issued, for the host's requests to that provider. Its description shows none of
/// it; its texts are not wiped.
public struct AuthCredential: Sendable, Hashable {
  /// The provider's ID.
  public let provider: String
  /// An OpenID Connect ID token.
  public let idToken: String?
  /// An OAuth access token.
  public let accessToken: String?
  /// The secret of an OAuth 1.0 access token.
  public let secret: String?

  /// A credential of what a provider issued.
  public init(provider: String, idToken: String? = nil, accessToken: String? = nil, secret: String? = nil) {
    self.provider = provider
    self.idToken = idToken
    self.accessToken = accessToken
    self.secret = secret
  }
}

extension AuthCredential: Redacted {}

/// What the host passed with the first factor: the payload of a sign-in.
private struct ProviderResult: Sendable {
  let additionalUserInfo: AdditionalUserInfo?
  let credential: AuthCredential?
}

extension ProviderResult: Sealable {
  func encode(to writer: inout ByteWriter) {
    writer.append(additionalUserInfo) { writer, info in
      writer.append(info.providerID)
      writer.append(info.profile) { writer, profile in
        // Sorted, so that the same profile has the same bytes.
        writer.append(list: profile.sorted { $0.key < $1.key }) { writer, entry in
          writer.append(entry.key)
          writer.append(entry.value)
        }
      }
      writer.append(info.username) { writer, text in writer.append(text) }
      writer.append(info.isNewUser)
    }
    writer.append(credential) { writer, credential in
      writer.append(credential.provider)
      for text in [credential.idToken, credential.accessToken, credential.secret] {
        writer.append(text) { writer, text in writer.append(text) }
      }
    }
  }

  init(from reader: inout ByteReader) throws(KeyringError) {
    func optionalText(_ reader: inout ByteReader) throws(KeyringError) -> String? {
      try reader.readOptional { (reader) throws(KeyringError) in try reader.readString() }
    }
    additionalUserInfo = try reader.readOptional { (reader) throws(KeyringError) in
      let providerID = try reader.readString()
      let profile = try reader.readOptional { (reader) throws(KeyringError) in try Self.profile(from: &reader) }
      let username = try optionalText(&reader)
      return AdditionalUserInfo(
        providerID: providerID, profile: profile, username: username, isNewUser: try reader.readBool())
    }
    credential = try reader.readOptional { (reader) throws(KeyringError) in
      AuthCredential(
        provider: try reader.readString(), idToken: try optionalText(&reader), accessToken: try optionalText(&reader),
        secret: try optionalText(&reader))
    }
  }

  private static func profile(from reader: inout ByteReader) throws(KeyringError) -> [String: String] {
    let entries = try reader.readList { (reader) throws(KeyringError) in
      (key: try reader.readString(), value: try reader.readString())
    }
    let profile = Dictionary(entries.map { ($0.key, $0.value) }) { first, _ in first }
    guard profile.count == entries.count else { throw KeyringError(.malformed) }
    return profile
  }
}
