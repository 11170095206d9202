/// What was wrong with an input, or what the process could not do.
///
/// An error names the part that is wrong and, for text, where; it never repeats the input, so that it can be logged
/// whatever the input was. Two errors are equal when their codes are.
public struct OTPError: Error, Hashable, Sendable {
  /// The kind of an error.
  #if hasAttribute(nonexhaustive)  // Swift 6.2.0 to 6.2.2 lack it.
  @nonexhaustive
  #endif
  public enum Code: Hashable, Sendable, CaseIterable {
    /// The secret has no bytes.
    case emptySecret
    /// A character that is not of RFC 4648's base32 alphabet.
    case invalidBase32Character
    /// A number of base32 symbols that no whole number of bytes encodes to.
    case invalidBase32Length
    /// Base32 padding that is missing, too long, or followed by symbols.
    case invalidBase32Padding
    /// The last base32 symbol has bits that no byte takes up (strict decoding alone).
    case nonZeroBase32TrailingBits
    /// The name of a hash function that RFC 6238 does not use.
    case invalidAlgorithm
    /// A number of digits outside 6...8.
    case invalidDigits
    /// A period under 1 second, or not a number.
    case invalidPeriod
    /// A counter outside 0...2^64-1, or not a number.
    case invalidCounter
    /// A window side outside 0...10, or of a resynchronization by time outside 0...1500.
    case invalidWindow
    /// A look-ahead outside 0...1000.
    case invalidLookAhead
    /// A time that is not a number of seconds in `Int64`.
    case invalidTime
    /// A time before t0, when no step has begun.
    case timeBeforeT0
    /// A submitted code that does not have exactly the expected number of digits, or has anything that is not read as one.
    case malformedCode
    /// A submitted code read for another number of digits than its verifier's.
    case mismatchedDigits
    /// A URI of more than 2,048 bytes.
    case uriTooLong
    /// A URI whose scheme is not `otpauth`.
    case invalidScheme
    /// A URI whose type is neither `totp` nor `hotp`, or not the one asked for.
    case invalidType
    /// A URI with user information or a port.
    case invalidAuthority
    /// A URI with a fragment.
    case unexpectedFragment
    /// A control character in a URI.
    case invalidCharacter
    /// A `%` that two hexadecimal digits do not follow.
    case invalidPercentEncoding
    /// Percent-encoded bytes that are not UTF-8.
    case invalidUTF8
    /// An issuer with a colon.
    case invalidIssuer
    /// An account that is empty or has a colon, or, building a URI, one that begins with a space.
    case invalidAccount
    /// A URI without a parameter that it needs.
    case missingParameter
    /// A known parameter given twice.
    case duplicateParameter
    /// The name of an additional parameter that is empty or has a meaning of its own.
    case invalidParameterName
    /// Room for fewer results than there would be; nothing was computed.
    case outputTooShort
    /// More codes asked for at once than 16,777,216.
    case tooManyCodes
    /// The random generator failed; nothing was generated.
    case randomnessUnavailable
    /// A backend that this build or this machine does not have, or that failed its known-answer test, or an
    /// `OTP_BACKEND` that names none.
    case backendUnavailable
    /// The cryptographic library failed: out of memory, or a provider that refuses the hash.
    case cryptographyFailed
  }

  /// A part of an `otpauth://` URI, or the whole.
  #if hasAttribute(nonexhaustive)
  @nonexhaustive
  #endif
  public enum Part: Hashable, Sendable {
    /// The URI as a whole.
    case uri
    /// What stands before `://`.
    case scheme
    /// `totp` or `hotp`.
    case type
    /// What stands around the type: user information, a port.
    case authority
    /// Issuer and account, as the path has them.
    case label
    /// The issuer, of the label or the parameter.
    case issuer
    /// The account's name.
    case account
    /// The parameter `secret`.
    case secret
    /// The parameter `algorithm`.
    case algorithm
    /// The parameter `digits`.
    case digits
    /// The parameter `period`.
    case period
    /// The parameter `counter`.
    case counter
    /// A parameter that the format does not define, or a parameter's name.
    case parameter
    /// What stands after `#`.
    case fragment
  }

  /// What is wrong.
  public let code: Code
  /// The part of the URI that is wrong, where the input was a URI or was to become one.
  public let part: Part?
  /// The zero-based offset of the offending byte of the text's UTF-8, where there is one.
  public let position: Int?

  package init(_ code: Code, part: Part? = nil, position: Int? = nil) {
    self.code = code
    self.part = part
    self.position = position
  }

  /// The same error, said of one part of a URI. A position within the part would mislead, and is dropped.
  func within(_ part: Part) -> OTPError { OTPError(code, part: part) }

  /// True where the codes are equal.
  public static func == (left: OTPError, right: OTPError) -> Bool { left.code == right.code }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
