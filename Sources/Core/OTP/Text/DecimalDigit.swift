/// The decimal digits of every script (General_Category Nd), including those of mathematical styles.
///
/// The table is the engine's own, so that the same texts are codes on every machine: Swift's Unicode data depends on
/// the Swift release, and Embedded programs have none.
///
/// Source: The Unicode Standard, section 4.6, Numeric Value: ten digits in a row, from zero to nine.
package enum DecimalDigit {
  /// The ASCII digit of the same value, or `nil` if the scalar is not a decimal digit.
  ///
  /// Timing: depends on a digit's script, not on its value.
  package static func ascii(of scalar: UInt32) -> UInt8? {
    // Nearly all are. Public: the script.
    if Mask.lessOrEqual(scalar, 0x7F).declassified { return ascii(of: scalar, zero: 0x30) }
    // A binary search for the last zero that is not above the scalar.
    var (fewest, most) = (0, zeros.count)
    while fewest < most {
      let middle = (fewest + most) >> 1
      // Public: the script. No other zero lies among a script's ten digits, so all of them take the same path.
      if Mask.lessOrEqual(zeros[middle], scalar).declassified { fewest = middle + 1 } else { most = middle }
    }
    return fewest > 0 ? ascii(of: scalar, zero: zeros[fewest - 1]) : nil
  }

  @inline(__always)
  private static func ascii(of scalar: UInt32, zero: UInt32) -> UInt8? {
    let value = scalar &- zero
    // Public: that it is a digit.
    guard Mask.lessOrEqual(value, 9).declassified else { return nil }
    return 0x30 &+ UInt8(truncatingIfNeeded: value)
  }

  /// The digit zero of each script in Unicode 17.0: every scalar of the category Nd whose decimal value is 0.
  private static let zeros: [UInt32] = [
    0x0030, 0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0DE6,
    0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40,
    0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x104A0, 0x10D30, 0x10D40, 0x11066, 0x110F0,
    0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x116D0, 0x116DA, 0x11730, 0x118E0, 0x11950, 0x11BF0,
    0x11C50, 0x11D50, 0x11DA0, 0x11DE0, 0x11F50, 0x16130, 0x16A60, 0x16AC0, 0x16B50, 0x16D70, 0x1CCF0, 0x1D7CE, 0x1D7D8,
    0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E4F0, 0x1E5F1, 0x1E950, 0x1FBF0,
  ]
}
