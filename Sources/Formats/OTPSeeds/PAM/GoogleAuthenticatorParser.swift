import OTP

/// Reads a `.google_authenticator`: a secret in base32, then lines of settings that begin with `" `, then scratch
/// codes.
///
/// The file belongs to one user, whose name it does not contain. Codes have six digits and use SHA-1. `HOTP_COUNTER` is
/// the counter of the next code, `DISALLOW_REUSE` lists the last accepted steps by the device's clock, and `TIME_SKEW`
/// is the number of steps by which that clock is ahead. Scratch codes are not secrets of this kind, and are dropped.
struct GoogleAuthenticatorParser: SeedParser {
  /// The most settings accepted; libpam-google-authenticator has about ten.
  static let maximumSettingCount = 64

  private var lines: LineReader
  private var isTOTP = false
  private var period: Int64 = 30
  private var drift: Int64 = 0
  private var counter: UInt64?
  private var lastAcceptedStep: UInt64?
  private var settings: Set<String> = []
  private var dropped: [SeedRefusal.Field] = []

  init(_ source: SeedSource) { lines = LineReader(source) }

  var line: Int { lines.line }

  mutating func next() throws(SeedRefusal) -> SeedRecord? {
    guard try lines.next() else {
      // The file has one key, so the second call finds the end.
      guard line > 0 else { throw SeedRefusal(line: 1, .secret, .missing) }
      return nil
    }
    let first = line
    let secret = try lines.text.withBytes { (text) throws(SeedRefusal) in
      try SecretEncoding.base32.secret(text, line: first)
    }
    while try lines.next() { try readLine() }
    let kind: Seed.Kind
    switch (isTOTP, counter) {
    case (true, nil): kind = .totp(period: period, drift: drift, lastAcceptedStep: lastAcceptedStep)
    case (false, let counter?): kind = .hotp(counter: counter)
    case (false, nil): throw SeedRefusal(line: first, .type, .missing)
    case (true, _?): throw SeedRefusal(line: first, .type, .duplicate)
    }
    return .seed(Seed(kind, secret: secret, line: first, dropped: dropped))
  }

  private mutating func readLine() throws(SeedRefusal) {
    let line = line
    let lines = lines
    try lines.text.withBytes { (text) throws(SeedRefusal) in
      guard text.begins(with: "\" ") else {
        guard text.trimmed.count == 8, let _: UInt64 = try? text.number(.scratchCodes, line: line) else {
          throw SeedRefusal(line: line, .record, .malformed)
        }
        return drop(.scratchCodes)
      }
      let words = text.words
      // The first word is the quotation mark.
      guard words.count >= 2, let name = try text.extracting(words[1]).text(.setting, line: line) else {
        throw SeedRefusal(line: line, .setting, .malformed)
      }
      guard settings.count < Self.maximumSettingCount else { throw SeedRefusal(line: line, .setting, .tooLong) }
      guard settings.insert(name).inserted else { throw SeedRefusal(line: line, .setting, .duplicate) }
      try readSetting(name, text, words.dropFirst(2), line: line)
    }
  }

  private mutating func drop(_ field: SeedRefusal.Field) {
    if !dropped.contains(field) { dropped.append(field) }
  }

  private mutating func readSetting(
    _ name: String, _ text: Span<UInt8>, _ values: ArraySlice<Range<Int>>, line: Int
  ) throws(SeedRefusal) {
    func needed(_ field: SeedRefusal.Field) throws(SeedRefusal) -> Range<Int> {
      guard let range = values.first, values.count == 1 else { throw SeedRefusal(line: line, field, .malformed) }
      return range
    }
    switch name {
    case "TOTP_AUTH": isTOTP = true
    case "HOTP_COUNTER":
      // libpam-google-authenticator treats a counter below 1 as missing.
      let counter: UInt64 = try text.extracting(needed(.counter)).number(.counter, line: line)
      guard counter >= 1 else { throw SeedRefusal(line: line, .counter, .outOfRange) }
      self.counter = counter
    case "STEP_SIZE": period = try text.extracting(needed(.period)).period(line: line)
    case "TIME_SKEW": drift = try text.extracting(needed(.drift)).number(.drift, line: line)
    case "DISALLOW_REUSE":
      for range in values {
        let step: UInt64 = try text.extracting(range).number(.lastUse, line: line)
        lastAcceptedStep = max(lastAcceptedStep ?? 0, step)
      }
    case "WINDOW_SIZE": drop(.window)
    case "RATE_LIMIT": drop(.rateLimit)
    default: drop(.setting)
    }
  }
}
