// Comparing bytes with ASCII text. Comparing `String`s would pull Unicode's tables into an Embedded program.

extension Span where Element == UInt8 {
  /// Whether the bytes spell `text` in any mix of ASCII cases.
  func equalsIgnoringASCIICase(_ text: StaticString) -> Bool {
    unsafe equalsIgnoringASCIICase(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount).span)
  }

  /// Whether two texts are the same in any mix of ASCII cases.
  func equalsIgnoringASCIICase(_ text: Span<UInt8>) -> Bool {
    guard count == text.count else { return false }
    for index in indices where self[index].asciiLowercased != text[index].asciiLowercased { return false }
    return true
  }

  /// The first place of a delimiter, if any.
  ///
  /// Timing: depends on where the delimiter stands, not on what the other bytes are: a secret may be among them.
  func firstIndex(of delimiter: UInt8) -> Int? {
    // Public: a text's layout.
    for index in indices where Mask.equal(self[index], delimiter).declassified { return index }
    return nil
  }
}

extension UInt8 {
  /// The byte, or the lower-case letter where it is an upper-case one.
  var asciiLowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }

  /// The value of a hexadecimal digit, else `nil`.
  ///
  /// Timing: depends on whether it is one.
  var hexadecimalValue: UInt8? {
    let digit = Mask.contains(0x30...0x39, self)
    let upper = Mask.contains(0x41...0x46, self)
    let lower = Mask.contains(0x61...0x66, self)
    // Public: whether a text is well formed.
    guard (digit | upper | lower).declassified else { return nil }
    let value = digit.keep(UInt64(self) &- 0x30) | (upper | lower).keep((UInt64(self) | 0x20) &- 0x61 &+ 10)
    return UInt8(truncatingIfNeeded: value)
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

  /// The ranges before and after the first `delimiter` of a range; all of it and nothing where there is none.
  ///
  /// Timing: as ``firstIndex(of:)``.
  func split(_ range: Range<Int>, at delimiter: UInt8) -> (before: Range<Int>, after: Range<Int>) {
    guard let place = extracting(range).firstIndex(of: delimiter) else {
      return (range, range.upperBound..<range.upperBound)
    }
    let index = range.lowerBound + place
    return (range.lowerBound..<index, index + 1..<range.upperBound)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// The bytes of a text of C's, without its NUL.
  init(cText text: UnsafePointer<CChar>) {
    var count = 0
    while unsafe text[count] != 0 { count += 1 }
    unsafe self.init(start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: count)
  }
}

extension StaticString {
  /// The text and a NUL, in memory that lasts.
  package var cString: UnsafePointer<CChar> { unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) }
}
