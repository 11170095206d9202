/// What a person typed as a code, once it is known to look like one: exactly the expected number of ASCII digits.
///
/// Whether it is right is for a verifier to say. Anything of another form never reaches one.
public struct SubmittedCode: Sendable {
  /// How many digits the code has.
  public let digits: OTPCode.Digits

  let number: UInt32

  /// Reads a code. Nothing is dropped or mapped: no spaces, no signs, no digits of other scripts.
  ///
  /// - Throws: `OTPError` with code `malformedCode`.
  ///
  /// Timing: bounded by the number of digits, however long the text.
  public init(_ text: some StringProtocol, digits: OTPCode.Digits = .six) throws(OTPError) {
    // One byte more than the digits is enough to see that there are too many.
    self = try SubmittedCode(text.utf8.prefix(digits.rawValue + 1), digits: digits)
  }

  /// Reads a code given as bytes. See ``init(_:digits:)``.
  public init(utf8 text: Span<UInt8>, digits: OTPCode.Digits = .six) throws(OTPError) {
    var reader = Reader()
    for index in 0..<min(text.count, digits.rawValue + 1) { reader.take(text[index]) }
    try self.init(reader, digits: digits)
  }

  private init(_ text: some Sequence<UInt8>, digits: OTPCode.Digits) throws(OTPError) {
    var reader = Reader()
    for byte in text { reader.take(byte) }
    try self.init(reader, digits: digits)
  }

  private init(_ reader: Reader, digits: OTPCode.Digits) throws(OTPError) {
    // Public: whether what was typed looks like a code.
    guard reader.count == digits.rawValue, reader.hasDigitsOnly.declassified else { throw OTPError(.malformedCode) }
    self.digits = digits
    number = reader.number
  }

  /// The digits read so far. A code is as secret as a password while it lives: no branch looks at it.
  private struct Reader {
    var number: UInt32 = 0
    var count = 0
    var hasDigitsOnly = Mask(true)

    mutating func take(_ byte: UInt8) {
      hasDigitsOnly = hasDigitsOnly & Mask.contains(0x30...0x39, byte)
      number = number &* 10 &+ UInt32(byte & 0xF)
      count += 1
    }
  }
}

extension SubmittedCode: Redacted {
  package var redactedDescription: String { "SubmittedCode(redacted)" }

  /// A text that shows nothing of the code.
  public var description: String { redactedDescription }
}
