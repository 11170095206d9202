import OTP

extension Span where Element == UInt8 {
  var array: [UInt8] { indices.map { self[$0] } }
}

extension String {
  /// The text of these bytes; `nil` if they are not UTF-8.
  init?(utf8 bytes: [UInt8]) {
    self.init(decoding: bytes, as: UTF8.self)
    guard utf8.elementsEqual(bytes) else { return nil }
  }
}

/// Checks that an error's text consists of fixed words and a position, so that it cannot contain any of the input.
///
/// Searching the text for the input would not do: libFuzzer finds inputs such as `character at byte`.
func checkText(of error: OTPError) throws(Violation) {
  guard knownCodes.contains(error.code) else { throw Violation(rule: "an error has a known code") }
  var text = error.code.message
  if let part = error.part { text = part.name + ": " + text }
  if let position = error.position { text += " at byte \(position)" }
  try require(fixedMessages.contains(error.code.message), "a code's message is fixed")
  try require(
    String(describing: error) == text && String(reflecting: error) == text, "an error does not repeat its input")
}

private let knownCodes: Set<OTPError.Code> = [
  .emptySecret, .invalidBase32Character, .invalidBase32Length, .invalidBase32Padding, .nonZeroBase32TrailingBits,
  .invalidAlgorithm, .invalidDigits, .invalidPeriod, .invalidCounter, .malformedCode, .uriTooLong, .invalidScheme,
  .invalidType, .invalidAuthority, .unexpectedFragment, .invalidCharacter, .invalidPercentEncoding, .invalidUTF8,
  .invalidIssuer, .invalidAccount, .missingParameter, .duplicateParameter, .invalidParameterName,
]

private let fixedMessages = Set(knownCodes.map(\.message))

/// A closure's result or error, so that two can be compared.
func outcome<R>(_ work: () throws(OTPError) -> R) -> Result<R, OTPError> {
  do throws(OTPError) { return .success(try work()) } catch { return .failure(error) }
}
