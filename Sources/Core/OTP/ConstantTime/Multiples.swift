/// The multiples of 10^6, 10^7 or 10^8 among the numbers below 2^32.
///
/// Since 10^d = 2^d × 5^d, multiply a number by the inverse of 5^d modulo 2^32 and rotate the product right by d bits:
/// for a multiple this is its quotient by 10^d, and for any other number it is more than the greatest possible quotient
/// (T. Granlund, P. Montgomery: Division by Invariant Integers using Multiplication, 1994, section 9).
///
/// Timing: a multiplication, a rotation and a subtraction.
struct Multiples: Sendable {
  /// The number that these are the multiples of.
  let number: UInt32
  private let inverse: UInt32
  private let twos: UInt32
  private let greatestQuotient: UInt32

  static var ofMillion: Multiples {
    Multiples(number: 1_000_000, inverse: 0x68C2_6139, twos: 6, greatestQuotient: 4294)
  }
  static var ofTenMillion: Multiples {
    Multiples(number: 10_000_000, inverse: 0xAE8D_46A5, twos: 7, greatestQuotient: 429)
  }
  static var ofHundredMillion: Multiples {
    Multiples(number: 100_000_000, inverse: 0x22E9_0E21, twos: 8, greatestQuotient: 42)
  }

  /// Whether a number is one of them.
  func contains(_ candidate: UInt32) -> Mask {
    let product = candidate &* inverse
    let rotated = product &>> twos | product &<< (32 &- twos)
    return .lessOrEqual(rotated, greatestQuotient)
  }
}
