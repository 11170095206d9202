import OTP

/// Reads a table row by row: fields separated by commas, optionally in double quotes.
///
/// Source: RFC 4180; a line may also end in a bare LF.
struct CSVRows {
  /// The most fields that a row may have.
  static let maximumFieldCount = 64

  let source: SeedSource
  private let text = WipedText()
  private var fields: [Range<Int>] = []
  /// The line on which the row begins, from 1.
  private(set) var line = 0

  init(_ source: SeedSource) { self.source = source }

  /// The number of fields in the row.
  var count: Int { fields.count }

  /// Lends a field of the row.
  func withField<R>(_ index: Int, _ body: (Span<UInt8>) throws(SeedRefusal) -> R) throws(SeedRefusal) -> R {
    try text.withBytes(fields[index], body)
  }

  /// Reads the next row that is not empty; false at the end.
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

  /// Reads the header, and returns where the columns with the given names are. Case is ignored.
  mutating func readHeader(_ columns: SeedColumns) throws(SeedRefusal) -> [SeedColumns.Field: Int] {
    guard try next() else { throw SeedRefusal(line: 1, .column, .missing) }
    let wanted = columns.names.mapValues { $0.lowercased() }
    var indices: [SeedColumns.Field: Int] = [:]
    for index in 0..<count {
      let name = try withField(index) { (text) throws(SeedRefusal) in try text.text(.column, line: line) }
      for (field, wanted) in wanted where wanted.utf8.elementsEqual((name ?? "").lowercased().utf8) {
        guard indices.updateValue(index, forKey: field) == nil else {
          throw SeedRefusal(line: line, .column, .duplicate, column: field)
        }
      }
      // A misspelled name must not lose what was used last.
      guard !columns.isComplete || indices.count == index + 1 else {
        throw SeedRefusal(line: line, .column, .unsupported)
      }
    }
    let needed = columns.isComplete ? [.secret] : SeedColumns.Field.allCases
    for field in needed where wanted[field] != nil && indices[field] == nil {
      throw SeedRefusal(line: line, .column, .missing, column: field)
    }
    return indices
  }

  private func readField() throws(SeedRefusal) {
    guard try source.peek() == 0x22 else {
      while let byte = try source.peek(), byte != 0x2C, byte != 0x0A, byte != 0x0D {
        guard byte != 0x22 else { throw SeedRefusal(line: line, .record, .malformed) }
        try text.append(byte, line: line)
        _ = try source.next()
      }
      return
    }
    _ = try source.next()
    while let byte = try source.next() {
      if byte == 0x22 {
        // A doubled quote stands for one.
        guard try source.peek() == 0x22 else { return }
        _ = try source.next()
      }
      try text.append(byte, line: line)
    }
    throw SeedRefusal(line: line, .record, .malformed)
  }

  /// Skips the end of a field and returns whether another field follows.
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
