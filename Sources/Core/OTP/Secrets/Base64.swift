internal import COTPSupport

/// The base64 encodings of RFC 4648, in canonical form only: no white space, and trailing bits zero. For the layers
/// above the engine, which write keys and tokens in it.
///
/// Timing: depends on the length of a text, not on its symbols.
package struct Base64: Sendable {
  private let symbol62: UInt8
  private let symbol63: UInt8
  private let hasPadding: Bool

  /// Section 4, with padding: for the keys in a keyring file.
  package static var standard: Base64 { Base64(symbol62: 0x2B, symbol63: 0x2F, hasPadding: true) }
  /// Section 5, without padding: for tokens.
  package static var url: Base64 { Base64(symbol62: 0x2D, symbol63: 0x5F, hasPadding: false) }

  /// The number of characters that `byteCount` bytes encode to.
  package func encodedByteCount(of byteCount: Int) -> Int {
    hasPadding ? (byteCount + 2) / 3 * 4 : (byteCount * 4 + 2) / 3
  }

  /// Writes the text of `bytes` into `output`, which holds `encodedByteCount(of:)` bytes.
  package func encode(_ bytes: Span<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>) {
    var written = 0
    for start in stride(from: 0, to: bytes.count, by: 6) {
      let count = (min(6, bytes.count &- start) &* 8 &+ 5) / 6
      unsafe Self.store(characters(of: Self.load(bytes, at: start) &>> 16), count, to: output, at: written)
      written += count
    }
    while written < output.count {
      unsafe output[written] = 0x3D
      written += 1
    }
  }

  /// The bytes that a text spells; `nil` if it is not exactly what ``encode(_:into:)`` writes.
  package func decode(_ text: Span<UInt8>) -> SecretBytes? {
    var count = text.count
    if hasPadding {
      guard count % 4 == 0 else { return nil }
      // Public: a text's layout.
      for _ in 0..<2 where count > 0 && Mask.equal(text[count - 1], 0x3D).declassified { count -= 1 }
    }
    guard count % 4 != 1 else { return nil }
    let bytes = SecretBytes(capacity: count * 3 / 4)
    let output = unsafe bytes.mutableBytes
    defer { otp_wipe_registers() }
    var written = 0
    // Not zero for a character that is not a symbol, or a bit that belongs to no byte.
    var wrong: UInt64 = 0
    for start in stride(from: 0, to: count, by: 8) {
      let length = min(8, count &- start)
      let byteCount = length &* 3 / 4
      // What the last group lacks is as if it were an A, which has only zeros.
      let missing = UInt64.max >> UInt64(8 &* length)
      let (bits, others) = bits(of: Self.load(text, at: start) & ~missing | UInt64.bytes(0x41) & missing)
      unsafe Self.store(bits &<< 16, byteCount, to: output, at: written)
      written += byteCount
      wrong |= others | bits & (1 &<< UInt64(48 &- 8 &* byteCount) &- 1)
    }
    // Public: whether a text is well formed.
    return Mask.equal(UInt32(truncatingIfNeeded: wrong | wrong &>> 32), 0).declassified ? bytes : nil
  }

  // Eight symbols, and the six bytes that they stand for, side by side in one word, the first as the highest byte. The
  // total of each byte stays within it.

  /// Eight bytes from an index on; zeros for those that there are not.
  @inline(__always) private static func load(_ bytes: Span<UInt8>, at start: Int) -> UInt64 {
    guard start &+ 8 > bytes.count else {
      return unsafe UInt64(bigEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: start, as: UInt64.self))
    }
    var word: UInt64 = 0
    for index in start..<bytes.count { word |= UInt64(bytes[index]) &<< UInt64(56 &- 8 &* (index &- start)) }
    return word
  }

  /// Writes the first bytes of a word; and others, if there is room for eight, since more follow.
  @inline(__always) private static func store(
    _ word: UInt64, _ count: Int, to output: UnsafeMutableBufferPointer<UInt8>, at start: Int
  ) {
    if start &+ 8 <= output.count {
      unsafe UnsafeMutableRawBufferPointer(output).storeBytes(of: word.bigEndian, toByteOffset: start, as: UInt64.self)
    } else {
      for offset in 0..<count {
        unsafe output[start &+ offset] = UInt8(truncatingIfNeeded: word &>> UInt64(56 &- 8 &* offset))
      }
    }
  }

  /// The symbols of 48 bits.
  @inline(__always) private func characters(of bits: UInt64) -> UInt64 {
    let two = (bits &>> 24) &<< 32 | bits & 0xFF_FFFF
    let four = (two &>> 12 & 0x0000_0FFF_0000_0FFF) &<< 16 | two & 0x0000_0FFF_0000_0FFF
    let values = (four &>> 6 & 0x003F_003F_003F_003F) &<< 8 | four & 0x003F_003F_003F_003F
    // The upper-case letters, from which each step goes on to the symbols that follow.
    let lower = Self.isAtLeast(26, values) &* (0x61 - 26 - 0x41)
    let digit = Self.isAtLeast(52, values) &* (0x61 - 26 - 0x30 + 52)
    let special = Self.isAtLeast(62, values) &* (UInt64(symbol62) &- 58)
    let last = Self.isAtLeast(63, values) &* (UInt64(symbol63) &- UInt64(symbol62) &- 1)
    return values &+ UInt64.bytes(0x41) &+ lower &- digit &+ special &+ last
  }

  /// The 48 bits of characters; and a bit for each that is not a symbol.
  @inline(__always) private func bits(of characters: UInt64) -> (UInt64, others: UInt64) {
    let ascii = characters & UInt64.bytes(0x7F)
    func isIn(_ first: UInt8, _ last: UInt8) -> UInt64 {
      Self.isAtLeast(UInt64(first), ascii) & ~Self.isAtLeast(UInt64(last) + 1, ascii)
    }
    let (upper, lower, digit) = (isIn(0x41, 0x5A), isIn(0x61, 0x7A), isIn(0x30, 0x39))
    let (first, second) = (isIn(symbol62, symbol62), isIn(symbol63, symbol63))
    let others = (upper | lower | digit | first | second) & ~(characters &>> 7) ^ UInt64.bytes(1)
    let letters = upper &* 0x41 &+ lower &* (0x61 - 26)
    let special = first &* (UInt64(symbol62) &- 62) &+ second &* (UInt64(symbol63) &- 63)
    let values = ascii &- letters &+ digit &* (52 - 0x30) &- special
    let four = (values &>> 8 & 0x003F_003F_003F_003F) &<< 6 | values & 0x003F_003F_003F_003F
    let two = (four &>> 16 & 0x0000_0FFF_0000_0FFF) &<< 12 | four & 0x0000_0FFF_0000_0FFF
    return ((two &>> 32) &<< 24 | two & 0xFF_FFFF, others & UInt64.bytes(1))
  }

  /// 1 in each byte that is at least a number; the bytes are below 128.
  @inline(__always) private static func isAtLeast(_ number: UInt64, _ word: UInt64) -> UInt64 {
    (word &+ UInt64.bytes(0x80 - number)) &>> 7 & UInt64.bytes(1)
  }
}
