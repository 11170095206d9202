import OTP

/// A code as a person typed it, on any keyboard: read by the engine's rule, ``OTP/TypedDigits``.
package enum CodeText {
  /// The ASCII digits of a text, empty if it contains only separators, or `nil` if it is not a code.
  ///
  /// Timing: as `SubmittedCode(typed:)`.
  static func canonical(_ text: String) -> String? {
    var typed = TypedDigits()
    var canonical = ""
    do throws(OTPError) {
      for byte in text.utf8 {
        if let digit = try typed.read(byte) { canonical.unicodeScalars.append(Unicode.Scalar(digit)) }
      }
      try typed.end()
    } catch {
      return nil
    }
    return canonical
  }

  /// The ASCII digits of a text that has as many as a code, or `nil` if it is not a code.
  ///
  /// - Throws: ``AuthError`` with code `missingVerificationCode` if nothing was typed.
  ///
  /// Timing: as ``canonical(_:)``.
  package static func digits(of text: String, _ lengths: ClosedRange<Int>) throws(AuthError) -> String? {
    guard let canonical = canonical(text) else { return nil }
    guard !canonical.isEmpty else { throw AuthError(.missingVerificationCode) }
    return lengths.contains(canonical.utf8.count) ? canonical : nil
  }
}
