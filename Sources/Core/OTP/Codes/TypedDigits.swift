/// Reads the digits of a code that a person typed, one byte of its UTF-8 at a time.
///
/// This is the only definition of what people may type. A digit is a decimal digit of any script. Spaces of any width,
/// ASCII hyphens and what cannot be seen are dropped anywhere, since codes are shown and typed in groups, and pasted
/// with marks of direction; so is other ASCII white space before the first digit and after the last, such as a newline
/// that was read or pasted. Anything else is malformed.
package struct TypedDigits {
  private var characters = TypedCharacters()
  private var hasDigits = false
  private var isAtEnd = false

  package init() {}

  /// Takes the next byte, and returns the ASCII digit that it completes, if any.
  ///
  /// - Throws: `OTPError` with code `malformedCode` at the first byte that no code can have there. Do not use the
  ///   reader after that.
  ///
  /// Timing: depends on the digits' scripts and on where the separators are, not on the digits' values.
  package mutating func read(_ byte: UInt8) throws(OTPError) -> UInt8? {
    guard try characters.read(byte) else { return nil }
    let scalar = characters.scalar
    // Public: everything that is not a digit.
    if (Mask.equal(scalar, 0x20) | Mask.equal(scalar, 0x2D)).declassified || isUnseen { return nil }
    if Mask.lessOrEqual(scalar &- 0x09, 0x0D - 0x09).declassified {
      isAtEnd = hasDigits
      return nil
    }
    guard !isAtEnd, let digit = DecimalDigit.ascii(of: scalar) else { throw OTPError(.malformedCode) }
    hasDigits = true
    return digit
  }

  /// Ends the text.
  ///
  /// - Throws: `OTPError` with code `malformedCode` if a character is incomplete.
  package func end() throws(OTPError) { try characters.end() }

  /// Whether the character is a space outside ASCII (General_Category Zs), a mark or control of direction
  /// (Bidi_Control), or has no width: U+200B to U+200D, U+2060 and U+FEFF.
  private var isUnseen: Bool {
    guard !characters.isASCII else { return false }
    let scalar = characters.scalar
    let one =
      Mask.equal(scalar, 0xA0) | Mask.equal(scalar, 0x61C) | Mask.equal(scalar, 0x1680) | Mask.equal(scalar, 0x3000)
      | Mask.equal(scalar, 0xFEFF)
    // U+2000...U+200F, U+202A...U+202F, U+205F, U+2060, U+2066...U+2069.
    let several =
      Mask.lessOrEqual(scalar &- 0x2000, 0xF) | Mask.lessOrEqual(scalar &- 0x202A, 0x5)
      | Mask.lessOrEqual(scalar &- 0x205F, 0x1) | Mask.lessOrEqual(scalar &- 0x2066, 0x3)
    return (one | several).declassified
  }
}
