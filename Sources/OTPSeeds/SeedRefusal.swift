/// Why a key, or all that is left of a file, is not taken: where, by line and field, and never by value.
public struct SeedRefusal: Error, Hashable, Sendable {
  /// What is wrong.
  #if hasAttribute(nonexhaustive)  // Swift 6.2.0 to 6.2.2 lack it.
  @nonexhaustive
  #endif
  public enum Reason: String, Sendable, CaseIterable {
    /// It is not there.
    case missing
    /// It is not what its format says.
    case malformed
    /// It is a number that has no meaning there.
    case outOfRange = "out of range"
    /// It is longer, deeper or more than is read.
    case tooLong = "too long"
    /// It is there twice.
    case duplicate
    /// It is well formed, and means something that is not done here.
    case unsupported
    /// It belongs to something else than what came before.
    case mismatched
    /// It is encrypted, and neither key nor password was given, or the one of the two that does not fit.
    case keyNeeded = "needs a key or password"
    /// The key or the password is not that of the file, or the file was changed: one reason, so that nobody learns which.
    case notAuthentic = "not authentic"
    /// The file cannot be read.
    case unreadable
    /// The cryptographic library failed.
    case cryptographyFailed = "failed in the cryptographic library"
  }

  /// What it is wrong with.
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
    /// The device's serial number, with the key's name where there is one.
    case serial
    /// Whose key it is.
    case account
    /// Who issued it.
    case issuer
    /// What kind of codes it is for.
    case type
    /// The hash function.
    case algorithm
    /// The number of digits.
    case digits
    /// How a code is written.
    case encoding
    /// The length of a step.
    case period
    /// The next counter.
    case counter
    /// The time that a device was set to.
    case time
    /// How far a device's clock is ahead.
    case drift
    /// A column that the header was to name.
    case column
    /// A key URI.
    case uri
    /// A batch of migration URIs.
    case batch
    /// How a value is encrypted.
    case encryption
    /// What a password is made a key by.
    case derivation = "key derivation"
    /// The authentication code of an encrypted value.
    case mac = "MAC"
    /// What a key may be used for.
    case usage
    /// A PIN, or how it is used.
    case pin = "PIN"
    /// From when to when a key is valid.
    case validity
    /// A document type, and so entities.
    case documentType = "document type"
    /// How many codes a system looked at.
    case window
    /// How often a system let somebody try.
    case rateLimit = "rate limit"
    /// Codes for when a device is lost.
    case scratchCodes = "scratch codes"
    /// When a code was used last.
    case lastUse = "last use"
    /// What a token writes before each code.
    case tokenIdentifier = "token identifier"
    /// A setting, or a part of a format, that has no meaning here.
    case setting
  }

  /// The line of the file, from 1; 0 for the file as a whole.
  public let line: Int
  /// What is wrong with it.
  public let field: Field
  /// Why.
  public let reason: Reason

  /// A refusal.
  ///
  /// - Parameters:
  ///   - line: The line of the file, from 1; 0 for the file as a whole.
  ///   - field: What is wrong with it.
  ///   - reason: Why.
  public init(line: Int, _ field: Field, _ reason: Reason) {
    self.line = line
    self.field = field
    self.reason = reason
  }
}

extension SeedRefusal: CustomStringConvertible {
  /// The refusal in fixed words and a number: nothing of the file is in it.
  public var description: String {
    (line > 0 ? "line \(line): " : "") + "\(field.rawValue): \(reason.rawValue)"
  }
}
