import OTP

/// What the columns of a table mean, by the names in its first row. Nothing is guessed: columns that are not named here
/// are ignored, except in the table ``complete``, where they are refused.
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
    /// `totp` or `hotp`. In a table with this column, any field but the secret may be empty, as if it had no column.
    case type
    /// The number of steps by which the device's clock is ahead, for TOTP.
    case drift
    /// The step that was accepted last, for TOTP.
    case lastStep = "last-step"
    /// How many attempts have failed since the last success.
    case failures
    /// `yes` or `no`: whether a code has confirmed the enrollment.
    case confirmed
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
  /// Whether columns may be missing, and no others are allowed.
  var isComplete = false

  /// Whether any field but the secret may be empty, since not every kind of key has each.
  var allowsEmptyFields: Bool { names[.type] != nil }

  /// The fields of only one kind.
  static func fields(ofTOTP isTOTP: Bool) -> [Field] { isTOTP ? [.period, .drift, .lastStep] : [.counter] }
}

extension SeedColumns {
  /// Describes the columns of a table.
  ///
  /// - Parameters:
  ///   - names: The columns' names, by what the columns hold; at least the secret's. Case is ignored.
  ///   - encoding: The encoding of the secrets.
  ///   - kind: TOTP or HOTP. Its period or counter is used if no column has it.
  ///   - algorithm: The hash function to use if no column has it.
  ///   - digits: The number of digits to use if no column has it.
  /// - Throws: ``SeedRefusal`` if no column holds the secret or, without a column of types, if one holds what only the
  ///   other kind has.
  public init(
    _ names: [Field: String], encoding: SecretEncoding, kind: Seed.Kind, algorithm: HashAlgorithm = .sha1,
    digits: OTPCode.Digits = .six
  ) throws(SeedRefusal) {
    guard names[.secret] != nil else { throw SeedRefusal(line: 0, .column, .missing) }
    let others = Self.fields(ofTOTP: !kind.isTOTP)
    guard names[.type] != nil || others.allSatisfy({ names[$0] == nil }) else {
      throw SeedRefusal(line: 0, .column, .mismatched)
    }
    self.init(names: names, encoding: encoding, kind: kind, algorithm: algorithm, digits: digits)
  }

  /// The table with everything that a key can have, such as another system's export by a script: columns named as
  /// ``Field`` has them, of which only the secret's, in base32, is needed; any other column is refused. The page
  /// *Moving in* describes them. ``header`` and `row` write it.
  public static var complete: SeedColumns {
    let names = Dictionary(uniqueKeysWithValues: Field.allCases.map { ($0, $0.rawValue) })
    return SeedColumns(
      names: names, encoding: .base32, kind: .totp(), algorithm: .sha1, digits: .six, isComplete: true)
  }

  /// The table that Microsoft Entra ID reads for hardware tokens: `upn`, `serial number`, `secret key` in base32,
  /// `time interval`, and two columns that do not describe the key.
  public static var entra: SeedColumns {
    SeedColumns(
      names: [.account: "upn", .serial: "serial number", .secret: "secret key", .period: "time interval"],
      encoding: .base32, kind: .totp(), algorithm: .sha1, digits: .six)
  }
}

// The table is also written.
extension SeedColumns {
  /// The first row of the table ``complete``.
  public static var header: String { row(Field.allCases.map(\.rawValue)) }

  /// A key as a row of the table ``complete``, with its secret in the clear.
  public static func row(_ seed: Seed) -> String {
    row(
      Field.allCases.map { field in
        switch (field, seed.kind) {
        case (.secret, _): seed.secret.base32String()
        case (.serial, _): seed.serial ?? ""
        case (.account, _): seed.account ?? ""
        case (.issuer, _): seed.issuer ?? ""
        case (.name, _): seed.displayName ?? ""
        case (.digits, _): "\(seed.digits.rawValue)"
        case (.algorithm, _): seed.algorithm.name
        case (.type, .totp): "totp"
        case (.type, .hotp): "hotp"
        case (.period, .totp(let period, _, _)): "\(period)"
        case (.drift, .totp(_, let drift, _)): "\(drift)"
        case (.lastStep, .totp(_, _, let last)): last.map(String.init) ?? ""
        case (.counter, .hotp(let counter)): "\(counter)"
        case (.failures, _): "\(seed.failures)"
        case (.confirmed, _): seed.isConfirmed ? "yes" : "no"
        case (.period, .hotp), (.drift, .hotp), (.lastStep, .hotp), (.counter, .totp): ""
        }
      })
  }

  /// A row of a table, with a line feed.
  public static func row(_ fields: [String]) -> String {
    let quoted = fields.map { field in
      let isPlain = !field.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
      // Not by `Character`: a quote and the accent on it are one.
      return isPlain ? field : "\"" + field.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
    }
    return quoted.joined(separator: ",") + "\n"
  }
}

extension Seed.Kind {
  var isTOTP: Bool { if case .totp = self { true } else { false } }
}
