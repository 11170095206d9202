import MultiFactor
import OTP

/// A phone number in E.164: `+`, then 7 to 15 ASCII digits, of which the first is not 0.
///
/// Nothing is dropped or normalized: each number has exactly one text, by which it is counted, hashed and compared. How
/// people write numbers depends on where they are, which the host knows and this layer does not.
///
/// Source: ITU-T E.164, section 6: at most 15 digits. The minimum of 7 is common usage, not part of the recommendation.
struct PhoneNumber: Sendable, Hashable {
  /// The number as it was given.
  let e164: String

  /// Reads a number.
  ///
  /// - Throws: `AuthError` with code `missingPhoneNumber` for an empty text, and `invalidPhoneNumber`.
  init(_ text: String) throws(AuthError) {
    guard !text.utf8.isEmpty else { throw AuthError(.missingPhoneNumber) }
    guard PhoneNumber.isE164(text) else { throw AuthError(.invalidPhoneNumber) }
    e164 = text
  }

  /// The number in the details of a factor; `nil` if that is something else.
  init?(details: [UInt8]) {
    guard let text = String(validUTF8: details.span), PhoneNumber.isE164(text) else { return nil }
    e164 = text
  }

  /// What is kept of an enrolled phone.
  var details: [UInt8] { Array(e164.utf8) }

  /// Whether a text is a number in E.164. It reads at most 17 bytes.
  static func isE164(_ text: String) -> Bool { isRegion(text) && text.utf8.count >= 8 }

  /// Whether a text can be the beginning of a number: `+`, then 1 to 15 ASCII digits, of which the first is not 0. It
  /// reads at most 17 bytes.
  static func isRegion(_ text: String) -> Bool {
    let bytes = text.utf8.prefix(17)
    guard bytes.first == UInt8(ascii: "+"), 2...16 ~= bytes.count else { return false }
    let digits = bytes.dropFirst()
    return digits.first != UInt8(ascii: "0") && digits.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Whether the number begins with one of the given texts.
  func isIn(_ regions: Set<String>) -> Bool { regions.contains { e164.utf8.starts(with: $0.utf8) } }

  /// Roughly what the numbers of one operator in one place have in common: `+` and the first five digits.
  var prefix: String { String(e164.prefix(6)) }

  /// The number for display, with all digits but the last four as `*`: `+*******1234`.
  var masked: String {
    let hidden = e164.utf8.count - 1 - 4
    return "+" + String(repeating: "*", count: hidden) + e164.suffix(4)
  }
}

extension PhoneNumber: Redacted {
  package var redactedDescription: String { masked }
}
