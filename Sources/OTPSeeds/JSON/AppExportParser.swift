import OTP

/// Reads the plain export of an authenticator app: JSON with an array of keys.
struct AppExportParser: SeedParser {
  /// The names of the parts of an app's export. In a path, `*` stands for each element of an array.
  struct Layout {
    /// The array of keys.
    let keys: [String]
    /// The fields of a key; `record` is the user's name for it.
    let fields: [[String]: SeedRefusal.Field]
    /// The numbers that state the format's version, and the highest that is known.
    let versions: [[String]: Int]
    /// The text that an encrypted export has.
    let ciphertext: [String]
    /// Whether the app leaves out the usual values: TOTP, SHA-1, six digits, 30 seconds.
    let hasDefaults: Bool
  }

  private var json: JSONReader
  private let layout: Layout
  private var hasKeys = false

  init(_ source: SeedSource, _ layout: Layout) {
    json = JSONReader(source)
    self.layout = layout
  }

  var line: Int { json.line }

  mutating func next() throws(SeedRefusal) -> SeedRecord? {
    let element = layout.keys + ["*"]
    while let event = try json.next() {
      switch event {
      case .array where json.path == element:
        guard !hasKeys else { throw SeedRefusal(line: line, .file, .duplicate) }
        hasKeys = true
      case .object where json.path == element + ["*"]: return try readKey()
      case .text where json.path == layout.ciphertext: throw SeedRefusal(line: line, .file, .encrypted)
      case .end: break
      case _ where json.path == element || (event == .array && json.path == element + ["*"]):
        return .refused(SeedRefusal(line: line, .record, .malformed))
      default: try checkVersion(event)
      }
    }
    guard hasKeys else { throw SeedRefusal(line: line, .file, .missing) }
    return nil
  }

  private func checkVersion(_ event: JSONReader.Event) throws(SeedRefusal) {
    guard let highest = layout.versions[json.path] else { return }
    let line = line
    let version: Int = try json.withText(.file) { (text) throws(SeedRefusal) in try text.number(.file, line: line) }
    guard event == .token, (1...highest).contains(version) else { throw SeedRefusal(line: line, .file, .unsupported) }
  }

  /// Reads the rest of a key, whose fields have no order.
  private mutating func readKey() throws(SeedRefusal) -> SeedRecord {
    let depth = json.path.count
    var key = AppKey(line: line)
    while let event = try json.next(), event != .end || json.path.count >= depth {
      if event != .end, let field = layout.fields[Array(json.path[(depth - 1)...])] { key.read(field, event, json) }
    }
    return key.record(hasDefaults: layout.hasDefaults)
  }
}

extension AppExportParser.Layout {
  /// Source: Aegis, `docs/vault.md`.
  static let aegis = Self(
    keys: ["db", "entries"],
    fields: [
      ["type"]: .type, ["name"]: .account, ["issuer"]: .issuer, ["info", "secret"]: .secret,
      ["info", "algo"]: .algorithm, ["info", "digits"]: .digits, ["info", "period"]: .period,
      ["info", "counter"]: .counter,
    ], versions: [["version"]: 1, ["db", "version"]: 3], ciphertext: ["db"], hasDefaults: false)

  /// Source: 2FAS for Android, `BackupContent`, `BackupService`.
  static let twoFAS = Self(
    keys: ["services"],
    fields: [
      ["name"]: .record, ["secret"]: .secret, ["otp", "tokenType"]: .type, ["otp", "account"]: .account,
      ["otp", "issuer"]: .issuer, ["otp", "algorithm"]: .algorithm, ["otp", "digits"]: .digits,
      ["otp", "period"]: .period, ["otp", "counter"]: .counter,
    ], versions: [["schemaVersion"]: 4], ciphertext: ["servicesEncrypted"], hasDefaults: true)
}

/// The fields of one key, as far as they have been read.
private struct AppKey {
  let line: Int
  private var fields: Set<SeedRefusal.Field> = []
  private var fault: SeedRefusal?
  private var texts: [SeedRefusal.Field: String] = [:]
  private var secret: OTPSecret?
  private var algorithm: HashAlgorithm?
  private var digits: OTPCode.Digits?
  private var period: Int64?
  private var counter: UInt64?

  init(line: Int) { self.line = line }

  /// Reads a field, and keeps the first fault.
  mutating func read(_ field: SeedRefusal.Field, _ event: JSONReader.Event, _ json: JSONReader) {
    do throws(SeedRefusal) {
      guard fields.insert(field).inserted else { throw SeedRefusal(line: json.line, field, .duplicate) }
      if event == .null { return }
      let isNumber = field == .digits || field == .period || field == .counter
      guard event == (isNumber ? .token : .text) else { throw SeedRefusal(line: json.line, field, .malformed) }
      try json.withText(field) { (text) throws(SeedRefusal) in
        switch field {
        case .secret: secret = try SecretEncoding.base32.secret(text, line: json.line)
        case .algorithm: algorithm = try text.algorithm(line: json.line)
        case .digits: digits = try text.digits(line: json.line)
        case .period: period = try text.period(line: json.line)
        case .counter: counter = try text.number(.counter, line: json.line)
        default: texts[field] = try text.text(field, line: json.line)
        }
      }
    } catch {
      fault = fault ?? error
    }
  }

  func record(hasDefaults: Bool) -> SeedRecord {
    do throws(SeedRefusal) { return .seed(try seed(hasDefaults)) } catch {
      return .refused(SeedRefusal(line: error.line, error.field, error.reason, account: texts[.account]))
    }
  }

  private func seed(_ hasDefaults: Bool) throws(SeedRefusal) -> Seed {
    func needed<R>(_ value: R?, _ field: SeedRefusal.Field, or standard: R? = nil) throws(SeedRefusal) -> R {
      guard let value = value ?? (hasDefaults ? standard : nil) else { throw SeedRefusal(line: line, field, .missing) }
      return value
    }
    // The type is first: other fields of a type that is not supported, such as five digits, are not faults.
    let type = try needed(texts[.type], .type, or: "totp").lowercased()
    guard type == "totp" || type == "hotp" else { throw SeedRefusal(line: line, .type, .unsupported) }
    if let fault { throw fault }
    return Seed(
      type == "totp"
        ? .totp(period: try needed(period, .period, or: 30)) : .hotp(counter: try needed(counter, .counter)),
      secret: try needed(secret, .secret), algorithm: try needed(algorithm, .algorithm, or: .sha1),
      digits: try needed(digits, .digits, or: .six), account: texts[.account], issuer: texts[.issuer],
      displayName: texts[.record], line: line)
  }
}
