/// Reads the digits of a code that a person typed, a byte of its UTF-8 at a time.
///
/// This is the one rule of what people may type. A digit is a decimal digit of any script. ASCII spaces and hyphens are
/// dropped wherever they stand, for codes are shown and typed in groups; so is other ASCII white space before the first
/// digit and after the last, such as the newline of a line that was read or pasted. Anything else is not a code.
package struct TypedDigits {
  /// How many characters of a text are looked at; a longer one is not a code.
  package static var maximumScalarCount: Int { 64 }

  private var scalarCount = 0
  // The character of which bytes are still to come: its bits so far, and the least that it may be in as many bytes.
  private var scalar: UInt32 = 0
  private var leastScalar: UInt32 = 0
  private var continuationCount = 0
  private var hasDigits = false
  private var isAtEnd = false

  package init() {}

  /// Takes the next byte, and returns the ASCII digit that it completes, if it completes one.
  ///
  /// - Throws: `OTPError` with code `malformedCode` at the first byte that no code can have there. The reader is then of
  ///   no more use.
  ///
  /// Timing: depends on the scripts that the digits are of, and on where separators stand; not on the digits' values.
  package mutating func take(_ byte: UInt8) throws(OTPError) -> UInt8? {
    guard continuationCount == 0 else {
      // Public: whether what was typed looks like a code.
      guard Mask.contains(0x80...0xBF, byte).declassified else { throw OTPError(.malformedCode) }
      scalar = scalar << 6 | UInt32(byte & 0x3F)
      continuationCount -= 1
      return continuationCount == 0 ? try takeScalar() : nil
    }
    scalarCount += 1
    guard scalarCount <= TypedDigits.maximumScalarCount else { throw OTPError(.malformedCode) }
    // Public: the upper half of a character's first byte, the same for all ten digits of a script.
    switch declassify(UInt64(byte >> 4)) {
    case 0x0...0x7: (scalar, continuationCount, leastScalar) = (UInt32(byte), 0, 0)
    case 0xC...0xD: (scalar, continuationCount, leastScalar) = (UInt32(byte & 0x1F), 1, 0x80)
    case 0xE: (scalar, continuationCount, leastScalar) = (UInt32(byte & 0xF), 2, 0x800)
    case 0xF: (scalar, continuationCount, leastScalar) = (UInt32(byte & 0xF), 3, 0x10000)
    default: throw OTPError(.malformedCode)
    }
    return continuationCount == 0 ? try takeScalar() : nil
  }

  /// Says that the text is over.
  ///
  /// - Throws: `OTPError` with code `malformedCode` if it ended within a character.
  package func end() throws(OTPError) {
    guard continuationCount == 0 else { throw OTPError(.malformedCode) }
  }

  private mutating func takeScalar() throws(OTPError) -> UInt8? {
    // Public, all of these: what is not a digit. What takes more bytes than it needs is not UTF-8; what else is not, such
    // as a surrogate, is not in the table of digits.
    guard Mask.lessOrEqual(leastScalar, scalar).declassified else { throw OTPError(.malformedCode) }
    if (Mask.equal(scalar, 0x20) | Mask.equal(scalar, 0x2D)).declassified { return nil }
    if Mask.lessOrEqual(scalar &- 0x09, 0x0D - 0x09).declassified {
      isAtEnd = hasDigits
      return nil
    }
    guard !isAtEnd, let digit = DecimalDigit.ascii(of: scalar) else { throw OTPError(.malformedCode) }
    hasDigits = true
    return digit
  }
}
