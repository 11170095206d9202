import OTP

/// Reads a table row by row: fields between commas, in double quotes or not.
///
/// Source: RFC 4180; a line may also end in LF only.
struct CSVRows {
  /// The longest row that is read, in bytes.
  static let maximumByteCount = 1 << 14
  /// The most fields that a row has.
  static let maximumFieldCount = 64

  let source: SeedSource
  private let text = WipedText(limit: maximumByteCount)
  private var fields: [Range<Int>] = []
  /// The line that the row begins on, from 1.
  private(set) var line = 0

  init(_ source: SeedSource) { self.source = source }

  /// How many fields the row has.
  var count: Int { fields.count }

  /// Lends a field of the row.
  func withField<R>(_ index: Int, _ body: (Span<UInt8>) throws(SeedRefusal) -> R) throws(SeedRefusal) -> R {
    try text.withBytes(fields[index], body)
  }

  /// Reads the next row that has anything in it; false at the end.
  mutating func next() throws(SeedRefusal) -> Bool {
    if line == 0 { try source.skipByteOrderMark() }
    while try source.peek() != nil {
      line = source.line
      text.removeAll()
      fields.removeAll(keepingCapacity: true)
      repeat {
        let start = text.count
        try readField()
        guard fields.count < Self.maximumFieldCount else { throw SeedRefusal(line: line, .record, .tooLong) }
        fields.append(start..<text.count)
      } while try endsField()
      if fields.count > 1 || text.count > 0 { return true }
    }
    return false
  }

  private func readField() throws(SeedRefusal) {
    guard try source.peek() == 0x22 else {
      while let byte = try source.peek(), byte != 0x2C, byte != 0x0A, byte != 0x0D {
        guard byte != 0x22 else { throw SeedRefusal(line: line, .record, .malformed) }
        try append(byte)
        _ = try source.next()
      }
      return
    }
    _ = try source.next()
    while let byte = try source.next() {
      if byte == 0x22 {
        // Two stand for one.
        guard try source.peek() == 0x22 else { return }
        _ = try source.next()
      }
      try append(byte)
    }
    throw SeedRefusal(line: line, .record, .malformed)
  }

  private func append(_ byte: UInt8) throws(SeedRefusal) {
    guard text.append(byte) else { throw SeedRefusal(line: line, .record, .tooLong) }
  }

  /// Passes over what ends a field; whether another one follows.
  private func endsField() throws(SeedRefusal) -> Bool {
    switch try source.next() {
    case nil, 0x0A: return false
    case 0x2C: return true
    case 0x0D where try source.peek() == 0x0A:
      _ = try source.next()
      return false
    default: throw SeedRefusal(line: line, .record, .malformed)
    }
  }
}
