// Comparing bytes with ASCII text. Comparing `String`s would pull Unicode's tables into an Embedded program.

extension Span where Element == UInt8 {
  /// Whether the bytes spell `text` in any mix of ASCII cases.
  func equalsIgnoringASCIICase(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    let expected = unsafe UnsafeBufferPointer(start: text.utf8Start, count: count)
    for index in indices where unsafe self[index].asciiLowercased != expected[index].asciiLowercased { return false }
    return true
  }

  /// The first place of `byte`, if any.
  func firstIndex(of byte: UInt8) -> Int? {
    for index in indices where self[index] == byte { return index }
    return nil
  }
}

extension UInt8 {
  /// The byte, or the lower-case letter where it is an upper-case one.
  var asciiLowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }

  /// The value of a hexadecimal digit, else `nil`.
  var hexadecimalValue: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x41 + 10
    case 0x61...0x66: self - 0x61 + 10
    default: nil
    }
  }
}

extension Span where Element == UInt8 {
  /// The number that decimal digits spell; `nil` where there are none, anything else is among them, or it passes 64 bits.
  var decimalValue: UInt64? {
    guard !isEmpty else { return nil }
    var value: UInt64 = 0
    for index in indices {
      guard (0x30...0x39).contains(self[index]) else { return nil }
      let (product, multiplied) = value.multipliedReportingOverflow(by: 10)
      let (sum, added) = product.addingReportingOverflow(UInt64(self[index] - 0x30))
      guard !multiplied, !added else { return nil }
      value = sum
    }
    return value
  }

  /// The ranges before and after the first `separator` of a range; all of it and nothing where there is none.
  func split(_ range: Range<Int>, at separator: UInt8) -> (before: Range<Int>, after: Range<Int>) {
    for index in range where self[index] == separator {
      return (range.lowerBound..<index, index + 1..<range.upperBound)
    }
    return (range, range.upperBound..<range.upperBound)
  }
}
