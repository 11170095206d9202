extension OTPError: CustomStringConvertible {
  /// One line: the part, what is wrong with it, and the position. Never the input.
  public var description: String {
    var text = ""
    if let part {
      text += part.name
      text += ": "
    }
    text += code.message
    if let position {
      text += " at byte "
      text += String(position)
    }
    return text
  }
}

extension OTPError.Part {
  /// The part's name, such as `issuer`.
  public var name: String { unsafe String(cString: staticName.utf8Start) }

  /// The name, in static memory.
  package var staticName: StaticString {
    switch self {
    case .uri: "URI"
    case .scheme: "scheme"
    case .type: "type"
    case .authority: "authority"
    case .label: "label"
    case .issuer: "issuer"
    case .account: "account"
    case .secret: "secret"
    case .algorithm: "algorithm"
    case .digits: "digits"
    case .period: "period"
    case .counter: "counter"
    case .parameter: "parameter"
    case .fragment: "fragment"
    }
  }
}

extension OTPError.Code {
  /// What is wrong, in a few words.
  public var message: String { unsafe String(cString: staticMessage.utf8Start) }

  /// The same, in static memory.
  package var staticMessage: StaticString {
    switch self {
    case .emptySecret: "the secret is empty"
    case .invalidBase32Character: "not a base32 character"
    case .invalidBase32Length: "not a possible length for base32"
    case .invalidBase32Padding: "wrong base32 padding"
    case .nonZeroBase32TrailingBits: "the unused bits at the end of the base32 text are not zero"
    case .invalidAlgorithm: "the algorithm must be SHA1, SHA256 or SHA512"
    case .invalidDigits: "the number of digits must be 6, 7 or 8"
    case .invalidPeriod: "the period must be a whole number of seconds, 1 or more"
    case .invalidCounter: "the counter must be a whole number from 0 to 2^64-1"
    case .invalidWindow: "each side of the window must be 0 to 10 steps, or 0 to 1500 for a resynchronization"
    case .invalidLookAhead: "the look-ahead must be 0 to 1000 counters"
    case .invalidTime: "the time is not a number of seconds that fits in 64 bits"
    case .timeBeforeT0: "the time is before t0"
    case .malformedCode: "not a code with the expected number of digits"
    case .mismatchedDigits: "the code was read with a different number of digits"
    case .uriTooLong: "at most 2048 bytes are allowed, percent-encoded"
    case .invalidScheme: "the scheme must be otpauth"
    case .invalidType: "the type must be totp or hotp, and the expected one"
    case .invalidAuthority: "user information and ports are not allowed"
    case .unexpectedFragment: "fragments are not allowed"
    case .invalidCharacter: "control characters must be percent-encoded"
    case .invalidPercentEncoding: "broken percent-encoding"
    case .invalidUTF8: "not UTF-8"
    case .invalidIssuer: "an issuer cannot contain a colon"
    case .invalidAccount: "an account cannot be empty, begin with a space or contain a colon"
    case .missingParameter: "a required parameter is missing"
    case .duplicateParameter: "a parameter is given twice"
    case .invalidParameterName: "a parameter's name cannot be empty or one that the format defines"
    case .outputTooShort: "there is not enough room for the results"
    case .tooManyCodes: "at most 16777216 codes can be made at once"
    case .randomnessUnavailable: "the random generator failed"
    case .backendUnavailable: "the HMAC backend is unknown, absent or failed its known-answer test"
    case .cryptographyFailed: "the cryptographic library failed"
    }
  }
}
