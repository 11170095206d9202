/// What was wrong with an input, or what the process could not do.
///
/// An error names the part that is wrong and, for text, where; it never repeats the input, so that it can be logged
/// whatever the input was. Two errors are equal when their codes are.
public struct OTPError: Error, Hashable, Sendable {
  /// The kind of an error. More may come: switch over it with a `default`.
  public struct Code: Hashable, Sendable {
    package enum Kind: Hashable, Sendable, CaseIterable {
      case emptySecret
      case invalidBase32Character, invalidBase32Length, invalidBase32Padding, nonZeroBase32TrailingBits
      case invalidAlgorithm, invalidDigits, invalidPeriod, invalidCounter, invalidWindow, invalidLookAhead
      case invalidTime, timeBeforeT0
      case malformedCode, mismatchedDigits
      case uriTooLong, invalidScheme, invalidType, invalidAuthority, unexpectedFragment, invalidCharacter
      case invalidPercentEncoding, invalidUTF8, invalidIssuer, invalidAccount, missingParameter, duplicateParameter
      case invalidParameterName
      case outputTooShort, tooManyCodes, invalidThreadCount
      case randomnessUnavailable, backendUnavailable, cryptographyFailed
    }

    package let kind: Kind

    init(_ kind: Kind) { self.kind = kind }
  }

