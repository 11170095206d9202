/// Reads the characters of a code that a person typed, one byte of its UTF-8 at a time.
///
/// Timing: depends on the number of bytes of each character, not on which of these it is.
package struct TypedCharacters {
  /// The most characters that are read; a longer text is malformed.
  package static var maximumCount: Int { 64 }

  private var count = 0
  /// The latest character, or its bits so far.
  private(set) var scalar: UInt32 = 0
  // The least value that needs its number of bytes; 0 for ASCII.
  private var leastScalar: UInt32 = 0
  private var continuationCount = 0

  package init() {}

  /// Whether the latest character is an ASCII one. Public, as the number of its bytes is.
  var isASCII: Bool { leastScalar == 0 }

  /// Takes the next byte, and returns whether it completes a character. Values that are not characters, such as
  /// surrogates, are not noticed.
  ///
  /// - Throws: `OTPError` with code `malformedCode` at the first byte that no code can have there. Do not use the
  ///   reader after that.
  package mutating func read(_ byte: UInt8) throws(OTPError) -> Bool {
    guard continuationCount == 0 else {
      // Public: whether what was typed looks like a code.
      guard Mask.contains(0x80...0xBF, byte).declassified else { throw OTPError(.malformedCode) }
      scalar = scalar << 6 | UInt32(byte & 0x3F)
      continuationCount -= 1
      // Public: a character in more bytes than it needs is not UTF-8.
      guard continuationCount > 0 || Mask.lessOrEqual(leastScalar, scalar).declassified else {
        throw OTPError(.malformedCode)
      }
      return continuationCount == 0
    }
    count += 1
    guard count <= TypedCharacters.maximumCount else { throw OTPError(.malformedCode) }
    // Public: whether it is ASCII, and else the upper half of the first byte, the same for all ten digits of a script.
    guard !Mask.lessOrEqual(UInt32(byte), 0x7F).declassified else {
      (scalar, leastScalar) = (UInt32(byte), 0)
      return true
    }
    switch declassify(UInt64(byte >> 4)) {
    case 0xC...0xD: (scalar, continuationCount, leastScalar) = (UInt32(byte & 0x1F), 1, 0x80)
    case 0xE: (scalar, continuationCount, leastScalar) = (UInt32(byte & 0xF), 2, 0x800)
    case 0xF: (scalar, continuationCount, leastScalar) = (UInt32(byte & 0xF), 3, 0x10000)
    default: throw OTPError(.malformedCode)
    }
    return false
  }

  /// Ends the text.
  ///
  /// - Throws: `OTPError` with code `malformedCode` if a character is incomplete.
  package func end() throws(OTPError) {
    guard continuationCount == 0 else { throw OTPError(.malformedCode) }
  }

  /// The ASCII character that the latest one stands for, itself or in full width, or the digit of the same value; `nil`
  /// if there is none.
  package var ascii: UInt8? {
    guard !isASCII else { return UInt8(truncatingIfNeeded: scalar) }
    // Public: the script.
    if Mask.lessOrEqual(scalar &- 0xFF01, 0xFF5E - 0xFF01).declassified {
      return UInt8(truncatingIfNeeded: scalar &- 0xFF01 &+ 0x21)
    }
    return Mask.equal(scalar, 0x3000).declassified ? UInt8(ascii: " ") : DecimalDigit.ascii(of: scalar)
  }
}
