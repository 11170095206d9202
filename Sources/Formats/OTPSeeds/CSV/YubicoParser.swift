import OTP

/// Reads the YubiKey Personalization Tool's log of OATH-HOTP keys.
///
/// A row of its own format is the serial number, the token identifier, the initial counter, the secret in hexadecimal,
/// an access code and a time. In its "traditional" format, `OATH-HOTP` is the first field, the slot the third, the
/// token identifier the fourth, the secret the sixth, the number of digits the twelfth, and the initial counter the
/// thirteenth. In the tool's own format a key for HMAC challenge-response has an empty second field and `0` as the
/// third, exactly like an OATH-HOTP key without a token identifier: both are refused.
///
/// Source: yubikey-personalization-gui, `yubikeylogger.cpp`. It logs `oathMovingFactorSeed`, the number that it passes
/// to yubikey-personalization's `ykp_set_oath_imf`, which divides it by 16 only to store it: it is the counter itself.
struct YubicoParser: SeedParser {
  /// The highest initial counter that a key can be given; each is a multiple of 16.
  private static let maximumCounter: UInt64 = 65_535 * 16

  private var rows: CSVRows
  private let digits: OTPCode.Digits

  init(_ source: SeedSource, digits: OTPCode.Digits) {
    rows = CSVRows(source)
    self.digits = digits
  }

  var line: Int { rows.line }

  mutating func next() throws(SeedRefusal) -> SeedRecord? {
    while try rows.next() {
      if try isRemark() { continue }
      do throws(SeedRefusal) { return .seed(try seed()) } catch { return .refused(error) }
    }
    return nil
  }

  private func isRemark() throws(SeedRefusal) -> Bool {
    try rows.withField(0) { text in
      text.begins(with: "#") || text.equals("LOGGING START") || text.equals("LOGGING END")
    }
  }

  private func seed() throws(SeedRefusal) -> Seed {
    let isTraditional = try rows.withField(0) { text in text.equals("OATH-HOTP") }
    if isTraditional {
      guard rows.count >= 13 else { throw SeedRefusal(line: line, .record, .mismatched) }
      let digits = try rows.withField(11) { (text) throws(SeedRefusal) in try text.digits(line: line) }
      let counter = try counter(12)
      guard isInitial(counter) else { throw SeedRefusal(line: line, .counter, .outOfRange) }
      return try seed(.hotp(counter: counter), secret: 5, identifier: 3, digits: digits, serial: nil)
    }
    let serial = try rows.withField(0) { (text) throws(SeedRefusal) in try text.text(.serial, line: line) }
    // In either format, this is a Yubico OTP or a static password.
    guard let serial, serial.utf8.allSatisfy(\.isDigit), rows.count >= 6 else {
      throw SeedRefusal(line: line, .type, .unsupported)
    }
    // Twelve digits are a private identity of Yubico's own codes.
    guard try hasText(1), try rows.withField(2, { text in text.trimmed.count <= 7 }), let counter = try? counter(2),
      isInitial(counter)
    else { throw SeedRefusal(line: line, .type, .unsupported) }
    return try seed(.hotp(counter: counter), secret: 3, identifier: 1, digits: digits, serial: serial)
  }

  private func hasText(_ index: Int) throws(SeedRefusal) -> Bool {
    try rows.withField(index) { text in !text.trimmed.isEmpty }
  }

  private func counter(_ index: Int) throws(SeedRefusal) -> UInt64 {
    try rows.withField(index) { (text) throws(SeedRefusal) in try text.number(.counter, line: line) }
  }

  private func isInitial(_ counter: UInt64) -> Bool { counter <= Self.maximumCounter && counter.isMultiple(of: 16) }

  private func seed(
    _ kind: Seed.Kind, secret: Int, identifier: Int, digits: OTPCode.Digits, serial: String?
  ) throws(SeedRefusal) -> Seed {
    let hasIdentifier = try hasText(identifier)
    return Seed(
      kind,
      secret: try rows.withField(secret) { (text) throws(SeedRefusal) in
        try SecretEncoding.hex.secret(text, line: line)
      }, digits: digits, serial: serial, line: line, dropped: hasIdentifier ? [.tokenIdentifier] : [])
  }
}
