import OTP

/// Reads the YubiKey Personalization Tool's log of OATH-HOTP keys.
///
/// A row of its own format is the serial number, the token identifier, `0`, the secret in hexadecimal, an access code
/// and a time. In its "traditional" format, `OATH-HOTP` is the first field, the slot the third, the token identifier
/// the fourth, the secret the sixth, and the number of digits the twelfth. The counter of a newly written key is 0.
struct YubicoParser: SeedParser {
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
      guard rows.count >= 12 else { throw SeedRefusal(line: line, .record, .mismatched) }
      let digits = try rows.withField(11) { (text) throws(SeedRefusal) in try text.digits(line: line) }
      return try seed(secret: 5, identifier: 3, digits: digits, serial: nil)
    }
    let serial = try rows.withField(0) { (text) throws(SeedRefusal) in try text.text(.serial, line: line) }
    // In either format, this is a Yubico OTP or a static password.
    guard let serial, serial.utf8.allSatisfy(\.isDigit), rows.count >= 6 else {
      throw SeedRefusal(line: line, .type, .unsupported)
    }
    guard try rows.withField(2, { text in text.extracting(text.trimmed).equals("0") }) else {
      throw SeedRefusal(line: line, .type, .unsupported)
    }
    return try seed(secret: 3, identifier: 1, digits: digits, serial: serial)
  }

  private func seed(secret: Int, identifier: Int, digits: OTPCode.Digits, serial: String?) throws(SeedRefusal) -> Seed {
    let hasIdentifier = try rows.withField(identifier) { text in !text.trimmed.isEmpty }
    return Seed(
      .hotp(counter: 0),
      secret: try rows.withField(secret) { (text) throws(SeedRefusal) in
        try SecretEncoding.hex.secret(text, line: line)
      }, digits: digits, serial: serial, line: line, dropped: hasIdentifier ? [.tokenIdentifier] : [])
  }
}
