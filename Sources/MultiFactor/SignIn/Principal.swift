/// Whom the host has recognised by a first factor.
public struct Principal: Sendable, Hashable {
  /// The host's name for the user: unique, never given to another user, 1...256 bytes of UTF-8 without control
  /// characters. Compared byte by byte, so the host resolves aliases and upper case first.
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

  /// Whether its texts have sizes that tokens can carry, and its name is one.
  var isWellFormed: Bool { Self.isName(id) && (email?.utf8.count ?? 0) <= Self.maximumByteCount }

  /// Whether a text can be a name: not too long, and nothing in it that breaks a line, begins an escape sequence or turns
  /// the direction of what follows. By such names, lines of a log could be forged.
  static func isName(_ text: String) -> Bool {
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
