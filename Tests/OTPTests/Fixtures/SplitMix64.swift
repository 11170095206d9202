/// A small generator that gives the same numbers for the same seed, so that a failure can be reproduced.
///
/// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  mutating func bytes(_ counts: ClosedRange<Int>) -> [UInt8] { bytes(Int.random(in: counts, using: &self)) }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  mutating func pick<C: Collection>(_ choices: C) -> C.Element {
    choices[choices.index(choices.startIndex, offsetBy: Int.random(in: 0..<choices.count, using: &self))]
  }
}

extension SplitMix64 {
  /// A number whose bit length is uniform, often next to a power of two or an end of the range.
  mutating func counter() -> UInt64 {
    switch Int.random(in: 0..<4, using: &self) {
    case 0: UInt64.random(in: 0...20, using: &self)
    case 1: .max - UInt64.random(in: 0...20, using: &self)
    case 2: (1 << UInt64.random(in: 1...63, using: &self)) &+ UInt64.random(in: 0...4, using: &self) &- 2
    default: next() >> UInt64.random(in: 0...63, using: &self)
    }
  }
}
