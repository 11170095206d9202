internal import COTPSupport

/// A one-time password: a number of 6 to 8 decimal digits, leading zeros included (RFC 4226, section 5.3).
///
/// Its `description` is the code itself, to be shown to its user. In dumps, mirrors and debug descriptions it is
/// redacted, so that a value that contains a code can be logged without revealing it.
///
/// To find out whether a submitted code is right, use ``TOTP`` or ``HOTP`` to verify it, which takes the window and
/// replays into account.
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
  /// Timing: depends only on the two numbers of digits.
  public static func == (left: OTPCode, right: OTPCode) -> Bool {
    // Public: the result that the caller asked for.
    left.digits == right.digits && Mask.equal(left.number, right.number).declassified
  }
}

extension OTPCode: Redacted {
  /// The code itself, leading zeros included. Show it to its user; do not log it.
  ///
  /// Timing: depends only on the number of digits.
  public var description: String {
    unsafe String(unsafeUninitializedCapacity: digits.rawValue) { text in
      unsafe write(to: text)
      return digits.rawValue
    }
  }

  /// Writes the code itself into memory for as many bytes as it has digits.
  package func write(to text: UnsafeMutableBufferPointer<UInt8>) {
    unsafe digits.write(number, to: text)
    // Public: the code that the caller shows to its user.
    unsafe declassify(text)
  }

  package var redactedDescription: String { "OTPCode(redacted)" }
}

/// The dynamic truncation of an HMAC tag to 31 bits (RFC 4226, section 5.3).
///
/// The RFC reads four bytes at an offset given by the tag's last four bits. The tag is secret, and so is the offset:
/// instead of being indexed, the tag is shifted into place.
@_spi(Diagnostics) public enum DynamicTruncation {
  /// The truncated value, 0...2^31-1, of a tag.
  ///
  /// - Parameter tag: 20 bytes or more: an HMAC tag of SHA-1, SHA-256 or SHA-512.
  /// - Returns: `nil` if the tag is shorter.
  ///
  /// Timing: depends only on the tag's length; no memory address depends on the tag.
  public static func truncate(_ tag: Span<UInt8>) -> UInt32? {
    guard tag.count >= 20 else { return nil }
    return unsafe tag.withUnsafeBufferPointer { tag in unsafe otp_truncate(tag.baseAddress, tag.count) }
  }
}
