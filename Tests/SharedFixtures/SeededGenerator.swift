/// A small generator that gives the same numbers for the same seed, so that a failure can be reproduced (SplitMix64).
///
/// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
package struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }

  package mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  package mutating func bytes(_ counts: ClosedRange<Int>) -> [UInt8] { bytes(Int.random(in: counts, using: &self)) }

  package mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  package mutating func pick<C: Collection>(_ choices: C) -> C.Element {
    choices[choices.index(choices.startIndex, offsetBy: Int.random(in: 0..<choices.count, using: &self))]
  }

  /// Text of characters that tend to break writers and readers: URI syntax, white space, controls, combining marks,
  /// other scripts, direction marks, noncharacters.
  package mutating func text(_ counts: ClosedRange<Int>, without excluded: Set<Unicode.Scalar> = []) -> String {
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
}
