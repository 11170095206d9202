import OTP
import Testing

/// Eight symbols at a time, wherever else a separator, padding or an invalid character interrupts them.
@Suite struct Base32GroupTests {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// What eight symbols stand for, by the alphabet.
  private func bytes(of symbols: [UInt8]) -> [UInt8]? {
    var bits: UInt64 = 0
    for symbol in symbols {
      let upper = (0x61...0x7A).contains(symbol) ? symbol - 0x20 : symbol
      guard let value = Self.alphabet.firstIndex(of: upper) else { return nil }
      bits = bits << 5 | UInt64(value)
    }
    return (0..<5).map { UInt8(truncatingIfNeeded: bits >> UInt64(32 - 8 * $0)) }
  }

  @Test(arguments: 0..<8) func `every character in every place of eight`(place: Int) throws {
    for character in UInt8.min ... .max where ![0x20, 0x2D, 0x3D].contains(character) {
      var text = Array("AZaz27Qq".utf8)
      text[place] = character
      let second = Array("BCDEFGHI".utf8)
      let expected = bytes(of: text)
      let whole = second + text
      if let expected {
        let found = try Base32.decode(utf8: whole.span)
        #expect(Array(found.suffix(5)) == expected)
      } else {
        let error = #expect(throws: OTPError.self) { try Base32.decode(utf8: whole.span) }
        #expect(error?.code == .invalidBase32Character && error?.position == 8 + place)
      }
      let upper = text.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
      let strict = try? Base32.decode(utf8: upper.span, strict: true)
      #expect(strict == expected)
      if text.contains(where: { (0x61...0x7A).contains($0) }) {
        #expect(throws: OTPError.self) { try Base32.decode(utf8: text.span, strict: true) }
      }
    }
  }

  @Test func `a separator anywhere changes nothing, and what is encoded is decoded`() throws {
    var state: UInt64 = 7
    for count in 0..<64 {
      let bytes = (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1
        return UInt8(truncatingIfNeeded: state >> 56)
      }
      let text = Base32.encode(bytes.span)
      let decoded = try Base32.decode(text)
      let padded = try Base32.decode(Base32.encode(bytes.span, padding: true), strict: true)
      #expect(decoded == bytes && padded == bytes)
      for place in 0...text.utf8.count {
        var utf8 = Array(text.lowercased().utf8)
        utf8.insert(place.isMultiple(of: 2) ? 0x20 : 0x2D, at: place)
        #expect(try Base32.decode(utf8: utf8.span) == bytes)
      }
    }
  }
}
