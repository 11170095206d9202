import Keyring
import OTP

/// Why a function of a record failed. It never contains a secret, a code, a subject or any part of a record.
///
/// A wrong code is not an error but an ``FactorRecord/Answer``.
public struct FactorRecordError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of an error.
  #if hasAttribute(nonexhaustive)
  @nonexhaustive
  #endif
  public enum Kind: String, Sendable {
    /// The bytes are not a record: truncated, or something else.
    case malformed
    /// A later version of this library has written the record.
    case laterVersion
    /// The record is sealed, and was to be read without a keyring, or the other way around.
    case wrongEncoding
    /// The record was sealed for another subject.
    case anotherSubject
    /// The record is not of the kind that was asked for, or the function is not for its kind.
    case anotherKind
    /// The keyring lacks the key that sealed the record.
    case unknownKey
    /// The record was altered, or sealed by another key of the same name.
    case notAuthentic
    /// The subject is empty, or longer than 1,024 bytes.
    case invalidSubject
    /// The secret is longer than 1,024 bytes.
    case invalidSecret
    /// A number of a policy, a time step, a counter or a count is out of range.
    case outOfRange
    /// The time is before 2000 or after 2199 (UTC), as if it were in milliseconds.
    case invalidTime
    /// The enrollment is not confirmed yet.
    case pending
    /// The enrollment was confirmed already.
    case notPending
    /// The factor is active, and nothing says that it is to be replaced.
    case enrolled
    /// The issuer or the account's name cannot be in a key URI, or the URI would be too long.
    case invalidName
    /// The random generator failed; there is no fallback.
    case randomnessUnavailable
    /// The cryptographic library failed. This is the server's failure, never a wrong code.
    case cryptographyFailed
  }

  /// What is wrong.
  public let kind: Kind

  package init(_ kind: Kind) { self.kind = kind }

  init(_ error: KeyringError) {
    switch error.kind {
    case .unknownKey: kind = .unknownKey
    case .notAuthentic: kind = .notAuthentic
    case .randomnessUnavailable: kind = .randomnessUnavailable
    case .cryptographyFailed: kind = .cryptographyFailed
    default: kind = .malformed
    }
  }

  /// The source of the error, and its kind.
  public var description: String { "factor record: \(kind.rawValue)" }
}
