/// What a person typed as a code, once it is known to look like one: exactly the expected number of digits.
///
/// Whether it is right is for a verifier to say. Anything of another form never reaches one.
public struct SubmittedCode: Sendable {
  /// How many digits the code has.
  public let digits: OTPCode.Digits

  let number: UInt32

  /// Reads a code as machines write it. Nothing is dropped or mapped: no spaces, no signs, no digits of other scripts.
  ///
  /// For what a person typed, see ``init(typed:digits:)``.
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

  /// Reads a code as a person types it: `287 082`, `287-082`, `２８７０８２` or `٢٨٧٠٨٢`, with or without a newline.
  ///
  /// Spaces and hyphens are dropped, other ASCII white space at either end too, and a decimal digit of any script is read
  /// as its value (Unicode's General_Category Nd). Nothing else is: a text with a sign, a letter or a control character is
  /// not a code.
  ///
  /// - Parameters:
  ///   - text: What was typed. Of more than 64 characters no more are looked at: that is not a code.
  ///   - digits: How many digits the code must have.
  /// - Throws: `OTPError` with code `malformedCode`.
  ///
  /// Timing: bounded by 64 characters, however long the text. Depends on the scripts that the digits are of and on where
  /// separators stand, not on the digits' values.
  public init(typed text: some StringProtocol, digits: OTPCode.Digits = .six) throws(OTPError) {
    var typed = TypedDigits()
    var reader = Reader()
    for byte in text.utf8 { if let digit = try typed.take(byte) { reader.take(digit) } }
    try typed.end()
    try self.init(reader, digits: digits)
  }

  /// Reads a code as a person types it, given as UTF-8. See ``init(typed:digits:)``. Bytes that are not UTF-8 are not a
  /// code.
  public init(typedUTF8 text: Span<UInt8>, digits: OTPCode.Digits = .six) throws(OTPError) {
    var typed = TypedDigits()
    var reader = Reader()
    for index in text.indices { if let digit = try typed.take(text[index]) { reader.take(digit) } }
    try typed.end()
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

  /// Writes the digits, right or wrong, into memory for as many bytes. They are the caller's to wipe.
  package func write(to text: UnsafeMutableBufferPointer<UInt8>) { unsafe digits.write(number, to: text) }

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
