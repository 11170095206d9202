/// The types of groups in the format.
enum GroupType: String, CaseIterable, Sendable {
  case hmac, hotp, totp, base32
  case uriParse = "uri-parse"
  case uriBuild = "uri-build"
  case verifyTOTP = "verify-totp"
  case verifyHOTP = "verify-hotp"
  case base32Code = "base32-code"
  case uriCode = "uri-code"
  case uriRoundTrip = "uri-round-trip"
  case recordTOTP = "record-totp"
  case recordHOTP = "record-hotp"
  case recordFormat = "record-format"
}

/// The types of keys that a key URI describes.
enum KeyType: String, CaseIterable, Sendable {
  case totp, hotp
}

/// Whether a test's input must be accepted or refused.
enum Validity: String, CaseIterable, Sendable {
  case valid, invalid
}

/// The words of the format that only select tests.
enum Names {
  /// What a test is about, as `vectors/generator/flags.py` explains it.
  static let flags = [
    "AlgorithmName", "AsymmetricWindow", "BadEscape", "BlockKey", "CanonicalForm", "ControlCharacter", "CounterEnd",
    "DuplicateParameter", "EmptyParameter", "Frame", "IssuerConflict", "Label", "LeadingZero", "LenientBase32",
    "LongBase32", "LongPeriod", "LongURI", "LookAhead", "MalformedCode", "MissingParameter", "NegativeTime",
    "NotBase32", "NumberForm", "Origin", "OtherTypeParameter", "Padding", "ParameterName", "PastCounter",
    "PlusSign", "RawCharacter", "Replay", "RoundTrip", "SharedCode", "ShortKey", "ShortNumber", "StepEdge",
    "StrictBase32", "TimeEnd", "TrailingBits", "TruncatedTag", "TruncationOffset", "TypedCode", "Unicode",
    "UnicodeLookalike", "UnknownParameter", "WideCounter", "WindowBelowZero", "WindowEdge", "WrongCode", "WrongTag",
  ]

  /// What a test may require of an implementation, as `vectors/generator/needs.py` explains it.
  static let features = [
    "64-bit", "asymmetric-window", "base32", "base32-code", "digits-7", "digits-8", "floor", "hmac", "hotp",
    "look-ahead", "period", "record-format", "record-hotp", "record-totp", "sha256", "sha512", "strict-base32", "t0",
    "totp", "typed", "unlock", "uri-build", "uri-code", "uri-parse", "uri-round-trip", "verify-hotp", "verify-totp",
    "weak-secret", "window",
  ]
}
