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
}

/// The types of keys that a key URI describes.
enum KeyType: String, CaseIterable, Sendable {
  case totp, hotp
}

/// Whether a test's input must be accepted or refused.
enum Validity: String, CaseIterable, Sendable {
  case valid, invalid
}

/// What a test is about, as `vectors/generator/flags.py` explains it.
enum Flag: String, CaseIterable, Sendable {
  case algorithmName = "AlgorithmName"
  case asymmetricWindow = "AsymmetricWindow"
  case badEscape = "BadEscape"
  case blockKey = "BlockKey"
  case canonicalForm = "CanonicalForm"
  case controlCharacter = "ControlCharacter"
  case counterEnd = "CounterEnd"
  case duplicateParameter = "DuplicateParameter"
  case emptyParameter = "EmptyParameter"
  case frame = "Frame"
  case issuerConflict = "IssuerConflict"
  case label = "Label"
  case leadingZero = "LeadingZero"
  case lenientBase32 = "LenientBase32"
  case longBase32 = "LongBase32"
  case longPeriod = "LongPeriod"
  case longURI = "LongURI"
  case lookAhead = "LookAhead"
  case malformedCode = "MalformedCode"
  case missingParameter = "MissingParameter"
  case negativeTime = "NegativeTime"
  case notBase32 = "NotBase32"
  case numberForm = "NumberForm"
  case origin = "Origin"
  case otherTypeParameter = "OtherTypeParameter"
  case padding = "Padding"
  case parameterName = "ParameterName"
  case pastCounter = "PastCounter"
  case plusSign = "PlusSign"
  case rawCharacter = "RawCharacter"
  case replay = "Replay"
  case roundTrip = "RoundTrip"
  case sharedCode = "SharedCode"
  case shortKey = "ShortKey"
  case shortNumber = "ShortNumber"
  case stepEdge = "StepEdge"
  case strictBase32 = "StrictBase32"
  case timeEnd = "TimeEnd"
  case trailingBits = "TrailingBits"
  case truncatedTag = "TruncatedTag"
  case truncationOffset = "TruncationOffset"
  case typedCode = "TypedCode"
  case unicode = "Unicode"
  case unicodeLookalike = "UnicodeLookalike"
  case unknownParameter = "UnknownParameter"
  case wideCounter = "WideCounter"
  case windowBelowZero = "WindowBelowZero"
  case windowEdge = "WindowEdge"
  case wrongCode = "WrongCode"
  case wrongTag = "WrongTag"
}

/// What a test may require of an implementation, as `vectors/generator/needs.py` explains it.
enum Feature: String, CaseIterable, Sendable {
  case wide = "64-bit"
  case asymmetricWindow = "asymmetric-window"
  case base32
  case base32Code = "base32-code"
  case digits7 = "digits-7"
  case digits8 = "digits-8"
  case floor
  case hmac
  case hotp
  case lookAhead = "look-ahead"
  case period
  case recordHotp = "record-hotp"
  case recordTotp = "record-totp"
  case sha256
  case sha512
  case strictBase32 = "strict-base32"
  case t0
  case totp
  case typed
  case unlock
  case uriBuild = "uri-build"
  case uriCode = "uri-code"
  case uriParse = "uri-parse"
  case uriRoundTrip = "uri-round-trip"
  case verifyHotp = "verify-hotp"
  case verifyTotp = "verify-totp"
  case weakSecret = "weak-secret"
  case window
}
