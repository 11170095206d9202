import OTP

/// A recovery code as people see and type it: 120 bits as base32 in groups of four, `ABCD-EFGH-IJKL-MNOP-QRST-UVWX`.
///
/// It is shown in upper case, which is easier to read on paper (`i` and `l` look alike), and accepted in either case.
/// ASCII spaces and hyphens are dropped; a full-width form of an ASCII character is read as that character, and a
/// decimal digit of any script as its value. Base32 has no `0`, `1` or `8`; they are not read as letters that look like
/// them.
enum RecoveryCodeText {
  /// The number of bytes of a code.
  static let byteCount = 15
  /// How many scalars of a text are read; a longer text is not a code.
  static let maximumScalarCount = 64

  private static let symbolCount = 24
  private static let groupLength = 4

  /// The text of a code, for display.
  ///
  /// Timing: depends only on the number of bytes.
  static func written(_ bytes: [UInt8]) -> String {
    let symbols = Array(Base32.encode(bytes).utf8)
    var text: [UInt8] = []
    text.reserveCapacity(symbols.count * 5 / 4)
    for (index, symbol) in symbols.enumerated() {
      if index > 0, index % groupLength == 0 { text.append(UInt8(ascii: "-")) }
      text.append(symbol)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a code that a person has typed, or `nil` if it is not a recovery code.
  ///
  /// - Throws: ``AuthError`` with code `missingVerificationCode` if nothing was typed.
  ///
  /// Timing: bounded by 64 characters, however long the text is. Depends on its length, on where its separators are, on
  /// characters that are not ASCII, and on whether it can be a code; not on which symbols a code has.
  static func bytes(_ text: String) throws(AuthError) -> [UInt8]? {
    var canonical = ""
    var count = 0
    for scalar in text.unicodeScalars {
      count += 1
      guard count <= maximumScalarCount, let character = scalar.recoveryCodeCharacter else { return nil }
      if character != " ", character != "-" { canonical.unicodeScalars.append(character) }
    }
    guard !canonical.isEmpty else { throw AuthError(.missingVerificationCode) }
    // The decoder also accepts padding, with which a text of the same length has fewer bits.
    guard canonical.utf8.count == symbolCount, !canonical.utf8.contains(UInt8(ascii: "=")) else { return nil }
    return try? Base32.decode(canonical)
  }
}

extension Unicode.Scalar {
  /// The ASCII character that this scalar stands for in a recovery code, if any.
  fileprivate var recoveryCodeCharacter: Unicode.Scalar? {
    switch value {
    case 0..<0x80: self
    case 0xFF01...0xFF5E: Unicode.Scalar(UInt8(truncatingIfNeeded: value - 0xFF01 + 0x21))
    case 0x3000: " "
    default: DecimalDigit.ascii(of: value).map { Unicode.Scalar($0) }
    }
  }
}
