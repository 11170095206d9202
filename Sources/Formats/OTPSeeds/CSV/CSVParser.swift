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
      indices = try rows.readHeader(columns.names)
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
    let kind: Seed.Kind =
      switch columns.kind {
      case .totp(let period, let drift, let last):
        .totp(
          period: try value(indices[.period]) { (text, line) throws(SeedRefusal) in try text.period(line: line) }
            ?? period, drift: drift, lastAcceptedStep: last)
      case .hotp(let counter):
        .hotp(
          counter: try value(indices[.counter]) { (text, line) throws(SeedRefusal) in
            try text.number(.counter, line: line)
          } ?? counter)
      }
    return Seed(
      kind, secret: secret,
      algorithm: try value(indices[.algorithm]) { (text, line) throws(SeedRefusal) in try text.algorithm(line: line) }
        ?? columns.algorithm,
      digits: try value(indices[.digits]) { (text, line) throws(SeedRefusal) in try text.digits(line: line) }
        ?? columns.digits,
      serial: try text(indices[.serial], .serial), account: try text(indices[.account], .account),
      issuer: try text(indices[.issuer], .issuer), displayName: try text(indices[.name], .record), line: line)
  }

  /// The value of a field; `nil` if no column has it.
  private func value<R>(
    _ index: Int?, _ read: (Span<UInt8>, Int) throws(SeedRefusal) -> R
  ) throws(SeedRefusal) -> R? {
    guard let index else { return nil }
    return try rows.withField(index) { (text) throws(SeedRefusal) in try read(text, line) }
  }

  /// The text of a field, which must not be empty if its column is named; `nil` if no column has it.
  private func text(_ index: Int?, _ field: SeedRefusal.Field) throws(SeedRefusal) -> String? {
    guard let index else { return nil }
    let text = try rows.withField(index) { (text) throws(SeedRefusal) in try text.text(field, line: line) }
    guard let text else { throw SeedRefusal(line: line, field, .missing) }
    return text
  }
}
