/// Whom the host has recognised by a first factor.
public struct Principal: Sendable, Hashable {
  /// The host's name for the user: unique, never given to another user, 1...256 bytes of UTF-8. Compared byte by byte,
  /// so the host resolves aliases and upper case first.
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

  /// The largest number of bytes of an ID or an address.
  static let maximumByteCount = 256

  /// Whether its texts have sizes that tokens can carry.
  var isWellFormed: Bool {
    1...Self.maximumByteCount ~= id.utf8.count && (email?.utf8.count ?? 0) <= Self.maximumByteCount
  }
}
