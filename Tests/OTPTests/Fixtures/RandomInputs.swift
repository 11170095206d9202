import OTP
import SharedFixtures

extension SeededGenerator {
  /// A number whose bit length is uniform, often next to a power of two or an end of the range.
  mutating func counter() -> UInt64 {
    switch Int.random(in: 0..<4, using: &self) {
    case 0: UInt64.random(in: 0...20, using: &self)
    case 1: .max - UInt64.random(in: 0...20, using: &self)
    case 2: (1 << UInt64.random(in: 1...63, using: &self)) &+ UInt64.random(in: 0...4, using: &self) &- 2
    default: next() >> UInt64.random(in: 0...63, using: &self)
    }
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
