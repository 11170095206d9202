/// What a person typed as a code, on whatever keyboard.
///
/// ASCII spaces and hyphens are dropped, for codes are shown and typed in groups; every decimal digit of Unicode is
/// read as its value. Nothing else is dropped or read as anything: the text is then no code.
enum CodeText {
  /// How many scalars of a text are looked at; a longer one is no code. No scalar has more than 4 bytes.
  static let maximumScalarCount = 64

  /// The ASCII digits of a text, empty where there is nothing but spaces and hyphens, or `nil` where it is no code.
  ///
  /// Timing: depends on the text's length, bounded by ``maximumScalarCount``, and on its digits: those that the client
  /// has typed itself, not those that are expected.
  static func canonical(_ text: String) -> String? {
    var canonical = ""
    var count = 0
    for scalar in text.unicodeScalars {
      count += 1
      guard count <= maximumScalarCount else { return nil }
      if scalar == " " || scalar == "-" { continue }
      guard let digit = scalar.decimalDigit else { return nil }
      canonical.unicodeScalars.append(digit)
    }
    return canonical
  }

  /// The ASCII digits of a text that has as many as a code, or `nil` where it is no code.
  ///
  /// - Throws: ``AuthError`` with code `missingVerificationCode` where nothing was typed.
  ///
  /// Timing: as ``canonical(_:)``.
  static func digits(of text: String, _ lengths: ClosedRange<Int>) throws(AuthError) -> String? {
    guard let canonical = canonical(text) else { return nil }
    guard !canonical.isEmpty else { throw AuthError(.missingVerificationCode) }
    return lengths.contains(canonical.utf8.count) ? canonical : nil
  }
}

extension Unicode.Scalar {
  /// The ASCII digit of the same value, where this is a decimal digit of any script (General_Category Nd), else `nil`.
  ///
  /// Source: The Unicode Standard, section 4.6, Numeric Value: digits in place-value notation are of type decimal.
  var decimalDigit: Unicode.Scalar? {
    if ("0"..."9").contains(self) { return self }
    guard !isASCII, properties.generalCategory == .decimalNumber, let value = properties.numericValue,
      let digit = UInt8(exactly: value), digit <= 9
    else { return nil }
    return Unicode.Scalar(0x30 + digit)
  }
}
