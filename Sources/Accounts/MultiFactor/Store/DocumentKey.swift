import OTP

/// The name of a document in a store: 1...512 bytes, compared byte by byte.
///
/// | key | document |
/// |---|---|
/// | `external/`, a kind of external factor, `/` and the host's ID for the user | its data about the user |
/// | `limit/`, a kind of external factor, `/` and more | what it counts over all users |
/// | `store` | the mark by which a keyring recognizes its store |
/// | `user/` and the host's ID for the user | the user's account: everything else |
///
/// So a user's document can be found and deleted by the user's ID. A store only compares keys and does not interpret
/// them.
public struct DocumentKey: Sendable, Hashable, Comparable {
  /// The maximum length of a key, in bytes.
  public static let maximumByteCount = 512

  /// The key's bytes.
  public let bytes: [UInt8]

  /// A key from its bytes, as a store keeps them; `nil` if there are none, or more than 512.
  public init?(bytes: [UInt8]) {
    guard 1...Self.maximumByteCount ~= bytes.count else { return nil }
    self.bytes = bytes
  }

  /// A key from text, as UTF-8; `nil` if it is empty, or has more than 512 bytes.
  public init?(_ text: String) { self.init(bytes: Array(text.utf8)) }

  private init(text: String, _ rest: String = "") { bytes = Array(text.utf8) + rest.utf8 }

  /// The mark by which a keyring recognizes its store: see ``StoredDocument``.
  public static let mark = DocumentKey(text: "store")
  /// An external factor's data about a user.
  package static func external(_ kind: FactorKind, _ userID: String) -> DocumentKey {
    DocumentKey(text: "external/\(kind.rawValue)/\(userID)")
  }
  /// What an external factor counts over all users, by the keyed hash of what it is counted for.
  package static func limit(_ kind: FactorKind, _ name: String, _ hash: [UInt8] = []) -> DocumentKey {
    DocumentKey(text: "limit/\(kind.rawValue)/\(name)" + (hash.isEmpty ? "" : "/" + hexadecimal(hash)))
  }
  /// A user's account, by the host's ID: 1...256 bytes.
  package static func user(_ userID: String) -> DocumentKey { DocumentKey(text: userPrefix, userID) }

  private static let userPrefix = "user/"

  /// A key just before all users' keys, which sort last.
  package static let beforeUsers = DocumentKey(text: userPrefix)

  /// The user, if this is the key of a user's document.
  package var userID: String? {
    guard let name = text, name.utf8.starts(with: Self.userPrefix.utf8) else { return nil }
    return String(name.utf8.dropFirst(Self.userPrefix.utf8.count))
  }

  /// The bytes as text, if they are UTF-8, as in all of this module's keys.
  package var text: String? { String(validUTF8: bytes.span) }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    Hexadecimal.text(bytes)
  }

  /// Hashes the bytes at once: an array does it one by one.
  public func hash(into hasher: inout Hasher) {
    unsafe bytes.withUnsafeBytes { bytes in unsafe hasher.combine(bytes: bytes) }
  }

  /// Whether the first key's bytes come before the second's.
  public static func < (left: DocumentKey, right: DocumentKey) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}
