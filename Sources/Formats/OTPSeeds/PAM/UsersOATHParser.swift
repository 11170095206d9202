import OTP

/// Reads pam_oath's `users.oath`. The fields of a line, separated by white space, are a type, a user, a PIN, a secret
/// in hexadecimal, and optionally a counter, the last code used and its time. Codes use SHA-1.
///
/// As in liboath, the counter is that of the last code if the line has one, else that of the next code. The time has no
/// zone and is dropped, as are the last code and the PIN, which was typed before each code.
struct UsersOATHParser: SeedParser {
  private var lines: LineReader

  init(_ source: SeedSource) { lines = LineReader(source) }

  var line: Int { lines.line }

  mutating func next() throws(SeedRefusal) -> SeedRecord? {
    try lines.nextRecord { (text, line) throws(SeedRefusal) in try Self.seed(text, line: line) }
  }

  private static func seed(_ text: Span<UInt8>, line: Int) throws(SeedRefusal) -> Seed {
    let words = text.words
    guard (4...7).contains(words.count) else { throw SeedRefusal(line: line, .record, .malformed) }
    let (period, digits) = try type(text.extracting(words[0]), line: line)
    let secret = try SecretEncoding.hex.secret(text.extracting(words[3]), line: line)
    var dropped: [SeedRefusal.Field] = []
    let pin = text.extracting(words[2])
    if !pin.equals("-") { dropped.append(.pin) }
    let counter: UInt64? =
      words.count > 4 ? try text.extracting(words[4]).number(.counter, line: line) : nil
    let kind: Seed.Kind
    if let period {
      if words.count > 5 { dropped.append(.lastUse) }
      kind = .totp(period: period)
    } else {
      let isUsed = words.count > 5
      let (next, isOver) = (counter ?? 0).addingReportingOverflow(isUsed ? 1 : 0)
      guard !isOver else { throw SeedRefusal(line: line, .counter, .outOfRange) }
      kind = .hotp(counter: next)
    }
    guard let account = try text.extracting(words[1]).text(.account, line: line) else {
      throw SeedRefusal(line: line, .account, .missing)
    }
    return Seed(kind, secret: secret, digits: digits, account: account, line: line, dropped: dropped)
  }

  /// Reads a type that liboath knows: `HOTP`, `HOTP/E`, `HOTP/T30` or `HOTP/T60`, all but the first optionally followed
  /// by a slash and the number of digits.
  private static func type(
    _ text: Span<UInt8>, line: Int
  ) throws(SeedRefusal) -> (period: Int64?, digits: OTPCode.Digits) {
    var text = text
    var digits = OTPCode.Digits.six
    if text.count > 6, text[text.count - 2] == 0x2F, text[text.count - 1].isDigit {
      digits = try text.extracting(text.count - 1..<text.count).digits(line: line)
      text = text.extracting(0..<text.count - 2)
    } else if text.equals("HOTP") {
      return (nil, digits)
    }
    if text.equals("HOTP/E") { return (nil, digits) }
    if text.equals("HOTP/T30") { return (30, digits) }
    if text.equals("HOTP/T60") { return (60, digits) }
    throw SeedRefusal(line: line, .type, .unsupported)
  }
}
