/// A one-time password: a number of 6 to 8 decimal digits, leading zeros kept (RFC 4226, section 5.3).
///
/// Its `description` is the code itself, for showing it to the person whom it is for. In dumps, mirrors and debug
/// descriptions it is redacted, so that a value that contains a code can be logged without giving it away.
///
/// To find out whether a code that somebody typed is right, use a verifier, which knows the window and the replays.
public struct OTPCode: Sendable {
  /// How many digits the code has.
  public let digits: Digits

  let number: UInt32

  /// The code of a truncated HMAC value.
  init(truncatedValue: UInt32, digits: Digits) {
    self.digits = digits
    number = digits.reduce(truncatedValue)
  }
}

extension OTPCode: Equatable {
  /// Whether two codes have the same digits.
  ///
  /// Timing: depends on the two numbers of digits alone.
  public static func == (left: OTPCode, right: OTPCode) -> Bool {
    // Public: the answer, which the caller asked for.
    left.digits == right.digits && Mask.equal(left.number, right.number).declassified
  }
}

extension OTPCode: Redacted {
  /// The code itself, leading zeros kept. Show it to its user; do not log it.
  ///
  /// Timing: depends on the number of digits alone.
  public var description: String {
    unsafe String(unsafeUninitializedCapacity: digits.rawValue) { text in
      unsafe write(to: text)
      return digits.rawValue
    }
  }

  /// Writes the code itself into memory for as many bytes.
  package func write(to text: UnsafeMutableBufferPointer<UInt8>) {
    unsafe digits.write(number, to: text)
    // Public: the code that the caller shows to its user.
    unsafe declassify(text)
  }

  package var redactedDescription: String { "OTPCode(redacted)" }
}
