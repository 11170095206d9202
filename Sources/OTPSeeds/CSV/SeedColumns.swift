import OTP

/// What the columns of a table mean, by the names in its first row. Nothing is guessed: columns that are not named here
/// are ignored.
public struct SeedColumns: Sendable {
  /// What a column can hold.
  #if hasAttribute(nonexhaustive)  // Swift 6.2.0 to 6.2.2 lack it.
  @nonexhaustive
  #endif
  public enum Field: String, Sendable, CaseIterable {
    /// The shared secret.
    case secret
    /// The device's serial number.
    case serial
    /// The account that the key belongs to.
    case account
    /// The issuer.
    case issuer
    /// The user's name for the key.
    case name
    /// The number of digits.
    case digits
    /// The hash function, by name.
    case algorithm
    /// The length of a TOTP step in seconds.
    case period
    /// The next HOTP counter.
    case counter
  }

  /// The columns' names, by what the columns hold.
  public let names: [Field: String]
  /// The encoding of the secrets.
  public let encoding: SecretEncoding
  /// TOTP or HOTP, with the period or counter to use if no column has it.
  public let kind: Seed.Kind
  /// The hash function to use if no column has it.
  public let algorithm: HashAlgorithm
  /// The number of digits to use if no column has it.
  public let digits: OTPCode.Digits

  /// Describes the columns of a table.
  ///
  /// - Parameters:
  ///   - names: The columns' names, by what the columns hold; at least the secret's. Case is ignored.
  ///   - encoding: The encoding of the secrets.
  ///   - kind: TOTP or HOTP. Its period or counter is used if no column has it.
  ///   - algorithm: The hash function to use if no column has it.
  ///   - digits: The number of digits to use if no column has it.
  /// - Throws: ``SeedRefusal`` if no column holds the secret, or if a counter is named for TOTP or a period for HOTP.
  public init(
    _ names: [Field: String], encoding: SecretEncoding, kind: Seed.Kind, algorithm: HashAlgorithm = .sha1,
    digits: OTPCode.Digits = .six
  ) throws(SeedRefusal) {
    guard names[.secret] != nil else { throw SeedRefusal(line: 0, .column, .missing) }
    switch kind {
    case .totp where names[.counter] == nil: break
    case .hotp where names[.period] == nil: break
    default: throw SeedRefusal(line: 0, .column, .mismatched)
    }
    self.init(names: names, encoding, kind, algorithm, digits)
  }

  private init(
    names: [Field: String], _ encoding: SecretEncoding, _ kind: Seed.Kind, _ algorithm: HashAlgorithm,
    _ digits: OTPCode.Digits
  ) {
    self.names = names
    self.encoding = encoding
    self.kind = kind
    self.algorithm = algorithm
    self.digits = digits
  }

  /// The table that Microsoft Entra ID reads for hardware tokens: `upn`, `serial number`, `secret key` in base32,
  /// `time interval`, and two columns that do not describe the key.
  public static var entra: SeedColumns {
    SeedColumns(
      names: [.account: "upn", .serial: "serial number", .secret: "secret key", .period: "time interval"], .base32,
      .totp(), .sha1, .six)
  }
}

/// Reads a table whose first row names its columns.
struct CSVParser: SeedParser {
  private var rows: CSVRows
  private let columns: SeedColumns
  /// Where the columns are; `nil` before the first row.
  private var places: [SeedColumns.Field: Int]?
  private var columnCount = 0

  init(_ source: SeedSource, columns: SeedColumns) {
    rows = CSVRows(source)
    self.columns = columns
  }

  var line: Int { rows.line }

  mutating func next() throws(SeedRefusal) -> SeedRecord? {
    if places == nil { places = try readHeader() }
    guard let places, try rows.next() else { return nil }
    do throws(SeedRefusal) { return .seed(try seed(places)) } catch { return .refused(error) }
  }

  private mutating func readHeader() throws(SeedRefusal) -> [SeedColumns.Field: Int] {
    guard try rows.next() else { throw SeedRefusal(line: 1, .column, .missing) }
    columnCount = rows.count
    let wanted = columns.names.mapValues { $0.lowercased() }
    var places: [SeedColumns.Field: Int] = [:]
    for index in 0..<rows.count {
      let name = try rows.withField(index) { (text) throws(SeedRefusal) in try text.text(.column, line: line) }
      for (field, wanted) in wanted where wanted.utf8.elementsEqual((name ?? "").lowercased().utf8) {
        guard places.updateValue(index, forKey: field) == nil else {
          throw SeedRefusal(line: line, .column, .duplicate)
        }
      }
    }
    guard places.count == wanted.count else { throw SeedRefusal(line: line, .column, .missing) }
    return places
  }

  private func seed(_ places: [SeedColumns.Field: Int]) throws(SeedRefusal) -> Seed {
    guard rows.count == columnCount else { throw SeedRefusal(line: line, .record, .mismatched) }
    guard let place = places[.secret] else { throw SeedRefusal(line: line, .secret, .missing) }
    let secret = try rows.withField(place) { (text) throws(SeedRefusal) in
      try columns.encoding.secret(text, line: line)
    }
    let kind: Seed.Kind =
      switch columns.kind {
      case .totp(let period, let drift, let last):
        .totp(
          period: try value(places[.period]) { (text, line) throws(SeedRefusal) in try text.period(line: line) }
            ?? period, drift: drift, lastAcceptedStep: last)
      case .hotp(let counter):
        .hotp(
          counter: try value(places[.counter]) { (text, line) throws(SeedRefusal) in
            try text.number(.counter, line: line)
          } ?? counter)
      }
    return Seed(
      kind, secret: secret,
      algorithm: try value(places[.algorithm]) { (text, line) throws(SeedRefusal) in try text.algorithm(line: line) }
        ?? columns.algorithm,
      digits: try value(places[.digits]) { (text, line) throws(SeedRefusal) in try text.digits(line: line) }
        ?? columns.digits,
      serial: try text(places[.serial], .serial), account: try text(places[.account], .account),
      issuer: try text(places[.issuer], .issuer), displayName: try text(places[.name], .record), line: line)
  }

  /// The value of a field; `nil` if no column has it.
  private func value<R>(
    _ place: Int?, _ read: (Span<UInt8>, Int) throws(SeedRefusal) -> R
  ) throws(SeedRefusal) -> R? {
    guard let place else { return nil }
    return try rows.withField(place) { (text) throws(SeedRefusal) in try read(text, line) }
  }

  /// The text of a field, which must not be empty if its column is named; `nil` if no column has it.
  private func text(_ place: Int?, _ field: SeedRefusal.Field) throws(SeedRefusal) -> String? {
    guard let place else { return nil }
    let text = try rows.withField(place) { (text) throws(SeedRefusal) in try text.text(field, line: line) }
    guard let text else { throw SeedRefusal(line: line, field, .missing) }
    return text
  }
}
