/// Decodes RFC 4648 base32, eight symbols at a time where they follow one another, otherwise one, without a table.
///
/// Timing: depends on the text's length and layout (where its symbols, separators and padding are), never on which
/// symbols they are. The error for an invalid text reveals its layout.
struct Base32Decoder {
  /// What a character is for. Public: a text's layout is not secret.
  private enum Role: UInt64 {
    case symbol = 0
    case separator, padding, invalid
  }

  private let isStrict: Bool
  private var bits: UInt64 = 0
  private var bitCount = 0
  private var symbolCount = 0
  private var paddingCount = 0
  private var byteCount = 0

  /// Decodes a text into `output`, which holds `maximumByteCount(ofTextLength:)` bytes or more, and returns how many it
  /// wrote.
  static func decode(
    _ text: Span<UInt8>, strict: Bool, into output: UnsafeMutableBufferPointer<UInt8>
  ) throws(OTPError) -> Int {
    var decoder = Base32Decoder(isStrict: strict)
    var position = 0
    while position < text.count {
      if decoder.bitCount == 0, decoder.paddingCount == 0, position &+ 8 <= text.count,
        let group = Base32Group(characters: Base32Group.load(text, at: position), strict: strict)
      {
        unsafe group.writeBytes(to: output, at: decoder.byteCount)
        decoder.byteCount += 5
        decoder.symbolCount += 8
        position += 8
      } else {
        try unsafe decoder.decode(text[position], at: position, into: output)
        position += 1
      }
    }
    try decoder.finish()
    return decoder.byteCount
  }

  /// The most bytes that a text of `count` characters can decode to.
  static func maximumByteCount(ofTextLength count: Int) -> Int { count / 8 * 5 + 5 }

  private init(isStrict: Bool) { self.isStrict = isStrict }

  private mutating func decode(
    _ character: UInt8, at position: Int, into output: UnsafeMutableBufferPointer<UInt8>
  ) throws(OTPError) {
    let (role, value) = classify(character)
    switch role {
    case .symbol:
      guard paddingCount == 0 else { throw OTPError(.invalidBase32Padding, position: position) }
      symbolCount += 1
      bits = bits &<< 5 | value
      bitCount += 5
      guard bitCount >= 8 else { return }
      bitCount -= 8
      unsafe output[byteCount] = UInt8(truncatingIfNeeded: bits &>> UInt64(bitCount))
      byteCount += 1
    case .separator: return
    case .padding:
      paddingCount += 1
    case .invalid:
      throw OTPError(.invalidBase32Character, position: position)
    }
  }

  private func classify(_ character: UInt8) -> (role: Role, value: UInt64) {
    let upper = Mask.contains(0x41...0x5A, character)  // A-Z
    let lower = Mask.contains(0x61...0x7A, character) & Mask(!isStrict)  // a-z
    let digit = Mask.contains(0x32...0x37, character)  // 2-7
    let padding = Mask.equal(0x3D, character)  // =
    let space = Mask.equal(0x20, character)
    let hyphen = Mask.equal(0x2D, character)
    let separator = (space | hyphen) & Mask(!isStrict)

    let symbol = UInt64(character)
    let value = upper.keep(symbol &- 0x41) | lower.keep(symbol &- 0x61) | digit.keep(symbol &- 0x32 &+ 26)
    let role = (upper | lower | digit).select(
      Role.symbol.rawValue,
      else: separator.select(
        Role.separator.rawValue,
        else: padding.select(Role.padding.rawValue, else: Role.invalid.rawValue)))
    // Public: the text's layout, as the type's comment says.
    return (Role(rawValue: declassify(role)) ?? .invalid, value)
  }

  /// Checks what is known only at the end of the text (RFC 4648, section 6).
  private func finish() throws(OTPError) {
    let expectedPadding: Int
    switch symbolCount % 8 {
    case 0: expectedPadding = 0
    case 2: expectedPadding = 6
    case 4: expectedPadding = 4
    case 5: expectedPadding = 3
    case 7: expectedPadding = 1
    default: throw OTPError(.invalidBase32Length)
    }
    if paddingCount > 0 || isStrict {
      guard paddingCount == expectedPadding else { throw OTPError(.invalidBase32Padding) }
    }
    if isStrict {
      let trailing = bits & (1 &<< UInt64(bitCount) &- 1)
      // Public: why a text is refused.
      guard declassify(trailing) == 0 else { throw OTPError(.nonZeroBase32TrailingBits) }
    }
  }
}
