/// Bytes in hexadecimal: vectors, checksums, and records as databases print them. Not for secrets.
package enum Hexadecimal {
  /// The bytes of pairs of digits; `nil` for any other text.
  ///
  /// - Parameter isLower: Whether letters must be small.
  package static func decode(_ text: Span<UInt8>, isLower: Bool = true) -> [UInt8]? {
    guard text.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 2)
    var high: UInt8 = 0
    for index in text.indices {
      let value: UInt8
      switch text[index] {
      case let digit where 0x30...0x39 ~= digit: value = digit - 0x30
      case let letter where 0x61...0x66 ~= letter || !isLower && 0x41...0x46 ~= letter:
        value = (letter | 0x20) - 0x61 + 10
      default: return nil
      }
      if index.isMultiple(of: 2) { high = value << 4 } else { bytes.append(high | value) }
    }
    return bytes
  }

  /// Two small digits for each byte.
  package static func encode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    bytes.flatMap { byte in
      [byte >> 4, byte & 15].map { $0 < 10 ? UInt8(ascii: "0") + $0 : UInt8(ascii: "a") + $0 - 10 }
    }
  }

  /// The same as a text.
  package static func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: encode(bytes), as: UTF8.self) }
}
