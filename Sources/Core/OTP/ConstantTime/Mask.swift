internal import COTPSupport

/// A Boolean that is never branched on: all bits ones, or all zeros.
///
/// Timing: every operation is a fixed sequence of arithmetic. The barrier hides from the optimizer that a mask has only
/// two values, which it could turn into a branch.
struct Mask {
  private let bits: UInt64

  private init(bits: UInt64) { self.bits = otp_value_barrier(bits) }

  static var never: Mask { Mask(bits: 0) }

  /// A mask from a Boolean that is already public.
  init(_ isTrue: Bool) { self.init(bits: 0 &- (isTrue ? 1 : 0)) }

  /// Whether two numbers are equal.
  static func equal(_ left: UInt32, _ right: UInt32) -> Mask {
    // Subtracting 1 borrows as far as bit 63 only from 0.
    Mask(bits: 0 &- ((UInt64(left ^ right) &- 1) >> 63))
  }

  /// Whether the first number is less than or equal to the second.
  static func lessOrEqual(_ left: UInt32, _ right: UInt32) -> Mask {
    // The subtraction borrows as far as bit 63 only if `left` is greater.
    Mask(bits: ((UInt64(right) &- UInt64(left)) >> 63) &- 1)
  }

  /// Whether two bytes are equal.
  static func equal(_ left: UInt8, _ right: UInt8) -> Mask { equal(UInt32(left), UInt32(right)) }

  /// Whether a byte lies in a range.
  static func contains(_ range: ClosedRange<UInt8>, _ byte: UInt8) -> Mask {
    let aboveLower = UInt64(range.lowerBound) &- 1 &- UInt64(byte)
    let belowUpper = UInt64(byte) &- 1 &- UInt64(range.upperBound)
    return Mask(bits: 0 &- ((aboveLower & belowUpper) >> 63))
  }

  static func & (left: Mask, right: Mask) -> Mask { Mask(bits: left.bits & right.bits) }

  static func | (left: Mask, right: Mask) -> Mask { Mask(bits: left.bits | right.bits) }

  static prefix func ! (mask: Mask) -> Mask { Mask(bits: ~mask.bits) }

  /// `value` if the mask is true, else 0.
  func keep(_ value: UInt64) -> UInt64 { value & bits }

  /// `first` if the mask is true, else `second`.
  func select(_ first: UInt64, else second: UInt64) -> UInt64 { (first & bits) | (second & ~bits) }

  /// The Boolean itself, public from here on. As for every `declassify`, a comment says why that is safe.
  var declassified: Bool { declassify(bits) != 0 }
}

/// The one way out of constant time: `value` becomes public here, and may be branched on.
///
/// Every call says in a comment why what it reveals is not secret.
func declassify(_ value: UInt64) -> UInt64 { otp_declassify(value) }

/// The same for a text that leaves the engine: `String` inspects the bytes that it is made from.
func declassify(_ text: UnsafeMutableBufferPointer<UInt8>) {
  unsafe otp_declassify_bytes(text.baseAddress, text.count)
}
