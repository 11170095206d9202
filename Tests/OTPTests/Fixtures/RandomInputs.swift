import OTP

extension SplitMix64 {
  /// Text of characters that tend to break writers and readers: URI syntax, white space, controls, combining marks,
  /// other scripts, direction marks, noncharacters.
  mutating func text(_ counts: ClosedRange<Int>, without excluded: Set<Unicode.Scalar> = []) -> String {
    let hard = "%&=+#?/@ :;~\\\"'<>[]{}|^`\0\n\r\t\u{7F}3Aa０１é\u{301}\u{308}\u{200D}\u{200B}\u{FEFF}\u{202E}\u{2067}"
    let scripts = "שלוםمرحباनमस्ते你好한국🔑👩‍🚀🇨🇭\u{FFFD}\u{FFFE}\u{10FFFF}\u{E000}\u{D7FF}ﬁİıßſK"
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: counts, using: &self) {
      let scalar: Unicode.Scalar? =
        switch Int.random(in: 0..<4, using: &self) {
        case 0: pick(hard.unicodeScalars)
        case 1: pick(scripts.unicodeScalars)
        case 2: Unicode.Scalar(UInt8.random(in: 0x20...0x7E, using: &self))
        default: Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &self))
        }
      if let scalar, !excluded.contains(scalar) { text.append(scalar) }
    }
    return String(text)
  }

  mutating func algorithm() -> HashAlgorithm { pick(HashAlgorithm.allCases) }

  mutating func digits() -> OTPCode.Digits { pick(OTPCode.Digits.allCases) }

  mutating func secret(_ counts: ClosedRange<Int> = 1...100) throws -> OTPSecret { try OTPSecret(bytes: bytes(counts)) }

  /// A period that is common in practice, or any.
  mutating func period() -> Int64 {
    switch Int.random(in: 0..<3, using: &self) {
    case 0: pick([1, 15, 30, 60, 90, 3600])
    case 1: Int64.random(in: 1...1000, using: &self)
    default: Int64.random(in: 1...(.max >> Int64.random(in: 0...62, using: &self)), using: &self)
    }
  }

  /// A Unix time near now, near either end of the range, or any.
  mutating func time() -> Int64 {
    switch Int.random(in: 0..<4, using: &self) {
    case 0: Int64.random(in: 0...4_000_000_000, using: &self)
    case 1: Int64.random(in: (.max - 100)...(.max), using: &self)
    case 2: Int64.random(in: (.min)...(.min + 100), using: &self)
    default: Int64(truncatingIfNeeded: next() >> UInt64.random(in: 0...63, using: &self))
    }
  }
}
