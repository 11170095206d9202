/// A phone number in E.164: `+`, then 7 to 15 ASCII digits, of which the first is not 0.
///
/// Nothing is dropped or read as anything: one number has one text, by which it is counted, hashed and compared. How
/// people write numbers depends on where they are, which the host knows and this layer does not.
///
/// Source: ITU-T E.164, section 6: 15 digits at most. That there are 7 at least is usage, not in the recommendation.
struct PhoneNumber: Sendable, Hashable {
  /// The number as it was given.
  let e164: String

  /// Reads a number.
  ///
  /// - Throws: ``AuthError`` with code `missingPhoneNumber` for an empty text, and `invalidPhoneNumber`.
  init(_ text: String) throws(AuthError) {
    guard !text.utf8.isEmpty else { throw AuthError(.missingPhoneNumber) }
    guard PhoneNumber.isE164(text) else { throw AuthError(.invalidPhoneNumber) }
    e164 = text
  }

  /// Whether a text is a number in E.164. It looks at 17 bytes at most.
  static func isE164(_ text: String) -> Bool { isRegion(text) && text.utf8.count >= 8 }

  /// Whether a text is what numbers can begin with: `+`, then 1 to 15 ASCII digits, of which the first is not 0. It
  /// looks at 17 bytes at most.
  static func isRegion(_ text: String) -> Bool {
    let bytes = text.utf8.prefix(17)
    guard bytes.first == UInt8(ascii: "+"), 2...16 ~= bytes.count else { return false }
    let digits = bytes.dropFirst()
    return digits.first != UInt8(ascii: "0") && digits.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Whether the number begins with one of some texts.
  func isIn(_ regions: Set<String>) -> Bool { regions.contains { e164.utf8.starts(with: $0.utf8) } }

  /// What the numbers of one operator in one place begin with, more or less: `+` and five digits.
  var prefix: String { String(e164.prefix(6)) }

  /// The number to be shown: all digits but the last four are `*`, `+*******1234` for one.
  var masked: String {
    let hidden = e164.utf8.count - 1 - 4
    return "+" + String(repeating: "*", count: hidden) + e164.suffix(4)
  }
}

extension PhoneNumber: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The masked number.
  var description: String { masked }

  /// The masked number.
  var debugDescription: String { masked }

  /// A mirror without children.
  var customMirror: Mirror { Mirror(self, children: []) }
}
