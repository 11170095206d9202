import OTP

/// Reads JSON event by event, in bounded memory that is wiped. It checks the whole grammar, except that of numbers that
/// are skipped.
///
/// Source: RFC 8259.
struct JSONReader {
  /// The longest string or number kept, in bytes. Longer ones, such as icons, can only be skipped.
  static let maximumByteCount = 1 << 12
  /// How deeply containers may be nested. The formats read here need seven levels.
  static let maximumDepth = 16

  enum Event {
    case object, array, end
    /// A string.
    case text
    /// A number, `true` or `false`.
    case token
    case null
  }

  let source: SeedSource
  /// The last string or token.
  private let text = WipedText(limit: maximumByteCount)
  private var isWhole = true
  /// For each open container, the name of the member being read; `*` in an array.
  private(set) var path: [String] = []
  private var isArray: [Bool] = []
  /// Whether nothing of the innermost container, or of the file, has been read yet.
  private var isFirst = true
  /// The line on which the last event began, from 1.
  private(set) var line = 1

  init(_ source: SeedSource) { self.source = source }

  /// The next event; `nil` at the end of the file.
  mutating func next() throws(SeedRefusal) -> Event? {
    if isFirst, path.isEmpty { try source.skipByteOrderMark() }
    var byte = try skipWhiteSpace()
    guard let isArray = isArray.last else {
      if isFirst { return try readValue(byte) }
      guard byte == nil else { throw malformed }
      return nil
    }
    if byte == (isArray ? 0x5D : 0x7D) {
      _ = try source.next()
      path.removeLast()
      self.isArray.removeLast()
      isFirst = false
      return .end
    }
    if !isFirst {
      try expect(0x2C)
      byte = try skipWhiteSpace()
    }
    if !isArray {
      try readString()
      path[path.count - 1] = try withText(.record) { (text) throws(SeedRefusal) in
        guard let name = String(validUTF8: text) else { throw malformed }
        return name
      }
      try expect(0x3A)
      byte = try skipWhiteSpace()
    }
    return try readValue(byte)
  }

  /// Lends the last string or token, unless it is too long.
  func withText<R>(
    _ field: SeedRefusal.Field, _ body: (Span<UInt8>) throws(SeedRefusal) -> R
  ) throws(SeedRefusal) -> R {
    guard isWhole else { throw SeedRefusal(line: line, field, .tooLong) }
    return try text.withBytes(nil, body)
  }

  private var malformed: SeedRefusal { SeedRefusal(line: source.line, .file, .malformed) }

  private mutating func readValue(_ byte: UInt8?) throws(SeedRefusal) -> Event {
    line = source.line
    isFirst = false
    switch byte {
    case 0x7B, 0x5B:
      _ = try source.next()
      guard path.count < Self.maximumDepth else { throw SeedRefusal(line: line, .file, .tooLong) }
      path.append("*")
      isArray.append(byte == 0x5B)
      isFirst = true
      return byte == 0x5B ? .array : .object
    case 0x22:
      try readString()
      return .text
    default: return try readToken()
    }
  }

  private mutating func readToken() throws(SeedRefusal) -> Event {
    clear()
    while let byte = try source.peek(), byte == 0x2B || byte == 0x2D || byte == 0x2E || byte.isDigit || byte.isLetter {
      _ = try source.next()
      append(byte)
    }
    let malformed = malformed
    return try withText(.file) { (token) throws(SeedRefusal) in
      if token.equals("null") { return .null }
      guard token.equals("true") || token.equals("false") || (!token.isEmpty && !token[token.count - 1].isLetter) else {
        throw malformed
      }
      return .token
    }
  }

  private mutating func readString() throws(SeedRefusal) {
    clear()
    try expect(0x22)
    while let byte = try source.next(), byte >= 0x20 {
      switch byte {
      case 0x22: return
      case 0x5C: try readEscape()
      default: append(byte)
      }
    }
    throw malformed
  }

  private mutating func readEscape() throws(SeedRefusal) {
    switch try source.next() {
    case let byte? where byte == 0x22 || byte == 0x5C || byte == 0x2F: append(byte)
    case 0x62: append(0x08)
    case 0x66: append(0x0C)
    case 0x6E: append(0x0A)
    case 0x72: append(0x0D)
    case 0x74: append(0x09)
    case 0x75:
      var value = try readCodeUnit()
      if (0xD800...0xDBFF).contains(value) {
        guard try source.next() == 0x5C, try source.next() == 0x75 else { throw malformed }
        let trail = try readCodeUnit()
        guard (0xDC00...0xDFFF).contains(trail) else { throw malformed }
        value = 0x10000 + (value - 0xD800) << 10 + (trail - 0xDC00)
      }
      // `nil` for half of a surrogate pair.
      guard let bytes = Unicode.Scalar(value).flatMap(UTF8.encode) else { throw malformed }
      for byte in bytes { append(byte) }
    default: throw malformed
    }
  }

  private func readCodeUnit() throws(SeedRefusal) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = try source.next(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw malformed
      }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }

  private mutating func clear() {
    text.removeAll()
    isWhole = true
  }

  private mutating func append(_ byte: UInt8) { isWhole = text.append(byte) && isWhole }

  /// Consumes white space, and returns the byte after it.
  private func skipWhiteSpace() throws(SeedRefusal) -> UInt8? {
    while let byte = try source.peek() {
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
      _ = try source.next()
    }
    return nil
  }

  /// Consumes white space and a byte.
  private func expect(_ expected: UInt8) throws(SeedRefusal) {
    guard try skipWhiteSpace() == expected else { throw malformed }
    _ = try source.next()
  }
}

extension UInt8 {
  fileprivate var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }
}
