import OTP

/// Reads Bitwarden's table of a vault, personal or an organization's: `login_totp` is a key URI, a secret in base32
/// (six digits, SHA-1, 30 seconds), or `steam://` with a secret, which is not supported.
///
/// The account is that of the URI, else `login_username`; the item's name becomes the key's. Passwords, notes and the
/// rest are skipped, and items without a key are not keys.
///
/// Source: Bitwarden Help, "Condition a Bitwarden .csv or .json", and "Integrated authenticator".
struct BitwardenParser: SeedParser {
  /// The longest row accepted, in bytes: one with long notes and many fields.
  private static let maximumByteCount = 1 << 18

  private var rows: CSVRows
  private var indices: [SeedColumns.Field: Int]?
  private var columnCount = 0

  init(_ source: SeedSource) { rows = CSVRows(source, limit: Self.maximumByteCount) }

  var line: Int { rows.line }

  mutating func next() throws(SeedRefusal) -> SeedRecord? {
    if indices == nil {
      indices = try rows.readHeader([.secret: "login_totp", .account: "login_username", .name: "name"])
      columnCount = rows.count
    }
    guard let indices, let secret = indices[.secret] else { return nil }
    while try rows.next() {
      guard rows.count == columnCount else { return .refused(SeedRefusal(line: line, .record, .mismatched)) }
      if try rows.withField(secret, { text in text.trimmed.isEmpty }) { continue }
      let account = try? text(indices[.account], .account)
      do throws(SeedRefusal) {
        let seed = try rows.withField(secret) { (text) throws(SeedRefusal) in
          try Self.seed(text.extracting(text.trimmed), line: line)
        }
        let user = seed.account == nil ? try text(indices[.account], .account) : seed.account
        return .seed(
          Seed(
            seed.kind, secret: seed.secret, algorithm: seed.algorithm, digits: seed.digits, account: user,
            issuer: seed.issuer, displayName: try text(indices[.name], .record), line: line, dropped: seed.dropped))
      } catch {
        return .refused(SeedRefusal(line: error.line, error.field, error.reason, account: account))
      }
    }
    return nil
  }

  private func text(_ index: Int?, _ field: SeedRefusal.Field) throws(SeedRefusal) -> String? {
    guard let index else { return nil }
    return try rows.withField(index) { (text) throws(SeedRefusal) in try text.text(field, line: line) }
  }

  private static func seed(_ text: Span<UInt8>, line: Int) throws(SeedRefusal) -> Seed {
    if text.begins(with: "otpauth:", ignoringCase: true) { return try Seed(uriText: text, line: line) }
    guard !text.begins(with: "steam:", ignoringCase: true) else { throw SeedRefusal(line: line, .type, .unsupported) }
    return Seed(.totp(), secret: try SecretEncoding.base32.secret(text, line: line), line: line)
  }
}
