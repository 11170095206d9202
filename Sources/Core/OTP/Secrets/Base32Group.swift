/// Eight symbols of base32, and the five bytes that they stand for, computed side by side in the bytes of one word.
///
/// Timing: depends on whether all eight characters are symbols, not on which.
struct Base32Group {
  /// The 40 bits, the first symbol's as the highest.
  private let bits: UInt64

  /// - Parameters:
  ///   - characters: Eight characters, the first in the lowest byte.
  ///   - strict: Accepts only upper case.
  /// - Returns: `nil` unless all of them are symbols.
  @inline(__always)
  init?(characters: UInt64, strict: Bool) {
    let ascii = characters & UInt64.bytes(0x7F)
    // The highest bit of each byte says whether the character is in a range: none of the sums carries.
    let upper = (ascii &+ UInt64.bytes(0x80 - 0x41)) & ~(ascii &+ UInt64.bytes(0x7F - 0x5A))  // A-Z
    let lower = (ascii &+ UInt64.bytes(0x80 - 0x61)) & ~(ascii &+ UInt64.bytes(0x7F - 0x7A))  // a-z
    let digit = (ascii &+ UInt64.bytes(0x80 - 0x32)) & ~(ascii &+ UInt64.bytes(0x7F - 0x37))  // 2-7
    let symbols = (upper | (strict ? 0 : lower) | digit) & ~characters & UInt64.bytes(0x80)
    // Public: the text's layout.
    guard declassify(symbols) == UInt64.bytes(0x80) else { return nil }
    // The letters' low five bits are 1 to 26 in either case, and those of the digits 18 to 23.
    let isDigit = (digit &>> 7) & UInt64.bytes(1)
    let values = (ascii & UInt64.bytes(0x1F)) &- UInt64.bytes(1) &+ isDigit &* 9
    // Eight times 5 bits, four times 10, twice 20, and all 40.
    let eight = values.byteSwapped
    let four = (eight &>> 8 & 0x001F_001F_001F_001F) &<< 5 | eight & 0x001F_001F_001F_001F
    let two = (four &>> 16 & 0x0000_03FF_0000_03FF) &<< 10 | four & 0x0000_03FF_0000_03FF
    bits = (two &>> 32) &<< 20 | two & 0xF_FFFF
  }

  /// Five bytes from an index on.
  @inline(__always)
  init(bytes: Span<UInt8>, at index: Int) {
    var bits: UInt64 = 0
    for offset in 0..<5 { bits = bits &<< 8 | UInt64(bytes[index &+ offset]) }
    self.bits = bits
  }

  /// Eight characters of a text, the first in the lowest byte.
  @inline(__always)
  static func load(_ text: Span<UInt8>, at position: Int) -> UInt64 {
    var characters: UInt64 = 0
    for offset in 0..<8 { characters |= UInt64(text[position &+ offset]) &<< UInt64(8 &* offset) }
    return characters
  }

  @inline(__always)
  func writeBytes(to output: UnsafeMutableBufferPointer<UInt8>, at index: Int) {
    for offset in 0..<5 {
      unsafe output[index &+ offset] = UInt8(truncatingIfNeeded: bits &>> UInt64(32 &- 8 &* offset))
    }
  }

  /// Writes the eight characters, in upper case.
  @inline(__always)
  func writeCharacters(to output: UnsafeMutableBufferPointer<UInt8>, at index: Int) {
    let two = (bits &>> 20) &<< 32 | bits & 0xF_FFFF
    let four = (two &>> 10 & 0x0000_03FF_0000_03FF) &<< 16 | two & 0x0000_03FF_0000_03FF
    let eight = (four &>> 5 & 0x001F_001F_001F_001F) &<< 8 | four & 0x001F_001F_001F_001F
    let isDigit = (eight &+ UInt64.bytes(0x80 - 26)) &>> 7 & UInt64.bytes(1)
    let characters = eight &+ UInt64.bytes(0x41) &- isDigit &* (0x41 + 26 - 0x32)
    for offset in 0..<8 {
      unsafe output[index &+ offset] = UInt8(truncatingIfNeeded: characters &>> UInt64(56 &- 8 &* offset))
    }
  }
}

extension UInt64 {
  /// The same byte eight times.
  @inline(__always)
  static func bytes(_ byte: UInt64) -> UInt64 { byte &* 0x0101_0101_0101_0101 }
}
