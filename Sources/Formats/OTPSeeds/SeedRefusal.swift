/// Why a key, or the rest of a file, is refused: a line, a field and a reason, but no value from the file.
public struct SeedRefusal: Error, Hashable, Sendable {
  /// What is wrong.
  #if hasAttribute(nonexhaustive)  // Swift 6.2.0 to 6.2.2 lack it.
  @nonexhaustive
  #endif
  public enum Reason: String, Sendable, CaseIterable {
    /// The field is missing.
    case missing
    /// The field does not follow its format.
    case malformed
    /// The number is out of range.
    case outOfRange = "out of range"
    /// The field is too long, too deeply nested, or repeated too often.
    case tooLong = "too long"
    /// The field occurs twice.
    case duplicate
    /// The field is well formed but not supported.
    case unsupported
    /// The field contradicts another one.
    case mismatched
    /// The value is encrypted, and the key or password that it needs was not given.
    case keyNeeded = "needs a key or password"
    /// The key or the password is wrong, or an encrypted value was changed. All have the same reason, so that an
    /// attacker does not learn which.
    case notAuthentic = "not authentic"
    /// The account has as many factors as are allowed: for callers that add keys to accounts.
    case full = "has as many factors as are allowed"
    /// The file cannot be read.
    case unreadable
    /// libcrypto failed.
    case cryptographyFailed = "failed in the cryptographic library"
  }

  /// The field that is refused, or dropped.
  #if hasAttribute(nonexhaustive)  // Swift 6.2.0 to 6.2.2 lack it.
  @nonexhaustive
  #endif
  public enum Field: String, Sendable, CaseIterable {
    /// The file as a whole.
    case file
    /// A line, a row, or an element.
    case record
    /// The shared secret.
    case secret
    /// The device's serial number, together with the key's identifier if it has one.
    case serial
    /// The account that the key belongs to.
    case account
    /// The issuer.
    case issuer
    /// The type of the key.
    case type
    /// The hash function.
    case algorithm
    /// The number of digits.
    case digits
    /// The encoding of codes, or of the file.
    case encoding
    /// The length of a step.
    case period
    /// The next counter.
    case counter
    /// The device's time, or a `t0` that cannot be written.
    case time
    /// The number of steps by which the device's clock is ahead.
    case drift
    /// A column of a table, or its name in the header.
    case column
    /// A key URI.
    case uri
    /// A batch of migration URIs.
    case batch
    /// The encryption of a value, or its key.
    case encryption
    /// The derivation of a key from a password.
    case derivation = "key derivation"
    /// The authentication code of an encrypted value.
    case mac = "MAC"
    /// What a key may be used for, or how often.
    case usage
    /// A PIN, or its use.
    case pin = "PIN"
    /// The dates between which a key is valid.
    case validity
    /// A document type declaration, which could declare entities.
    case documentType = "document type"
    /// The number of failed attempts.
    case failures
    /// Whether a code has confirmed the enrollment.
    case confirmation
    /// The time or step of the last use.
    case lastUse = "last use"
    /// The identifier that a token types before each code.
    case tokenIdentifier = "token identifier"
    /// A setting or parameter that has no meaning here.
    case setting
  }

  /// The line of the file, from 1; 0 for the file as a whole.
  public let line: Int
  /// The field.
  public let field: Field
  /// The reason.
  public let reason: Reason
  /// The account of the refused key, for callers that add keys to accounts; not part of the description. Readers never
  /// name it: a field that the caller names, or of a malformed line, could be a secret.
  public let account: String?
  /// What a column that is missing or occurs twice would hold.
  public let column: SeedColumns.Field?

  /// Creates a refusal.
  ///
  /// - Parameters:
  ///   - line: The line of the file, from 1; 0 for the file as a whole.
  ///   - field: The field.
  ///   - reason: The reason.
  ///   - account: The account of the refused key, if the caller knows it.
  ///   - column: What a column that is missing or occurs twice would hold.
  public init(
    line: Int, _ field: Field, _ reason: Reason, account: String? = nil, column: SeedColumns.Field? = nil
  ) {
    self.line = line
    self.field = field
    self.reason = reason
    self.account = account
    self.column = column
  }
}

extension SeedRefusal: CustomStringConvertible {
  /// The refusal in fixed words and a line number. It contains nothing from the file.
  public var description: String {
    (line > 0 ? "line \(line): " : "") + "\(field.rawValue)" + (column.map { " (\($0.rawValue))" } ?? "")
      + ": \(reason.rawValue)"
  }
}
