import OTP

/// Reads a table whose first row names its columns.
struct CSVParser: SeedParser {
  private var rows: CSVRows
  private let columns: SeedColumns
  /// Where the columns are; `nil` before the first row.
  private var indices: [SeedColumns.Field: Int]?
  private var columnCount = 0

  init(_ source: SeedSource, columns: SeedColumns) {
    rows = CSVRows(source)
    self.columns = columns
  }

  var line: Int { rows.line }

  mutating func next() throws(SeedRefusal) -> SeedRecord? {
    if indices == nil {
      indices = try rows.readHeader(columns)
      columnCount = rows.count
    }
    guard let indices, try rows.next() else { return nil }
    do throws(SeedRefusal) { return .seed(try seed(indices)) } catch { return .refused(error) }
  }

  private func seed(_ indices: [SeedColumns.Field: Int]) throws(SeedRefusal) -> Seed {
    guard rows.count == columnCount else { throw SeedRefusal(line: line, .record, .mismatched) }
    guard let index = indices[.secret] else { throw SeedRefusal(line: line, .secret, .missing) }
    let secret = try rows.withField(index) { (text) throws(SeedRefusal) in
      try columns.encoding.secret(text, line: line)
    }
    let failures: UInt32? = try number(indices[.failures], .failures)
    return Seed(
      try kind(indices), secret: secret,
      algorithm: try value(indices[.algorithm]) { (text, line) throws(SeedRefusal) in try text.algorithm(line: line) }
        ?? columns.algorithm,
      digits: try value(indices[.digits]) { (text, line) throws(SeedRefusal) in try text.digits(line: line) }
        ?? columns.digits,
      serial: try text(indices[.serial], .serial), account: try text(indices[.account], .account),
      issuer: try text(indices[.issuer], .issuer), displayName: try text(indices[.name], .record),
      failures: Int(failures ?? 0),
      isConfirmed: try word(indices[.confirmed], .confirmation, ("yes", true), ("no", false)) ?? true, line: line)
  }

  private func kind(_ indices: [SeedColumns.Field: Int]) throws(SeedRefusal) -> Seed.Kind {
    let isTOTP = try word(indices[.type], .type, ("totp", true), ("hotp", false)) ?? columns.kind.isTOTP
    let other: Seed.Kind = columns.kind.isTOTP ? .hotp(counter: 0) : .totp()
    let kind = isTOTP == columns.kind.isTOTP ? columns.kind : other
    for field in SeedColumns.fields(ofTOTP: !isTOTP) {
      let isEmpty = try value(indices[field], { _, _ in false }) ?? true
      guard isEmpty else { throw SeedRefusal(line: line, .type, .mismatched) }
    }
    switch kind {
    case .totp(let period, let drift, let last):
      let ownPeriod = try value(indices[.period]) { (text, line) throws(SeedRefusal) in try text.period(line: line) }
      let ownLast: UInt64? = try number(indices[.lastStep], .lastUse)
      // Seconds instead of steps would spend all of a key's codes. (No step is after 2199.)
      if let ownLast, ownLast > 7_258_118_400 / UInt64(max(1, ownPeriod ?? period)) {
        throw SeedRefusal(line: line, .lastUse, .outOfRange)
      }
      return .totp(
        period: ownPeriod ?? period, drift: try number(indices[.drift], .drift) ?? drift,
        lastAcceptedStep: ownLast ?? last)
    case .hotp(let counter):
      // From 0 on, codes would be accepted that were used before, unless the table's columns say so.
      let counter = try number(indices[.counter], .counter) ?? (columns.kind.isTOTP ? nil : counter)
      guard let counter else { throw SeedRefusal(line: line, .counter, .missing) }
      return .hotp(counter: counter)
    }
  }

  private func number<N: FixedWidthInteger>(_ index: Int?, _ field: SeedRefusal.Field) throws(SeedRefusal) -> N? {
    try value(index) { (text, line) throws(SeedRefusal) in try text.number(field, line: line) }
  }

  /// What one of two words stands for.
  private func word<R>(
    _ index: Int?, _ field: SeedRefusal.Field, _ words: (StaticString, R)...
  ) throws(SeedRefusal) -> R? {
    try value(index) { (text, line) throws(SeedRefusal) in
      let text = text.extracting(text.trimmed)
      for (word, meaning) in words where text.equals(word) { return meaning }
      throw SeedRefusal(line: line, field, .malformed)
    }
  }

  /// The value of a field; `nil` if no column has it, or if it is empty in a table where it may be.
  private func value<R>(
    _ index: Int?, _ read: (Span<UInt8>, Int) throws(SeedRefusal) -> R
  ) throws(SeedRefusal) -> R? {
    guard let index else { return nil }
    return try rows.withField(index) { (text) throws(SeedRefusal) in
      columns.allowsEmptyFields && text.trimmed.isEmpty ? nil : try read(text, line)
    }
  }

  /// The text of a field; `nil` likewise.
  private func text(_ index: Int?, _ field: SeedRefusal.Field) throws(SeedRefusal) -> String? {
    try value(index) { (text, line) throws(SeedRefusal) in
      guard let text = try text.text(field, line: line) else { throw SeedRefusal(line: line, field, .missing) }
      return text
    }
  }
}
