import OTP

// Reads the fields of all formats.

extension UInt8 {
  var isWhiteSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
  var isDigit: Bool { (0x30...0x39).contains(self) }
}

extension Span where Element == UInt8 {
  /// The range of the bytes without the surrounding white space.
  var trimmed: Range<Int> {
    var range = 0..<count
    while let first = range.first, self[first].isWhiteSpace { range = first + 1..<range.upperBound }
    while let last = range.last, self[last].isWhiteSpace { range = range.lowerBound..<last }
    return range
  }

  /// The parts separated by white space.
  var words: [Range<Int>] {
    var words: [Range<Int>] = []
    var start: Int?
    for index in 0...count {
      if index == count || self[index].isWhiteSpace {
        if let begin = start { words.append(begin..<index) }
        start = nil
      } else if start == nil {
        start = index
      }
    }
    return words
  }

  func equals(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for index in indices where unsafe self[index] != text.utf8Start[index] { return false }
    return true
  }

  /// Whether the bytes begin with a text, which must be in lower case if ASCII case is ignored.
  func begins(with text: StaticString, ignoringCase: Bool = false) -> Bool {
    guard count >= text.utf8CodeUnitCount else { return false }
    for index in 0..<text.utf8CodeUnitCount {
      let byte = self[index]
      let lower = ignoringCase && (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
      if unsafe lower != text.utf8Start[index] { return false }
    }
    return true
  }

  /// The bytes as a text: UTF-8 without control characters, at most 1,024 bytes. `nil` if it is empty.
  func text(_ field: SeedRefusal.Field, line: Int) throws(SeedRefusal) -> String? {
    let bytes = extracting(trimmed)
    if bytes.isEmpty { return nil }
    guard bytes.count <= 1024 else { throw SeedRefusal(line: line, field, .tooLong) }
    guard let text = String(validUTF8: bytes),
      text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else { throw SeedRefusal(line: line, field, .malformed) }
    return text
  }

  /// A whole number in decimal digits, which may begin with `-` if the type is signed.
  func number<N: FixedWidthInteger>(_ field: SeedRefusal.Field, line: Int) throws(SeedRefusal) -> N {
    let bytes = extracting(trimmed)
    let isNegative = N.isSigned && !bytes.isEmpty && bytes[0] == 0x2D
    let digits = bytes.extracting((isNegative ? 1 : 0)..<bytes.count)
    guard !digits.isEmpty else { throw SeedRefusal(line: line, field, .malformed) }
    var value: N = 0
    for index in digits.indices {
      guard digits[index].isDigit else { throw SeedRefusal(line: line, field, .malformed) }
      let digit = N(digits[index] - 0x30)
      let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, isOver) =
        isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
      guard !isTooLarge, !isOver else { throw SeedRefusal(line: line, field, .outOfRange) }
      value = sum
    }
    return value
  }

  func digits(line: Int) throws(SeedRefusal) -> OTPCode.Digits {
    guard let digits = OTPCode.Digits(rawValue: try number(.digits, line: line)) else {
      throw SeedRefusal(line: line, .digits, .outOfRange)
    }
    return digits
  }

  func period(line: Int) throws(SeedRefusal) -> Int64 {
    let period: Int64 = try number(.period, line: line)
    guard period >= 1 else { throw SeedRefusal(line: line, .period, .outOfRange) }
    return period
  }

  func algorithm(line: Int) throws(SeedRefusal) -> HashAlgorithm {
    guard let name = try text(.algorithm, line: line) else { throw SeedRefusal(line: line, .algorithm, .missing) }
    guard let algorithm = try? HashAlgorithm(name: name) else {
      throw SeedRefusal(line: line, .algorithm, .unsupported)
    }
    return algorithm
  }
}

/// The encoding of a secret in a field.
#if hasAttribute(nonexhaustive)  // Swift 6.2.0 to 6.2.2 lack it.
@nonexhaustive
#endif
public enum SecretEncoding: String, Sendable, CaseIterable {
  /// Two hexadecimal digits a byte, in either case.
  case hex
  /// RFC 4648's base32, read as leniently as `OTPSecret(base32:)` does.
  case base32
  /// RFC 4648's base64, with padding.
  case base64

  /// The longest secret accepted, in bytes, in any format.
  static let maximumByteCount = 1024

  /// Decodes the secret in a field.
  ///
  /// Timing: depends on the field's length and layout, not on its symbols.
  func secret(_ field: Span<UInt8>, line: Int) throws(SeedRefusal) -> OTPSecret {
    let text = field.extracting(field.trimmed)
    guard !text.isEmpty else { throw SeedRefusal(line: line, .secret, .missing) }
    let secret: OTPSecret?
    switch self {
    case .hex: secret = text.hexadecimalBytes?.withBytes { bytes in try? OTPSecret(bytes: bytes) }
    case .base32: secret = try? OTPSecret(base32UTF8: text)
    case .base64: secret = Base64.standard.decode(text)?.withBytes { bytes in try? OTPSecret(bytes: bytes) }
    }
    guard let secret else { throw SeedRefusal(line: line, .secret, .malformed) }
    guard secret.byteCount <= Self.maximumByteCount else { throw SeedRefusal(line: line, .secret, .tooLong) }
    return secret
  }
}

extension Span where Element == UInt8 {
  /// The bytes that the hexadecimal digits encode; `nil` if the text is not hexadecimal. Every symbol is handled in the
  /// same way, without a branch on its value.
  var hexadecimalBytes: SecretBytes? {
    guard count.isMultiple(of: 2) else { return nil }
    let bytes = SecretBytes(capacity: count / 2)
    var isText = true
    for index in 0..<count / 2 {
      var byte: UInt8 = 0
      for symbol in [self[2 * index], self[2 * index + 1]] {
        let digit = symbol &- 0x30
        let letter = (symbol | 0x20) &- 0x61
        // All ones if the symbol is a digit, or a letter: the borrow of a subtraction.
        let isDigit = UInt8(truncatingIfNeeded: (UInt(digit) &- 10) >> 8)
        let isLetter = UInt8(truncatingIfNeeded: (UInt(letter) &- 6) >> 8)
        isText = (isDigit | isLetter) == 0xFF && isText
        byte = byte << 4 | (digit & isDigit | (letter &+ 10) & isLetter)
      }
      unsafe bytes.mutableBytes[index] = byte
    }
    return isText ? bytes : nil
  }
}
