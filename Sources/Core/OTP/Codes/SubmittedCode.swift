/// A code that a person submitted: well-formed, with exactly the expected number of digits, but not yet verified.
///
/// Text of any other form never reaches a verifier.
public struct SubmittedCode: Sendable {
  /// How many digits the code has.
  public let digits: OTPCode.Digits

  let number: UInt32

  /// Reads a code in its exact form: ASCII digits only, without spaces or signs.
  ///
  /// For what a person typed, see ``init(typed:digits:)``.
  ///
  /// - Throws: `OTPError` with code `malformedCode`.
  ///
  /// Timing: bounded by the number of digits, however long the text is.
  @inlinable public init(_ text: some StringProtocol, digits: OTPCode.Digits = .six) throws(OTPError) {
    // One byte more than there are digits is enough to see that the text is too long.
    self = try withSpan(of: text.utf8.prefix(digits.rawValue + 1)) { (text) throws(OTPError) in
      try SubmittedCode(utf8: text, digits: digits)
    }
  }

  /// Reads a code given as bytes. See ``init(_:digits:)``.
  public init(utf8 text: Span<UInt8>, digits: OTPCode.Digits = .six) throws(OTPError) {
    var reader = Reader()
    for index in 0..<min(text.count, digits.rawValue + 1) { reader.append(text[index]) }
    try self.init(reader, digits: digits)
  }

  /// Reads a code as a person types it: `287 082`, `287-082`, `２８７０８２` or `٢٨٧٠٨٢`, with or without a newline.
  ///
  /// Spaces (ASCII's, and Unicode's General_Category Zs), ASCII hyphens, marks and controls of direction (Bidi_Control)
  /// and characters of no width (U+200B to U+200D, U+2060, U+FEFF) are dropped, and so is other ASCII white space at
  /// either end. A decimal digit of any script (General_Category Nd) is read as its value. Nothing else is accepted: a
  /// text with a sign, a letter or another control character is malformed.
  ///
  /// - Parameters:
  ///   - text: What was typed, at most 64 characters.
  ///   - digits: How many digits the code must have.
  /// - Throws: `OTPError` with code `malformedCode`.
  ///
  /// Timing: bounded by 64 characters, however long the text is. Depends on the digits' scripts and on where the
  /// separators are, not on the digits' values.
  @inlinable public init(typed text: some StringProtocol, digits: OTPCode.Digits = .six) throws(OTPError) {
    // 64 characters have 256 bytes at most.
    self = try withSpan(of: text.utf8.prefix(257)) { (text) throws(OTPError) in
      try SubmittedCode(typedUTF8: text, digits: digits)
    }
  }

  /// Reads a code as a person types it, given as UTF-8. See ``init(typed:digits:)``. Bytes that are not UTF-8 are
  /// malformed.
  public init(typedUTF8 text: Span<UInt8>, digits: OTPCode.Digits = .six) throws(OTPError) {
    var typed = TypedDigits()
    var reader = Reader()
    for index in text.indices { if let digit = try typed.read(text[index]) { reader.append(digit) } }
    try typed.end()
    try self.init(reader, digits: digits)
  }

  private init(_ reader: Reader, digits: OTPCode.Digits) throws(OTPError) {
    // Public: whether what was typed looks like a code.
    guard reader.count == digits.rawValue, reader.hasDigitsOnly.declassified else { throw OTPError(.malformedCode) }
    self.digits = digits
    number = reader.number
  }

  /// Writes the digits, right or wrong, into memory for as many bytes, which the caller wipes.
  package func write(to text: UnsafeMutableBufferPointer<UInt8>) { unsafe digits.write(number, to: text) }

  /// The digits read so far. While it is valid, a code is as secret as a password, so no branch depends on it.
  private struct Reader {
    var number: UInt32 = 0
    var count = 0
    var hasDigitsOnly = Mask(true)

    mutating func append(_ byte: UInt8) {
      hasDigitsOnly = hasDigitsOnly & Mask.contains(0x30...0x39, byte)
      number = number &* 10 &+ UInt32(byte & 0xF)
      count += 1
    }
  }
}

extension SubmittedCode: Redacted {
  package var redactedDescription: String { "SubmittedCode(redacted)" }

  /// A fixed text that reveals nothing of the code.
  public var description: String { redactedDescription }
}
