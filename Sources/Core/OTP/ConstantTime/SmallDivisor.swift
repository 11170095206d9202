/// A constant to divide secret values by, through multiplication by a scaled reciprocal instead of a division.
///
/// With m = ceil(2^s / d), the quotient floor(v × m / 2^s) is exact for every v with v × (m × d - 2^s) < 2^s
/// (T. Granlund, P. Montgomery: Division by Invariant Integers using Multiplication, 1994). For each constant below,
/// this holds for every v < 2^31, and v × m fits in 64 bits.
///
/// Timing: a multiplication and a shift.
struct SmallDivisor {
  private let divisor: UInt64
  private let reciprocal: UInt64
  private let shift: UInt64

  static var ten: SmallDivisor { SmallDivisor(divisor: 10, reciprocal: 3_435_973_837, shift: 35) }
  static var million: SmallDivisor { SmallDivisor(divisor: 1_000_000, reciprocal: 1_125_899_907, shift: 50) }
  static var tenMillion: SmallDivisor { SmallDivisor(divisor: 10_000_000, reciprocal: 1_801_439_851, shift: 54) }
  static var hundredMillion: SmallDivisor { SmallDivisor(divisor: 100_000_000, reciprocal: 1_441_151_881, shift: 57) }

  /// The quotient of a value under 2^31.
  func quotient(of value: UInt32) -> UInt32 {
    UInt32(truncatingIfNeeded: (UInt64(value) &* reciprocal) &>> shift)
  }

  /// The remainder of a value under 2^31.
  func remainder(of value: UInt32) -> UInt32 {
    value &- UInt32(truncatingIfNeeded: UInt64(quotient(of: value)) &* divisor)
  }
}
