import Keyring
import OTP

/// The result of a completed sign-in or enrolment: the user's handle, and what the first factor's provider returned.
///
/// Only this module creates one, after everything required was proved.
public struct AuthDataResult: Sendable {
  /// The signed-in user.
  public let user: User
  /// What the first factor's provider says about the user, if the host passed it at the sign-in.
  public let additionalUserInfo: AdditionalUserInfo?
  /// What the first factor's provider issued, if the host passed it at the sign-in.
  public let credential: AuthCredential?
  /// The factor that was enrolled; `nil` after a sign-in.
  public let enrolledFactor: (any MultiFactorInfo)?

  init(user: User, _ given: ProviderResult? = nil, enrolled: (any MultiFactorInfo)? = nil) {
    self.user = user
    enrolledFactor = enrolled
    additionalUserInfo = given?.additionalUserInfo
    credential = given?.credential
  }
}

extension AuthDataResult: Redacted {}

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

  /// What a provider issued.
  public init(provider: String, idToken: String? = nil, accessToken: String? = nil, secret: String? = nil) {
    self.provider = provider
    self.idToken = idToken
    self.accessToken = accessToken
    self.secret = secret
  }
}

extension AuthCredential: Redacted {}

/// What the host passed with the first factor. A sign-in that awaits its second factor carries it, sealed.
struct ProviderResult: Sendable {
  let additionalUserInfo: AdditionalUserInfo?
  let credential: AuthCredential?

  /// The maximum total of its texts, in bytes, with two more for each: all must fit into a token.
  static let maximumByteCount = 2048
  /// The maximum number of profile entries: that of a list in a token.
  static let maximumProfileCount = 255

  /// Whether a token can carry it.
  var isWellFormed: Bool {
    let profile = additionalUserInfo?.profile ?? [:]
    guard profile.count <= Self.maximumProfileCount else { return false }
    let texts = [
      additionalUserInfo?.providerID, additionalUserInfo?.username, credential?.provider, credential?.idToken,
      credential?.accessToken, credential?.secret,
    ]
    let entries = profile.flatMap { [$0.key, $0.value] }
    return (texts.compactMap(\.self) + entries).reduce(0) { $0 + $1.utf8.count + 2 } <= Self.maximumByteCount
  }
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