  /// A part of an `otpauth://` URI, or the whole. More may come.
  public struct Part: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      case uri, scheme, type, authority, label, issuer, account, secret, algorithm, digits, period, counter
      case parameter, fragment
    }

    let kind: Kind

    init(_ kind: Kind) { self.kind = kind }
  }

  /// What is wrong.
  public let code: Code
  /// The part of the URI that is wrong, where the input was a URI or was to become one.
  public let part: Part?
  /// The zero-based offset of the offending byte of the text's UTF-8, where there is one.
  public let position: Int?

  package init(_ kind: Code.Kind, part: Part? = nil, position: Int? = nil) {
    self.code = Code(kind)
    self.part = part
    self.position = position
  }

  /// The same error, said of one part of a URI. A position within the part would mislead, and is dropped.
  func within(_ part: Part) -> OTPError { OTPError(code.kind, part: part) }

  /// True where the codes are equal.
  public static func == (left: OTPError, right: OTPError) -> Bool { left.code == right.code }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension OTPError.Code {
  /// The secret has no bytes.
  public static var emptySecret: Self { Self(.emptySecret) }
  /// A character that is not of RFC 4648's base32 alphabet.
  public static var invalidBase32Character: Self { Self(.invalidBase32Character) }
  /// A number of base32 symbols that no whole number of bytes encodes to.
  public static var invalidBase32Length: Self { Self(.invalidBase32Length) }
  /// Base32 padding that is missing, too long, or followed by symbols.
  public static var invalidBase32Padding: Self { Self(.invalidBase32Padding) }
  /// The last base32 symbol has bits that no byte takes up (strict decoding alone).
  public static var nonZeroBase32TrailingBits: Self { Self(.nonZeroBase32TrailingBits) }
  /// The name of a hash function that RFC 6238 does not use.
  public static var invalidAlgorithm: Self { Self(.invalidAlgorithm) }
  /// A number of digits outside 6...8.
  public static var invalidDigits: Self { Self(.invalidDigits) }
  /// A period under 1 second, or not a number.
  public static var invalidPeriod: Self { Self(.invalidPeriod) }
  /// A counter outside 0...2^64-1, or not a number.
  public static var invalidCounter: Self { Self(.invalidCounter) }
  /// A window side outside 0...10.
  public static var invalidWindow: Self { Self(.invalidWindow) }
  /// A look-ahead outside 0...1000.
  public static var invalidLookAhead: Self { Self(.invalidLookAhead) }
  /// A time that is not a number of seconds in `Int64`.
  public static var invalidTime: Self { Self(.invalidTime) }
  /// A time before t0, when no step has begun.
  public static var timeBeforeT0: Self { Self(.timeBeforeT0) }
  /// A submitted code that is not exactly the expected number of ASCII digits.
  public static var malformedCode: Self { Self(.malformedCode) }
  /// A submitted code read for another number of digits than its verifier's.
  public static var mismatchedDigits: Self { Self(.mismatchedDigits) }
  /// A URI of more than 2,048 bytes.
  public static var uriTooLong: Self { Self(.uriTooLong) }
  /// A URI whose scheme is not `otpauth`.
  public static var invalidScheme: Self { Self(.invalidScheme) }
  /// A URI whose type is neither `totp` nor `hotp`, or not the one asked for.
  public static var invalidType: Self { Self(.invalidType) }
  /// A URI with user information or a port.
  public static var invalidAuthority: Self { Self(.invalidAuthority) }
  /// A URI with a fragment.
  public static var unexpectedFragment: Self { Self(.unexpectedFragment) }
  /// A control character in a URI.
  public static var invalidCharacter: Self { Self(.invalidCharacter) }
  /// A `%` that two hexadecimal digits do not follow.
  public static var invalidPercentEncoding: Self { Self(.invalidPercentEncoding) }
  /// Percent-encoded bytes that are not UTF-8.
  public static var invalidUTF8: Self { Self(.invalidUTF8) }
  /// An issuer with a colon.
  public static var invalidIssuer: Self { Self(.invalidIssuer) }
  /// An account that is empty or has a colon.
  public static var invalidAccount: Self { Self(.invalidAccount) }
  /// A URI without a parameter that it needs.
  public static var missingParameter: Self { Self(.missingParameter) }
  /// A known parameter given twice.
  public static var duplicateParameter: Self { Self(.duplicateParameter) }
  /// The name of an additional parameter that is empty or has a meaning of its own.
  public static var invalidParameterName: Self { Self(.invalidParameterName) }
  /// Room for fewer results than there would be; nothing was computed.
  public static var outputTooShort: Self { Self(.outputTooShort) }
  /// More codes asked for at once than 16,777,216.
  public static var tooManyCodes: Self { Self(.tooManyCodes) }
  /// A number of threads outside 1...256.
  public static var invalidThreadCount: Self { Self(.invalidThreadCount) }
  /// The random generator failed; nothing was generated.
  public static var randomnessUnavailable: Self { Self(.randomnessUnavailable) }
  /// A backend that this build or this machine does not have, or that failed its known-answer test, or an
  /// `OTP_BACKEND` that names none.
  public static var backendUnavailable: Self { Self(.backendUnavailable) }
  /// The cryptographic library failed: out of memory, or a provider that refuses the hash.
  public static var cryptographyFailed: Self { Self(.cryptographyFailed) }
}

extension OTPError.Part {
  /// The URI as a whole.
  public static var uri: Self { Self(.uri) }
  /// What stands before `://`.
  public static var scheme: Self { Self(.scheme) }
  /// `totp` or `hotp`.
  public static var type: Self { Self(.type) }
  /// What stands around the type: user information, a port.
  public static var authority: Self { Self(.authority) }
  /// Issuer and account, as the path has them.
  public static var label: Self { Self(.label) }
  /// The issuer, of the label or the parameter.
  public static var issuer: Self { Self(.issuer) }
  /// The account's name.
  public static var account: Self { Self(.account) }
  /// The parameter `secret`.
  public static var secret: Self { Self(.secret) }
  /// The parameter `algorithm`.
  public static var algorithm: Self { Self(.algorithm) }
  /// The parameter `digits`.
  public static var digits: Self { Self(.digits) }
  /// The parameter `period`.
  public static var period: Self { Self(.period) }
  /// The parameter `counter`.
  public static var counter: Self { Self(.counter) }
  /// A parameter that the format does not define, or a parameter's name.
  public static var parameter: Self { Self(.parameter) }
  /// What stands after `#`.
  public static var fragment: Self { Self(.fragment) }
}
