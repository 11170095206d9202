import OTP

/// A recovery code as people see and type it: 120 bits as base32 in groups of four, `ABCD-EFGH-IJKL-MNOP-QRST-UVWX`.
///
/// It is shown in upper case, which is easier to read on paper (`i` and `l` look alike), and accepted in either case.
/// ASCII spaces and hyphens are dropped; a full-width form of an ASCII character is read as that character, and a
/// decimal digit of any script as its value. Base32 has no `0`, `1` or `8`; they are not read as letters that look like
/// them.
package enum RecoveryCodeText {
  /// The number of bytes of a code.
  package static var byteCount: Int { 15 }
  /// How many scalars of a text are read; a longer text is not a code.
  package static var maximumScalarCount: Int { 64 }

  private static var symbolCount: Int { 24 }
  private static var groupLength: Int { 4 }

  /// The text of a code, for display.
  ///
  /// Timing: depends only on the number of bytes.
  package static func written(_ bytes: SecretBytes) -> String {
    let symbols = bytes.withBytes { bytes in Base32.encode(bytes) }
    var text = ""
    for (index, symbol) in symbols.utf8.enumerated() {
      if index > 0, index % groupLength == 0 { text.unicodeScalars.append("-") }
      text.unicodeScalars.append(Unicode.Scalar(symbol))
    }
    return text
  }

  /// The bytes of a code that a person has typed; none if only separators were typed, or `nil` if it is not a recovery
  /// code.
  ///
  /// Timing: bounded by 64 characters, however long the text is. Depends on its length, on where its separators are, on
  /// characters that are not ASCII, and on whether it can be a code; not on which symbols a code has.
  package static func bytes(utf8 text: Span<UInt8>) -> SecretBytes? {
    // No scalar has more than four bytes, and no byte of a longer text is read.
    guard text.count <= 4 * maximumScalarCount, let text = String(validUTF8: text) else { return nil }
    let symbols = SecretBytes(capacity: maximumScalarCount)
    var (count, scalarCount) = (0, 0)
    for scalar in text.unicodeScalars {
      scalarCount += 1
      guard scalarCount <= maximumScalarCount, let character = scalar.recoveryCodeCharacter else { return nil }
      guard character != UInt8(ascii: " "), character != UInt8(ascii: "-") else { continue }
      // The decoder also accepts padding, with which a text of the same length has fewer bits.
      guard character != UInt8(ascii: "=") else { return nil }
      unsafe symbols.mutableBytes[count] = character
      count += 1
    }
    symbols.shrink(to: count)
    guard count == symbolCount || count == 0 else { return nil }
    return symbols.withBytes { symbols in try? Base32.decodeSecret(symbols, strict: false) }
  }
}

extension Unicode.Scalar {
  /// The ASCII character that this scalar stands for in a recovery code, if any.
  fileprivate var recoveryCodeCharacter: UInt8? {
    switch value {
    case 0..<0x80: UInt8(truncatingIfNeeded: value)
    case 0xFF01...0xFF5E: UInt8(truncatingIfNeeded: value - 0xFF01 + 0x21)
    case 0x3000: UInt8(ascii: " ")
    default: DecimalDigit.ascii(of: value)
    }
  }
}
