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
    self.init(names: names, encoding: encoding, kind: kind, algorithm: algorithm, digits: digits)
  }

  /// The table that Microsoft Entra ID reads for hardware tokens: `upn`, `serial number`, `secret key` in base32,
  /// `time interval`, and two columns that do not describe the key.
  public static var entra: SeedColumns {
    SeedColumns(
      names: [.account: "upn", .serial: "serial number", .secret: "secret key", .period: "time interval"],
      encoding: .base32, kind: .totp(), algorithm: .sha1, digits: .six)
  }
}
