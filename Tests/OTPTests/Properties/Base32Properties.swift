import OTP
import SharedFixtures
import Testing

@Suite struct Base32Properties {
  @Test(arguments: 0..<4 as Range<UInt64>) func `encoded bytes decode to themselves in every accepted spelling`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let bytes = random.bytes(0...80)
      let plain = Base32.encode(bytes)
      let padded = Base32.encode(bytes, padding: true)
      #expect(padded.utf8.count % 8 == 0, "seed \(seed)")
      #expect(padded.prefix { $0 != "=" } == plain, "seed \(seed)")
      #expect(try Base32.decode(padded, strict: true) == bytes, "seed \(seed)")
      #expect(try Base32.decode(plain) == bytes, "seed \(seed)")
      #expect(try Base32.decode(dress(plain, &random)) == bytes, "seed \(seed)")
      #expect(try Base32.decode(dress(padded, &random)) == bytes, "seed \(seed)")
    }
  }

  @Test(arguments: 10..<14 as Range<UInt64>)
  func `strict implies lenient with the same result, and both agree with a naive decoder`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8) + Array("az=AA27 -".utf8)
    var accepted = 0
    for _ in 0..<1500 {
      var text = (0..<Int.random(in: 0...24, using: &random)).map { _ in random.pick(characters) }
      if random.chance(50) { text.removeAll { !(0x41...0x5A).contains($0) } }
      if random.chance(50) { text += [UInt8](repeating: 0x3D, count: Int.random(in: 0...7, using: &random)) }
      if random.chance(5), !text.isEmpty { text[Int.random(in: text.indices, using: &random)] = random.pick(0...255) }

      let lenient = try? Base32.decode(utf8: text.span)
      let strict = try? Base32.decode(utf8: text.span, strict: true)
      #expect(lenient == naiveDecode(text, strict: false), "seed \(seed): \(text)")
      #expect(strict == naiveDecode(text, strict: true), "seed \(seed): \(text)")
      if let strict {
        accepted += 1
        #expect(lenient == strict, "seed \(seed): \(text)")
        #expect(Array(Base32.encode(strict, padding: true).utf8) == text, "seed \(seed)")
      }
    }
    #expect(accepted > 50)
  }

  /// Lower case here and there, and separators between symbols and after them.
  private func dress(_ text: String, _ random: inout SeededGenerator) -> String {
    text.reduce(into: "") { text, character in
      text += random.chance(50) ? character.lowercased() : String(character)
      if random.chance(20) { text += random.pick([" ", "-", "  ", " - "]) }
    }
  }

  /// RFC 4648, section 6, over strings of bits.
  private func naiveDecode(_ text: [UInt8], strict: Bool) -> [UInt8]? {
    var text = String(decoding: text, as: UTF8.self)
    if !strict { text = text.filter { $0 != " " && $0 != "-" } }
    let symbols = text.prefix { $0 != "=" }
    let padding = text.dropFirst(symbols.count)
    guard padding.allSatisfy({ $0 == "=" }), [0, 2, 4, 5, 7].contains(symbols.count % 8) else { return nil }
    if strict || !padding.isEmpty {
      guard padding.count == (8 - symbols.count % 8) % 8 else { return nil }
    }
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    var bits: [Int] = []
    for symbol in symbols {
      guard symbol.isASCII, let upper = strict ? symbol : symbol.uppercased().first,
        let value = alphabet.firstIndex(of: upper)
      else { return nil }
      bits += (0..<5).map { value >> (4 - $0) & 1 }
    }
    let whole = bits.count / 8 * 8
    if strict, bits[whole...].contains(1) { return nil }
    return stride(from: 0, to: whole, by: 8).map { UInt8(bits[$0..<$0 + 8].reduce(0) { $0 << 1 | $1 }) }
  }
}
