import OTP

/// The name of a document in a store: 1...512 bytes, compared byte by byte.
///
/// | key | document |
/// |---|---|
/// | `messages/enrollment`, `messages/sign-in` | the text messages sent overall, for enrolments and sign-ins |
/// | `number/enrollment/` or `number/sign-in/` and 64 hexadecimal digits | those sent to a number, by its keyed hash |
/// | `prefix/enrollment/` or `prefix/proof/` and 64 hexadecimal digits | those sent to numbers with one prefix, by its keyed hash, and those that were answered |
/// | `store` | the mark by which a keyring recognizes its store |
/// | `user/` and the host's ID for the user | everything held about the user |
///
/// So a user's document can be found and deleted by the user's ID. A store only compares keys and does not interpret
/// them.
public struct DocumentKey: Sendable, Hashable, Comparable {
  /// The longest key, in bytes.
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

  private init(text: String) { bytes = Array(text.utf8) }

  /// The mark by which a keyring recognizes its store: see ``StoredDocument``.
  public static let mark = DocumentKey(text: "store")
  /// The text messages sent overall, for a purpose.
  package static func messages(_ purpose: String) -> DocumentKey { DocumentKey(text: "messages/\(purpose)") }
  /// The text messages sent to a number for a purpose, by the number's keyed hash.
  package static func number(_ purpose: String, _ hash: [UInt8]) -> DocumentKey {
    DocumentKey(text: "number/\(purpose)/" + hexadecimal(hash))
  }
  /// The text messages sent to numbers with one prefix, or those that were answered, by the prefix's keyed hash.
  package static func prefix(_ purpose: String, _ hash: [UInt8]) -> DocumentKey {
    DocumentKey(text: "prefix/\(purpose)/" + hexadecimal(hash))
  }
  /// Everything held about a user, by the host's ID: 1...256 bytes.
  package static func user(_ userID: String) -> DocumentKey { DocumentKey(text: userPrefix + userID) }

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
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  /// Whether the bytes of one come before those of the other.
  public static func < (left: DocumentKey, right: DocumentKey) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}
