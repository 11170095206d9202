import MultiFactor
import OTP

/// A code as a person typed it, on any keyboard: read by the engine's rule, ``OTP/TypedDigits``.
enum CodeText {
  /// The ASCII digits of a text that has as many as a code, or `nil` if it is not a code.
  ///
  /// - Throws: `AuthError` with code `missingVerificationCode` if nothing was typed.
  ///
  /// Timing: as `SubmittedCode(typed:)`.
  static func digits(of text: String, _ lengths: ClosedRange<Int>) throws(AuthError) -> String? {
    var typed = TypedDigits()
    var digits = ""
    do throws(OTPError) {
      for byte in text.utf8 {
        if let digit = try typed.read(byte) { digits.unicodeScalars.append(Unicode.Scalar(digit)) }
      }
      try typed.end()
    } catch {
      return nil
    }
    guard !digits.isEmpty else { throw AuthError(.missingVerificationCode) }
    return lengths.contains(digits.utf8.count) ? digits : nil
  }
}
