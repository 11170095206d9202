// Comparing bytes with ASCII text. Comparing `String`s would pull the Unicode tables into an Embedded program.

extension Span where Element == UInt8 {
  /// Whether the bytes equal `text`, ignoring ASCII case.
  func equalsIgnoringASCIICase(_ text: StaticString) -> Bool {
    unsafe equalsIgnoringASCIICase(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount).span)
  }

  /// Whether two texts are equal, ignoring ASCII case.
  func equalsIgnoringASCIICase(_ text: Span<UInt8>) -> Bool {
    guard count == text.count else { return false }
    for index in indices where self[index].asciiLowercased != text[index].asciiLowercased { return false }
    return true
  }

  /// The index of the first delimiter, if any.
  ///
  /// Timing: depends on where the delimiter is, not on the other bytes, which may contain a secret.
  func firstIndex(of delimiter: UInt8) -> Int? {
    // Public: a text's layout.
    for index in indices where Mask.equal(self[index], delimiter).declassified { return index }
    return nil
  }
}

extension UInt8 {
  /// The lower-case letter if the byte is an ASCII upper-case one, else the byte itself.
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
  /// The number written in decimal digits; `nil` if the text is empty, contains anything else, or exceeds 64 bits.
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

  /// The ranges before and after the first `delimiter` in a range; without one, the whole range and an empty one.
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
  /// The bytes of a C string, without its NUL, but not more than `limit`.
  ///
  /// Timing: depends on where it ends, not on its bytes.
  package init(cText text: UnsafePointer<CChar>, atMost limit: Int = .max) {
    let start = unsafe UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
    var count = 0
    // Public: a text's length.
    while count < limit, unsafe !Mask.equal(start[count], 0).declassified { count += 1 }
    unsafe self.init(start: start, count: count)
  }
}

extension StaticString {
  /// The text and a NUL, in static memory.
  package var cString: UnsafePointer<CChar> { unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) }
}
