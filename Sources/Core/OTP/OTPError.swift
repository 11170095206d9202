/// What was wrong with an input, or what the process could not do.
///
/// An error names the part that is wrong and, for text, its position. It never repeats the input, so it is safe to log.
/// Two errors are equal if their codes are.
public struct OTPError: Error, Hashable, Sendable {
  /// The kind of an error.
  #if hasAttribute(nonexhaustive)  // Swift 6.2.0 to 6.2.2 lack it.
  @nonexhaustive
  #endif
  public enum Code: Hashable, Sendable, CaseIterable {
    /// The secret has no bytes.
    case emptySecret
    /// A character that is not in RFC 4648's base32 alphabet.
    case invalidBase32Character
    /// A number of base32 symbols that no whole number of bytes encodes to.
    case invalidBase32Length
    /// Base32 padding that is missing, too long, or followed by symbols.
    case invalidBase32Padding
    /// The unused bits of the last base32 symbol are not zero (strict decoding only).
    case nonZeroBase32TrailingBits
    /// The name of a hash function that RFC 6238 does not use.
    case invalidAlgorithm
    /// A number of digits outside 6...8.
    case invalidDigits
    /// A period under 1 second, or not a number.
    case invalidPeriod
    /// A counter outside 0...2^64-1, or not a number.
    case invalidCounter
    /// A window side outside 0...10, or more than 1500 steps for a resynchronization by time.
    case invalidWindow
    /// A look-ahead outside 0...1000.
    case invalidLookAhead
    /// A time that is not a number of seconds in `Int64`.
    case invalidTime
    /// A time before t0, when step 0 begins.
    case timeBeforeT0
    /// A submitted code without exactly the expected number of digits, or with anything that cannot be read as a digit.
    case malformedCode
    /// A submitted code that was read with a different number of digits than its verifier expects.
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
    /// A `%` that is not followed by two hexadecimal digits.
    case invalidPercentEncoding
    /// Percent-encoded bytes that are not UTF-8.
    case invalidUTF8
    /// An issuer that contains a colon.
    case invalidIssuer
    /// An account that is empty or contains a colon, or, in a URI to be built, begins with a space.
    case invalidAccount
    /// A URI without a required parameter.
    case missingParameter
    /// A known parameter given twice.
    case duplicateParameter
    /// An additional parameter whose name is empty or is one that the format defines.
    case invalidParameterName
    /// Too little room for the results; nothing was computed.
    case outputTooShort
    /// A request for more than 16,777,216 codes at once.
    case tooManyCodes
    /// The random generator failed; nothing was generated.
    case randomnessUnavailable
    /// A backend that this build or this machine lacks, or that failed its known-answer test, or an `OTP_BACKEND` that
    /// names no backend.
    case backendUnavailable
    /// The cryptographic library failed: it ran out of memory, or a provider refused the hash.
    case cryptographyFailed
  }

  /// A part of an `otpauth://` URI, or the whole of it.
  #if hasAttribute(nonexhaustive)
  @nonexhaustive
  #endif
  public enum Part: Hashable, Sendable {
    /// The URI as a whole.
    case uri
    /// The text before `://`.
    case scheme
    /// `totp` or `hotp`.
    case type
    /// The text around the type: user information, a port.
    case authority
    /// The path: issuer and account.
    case label
    /// The issuer, in the label or the parameter.
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
    /// The text after `#`.
    case fragment
  }

  /// What is wrong.
  public let code: Code
  /// The part of the URI that is wrong, if a URI was read or built.
  public let part: Part?
  /// The zero-based offset of the offending byte in the text's UTF-8, if there is one.
  public let position: Int?

  package init(_ code: Code, part: Part? = nil, position: Int? = nil) {
    self.code = code
    self.part = part
    self.position = position
  }

  /// The same error with the part of the URI that it is in. The position is dropped, since it would be relative to the
  /// part and would mislead.
  func within(_ part: Part) -> OTPError { OTPError(code, part: part) }

  /// Whether the codes are equal.
  public static func == (left: OTPError, right: OTPError) -> Bool { left.code == right.code }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
