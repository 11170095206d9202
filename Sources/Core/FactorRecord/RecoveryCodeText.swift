import OTP

/// A recovery code as people see and type it: 120 bits as base32 in groups of four, `ABCD-EFGH-IJKL-MNOP-QRST-UVWX`.
///
/// It is shown in upper case, which is easier to read on paper (`i` and `l` look alike), and accepted in either case.
/// ASCII spaces and hyphens are dropped; a full-width form of an ASCII character is read as that character, and a
/// decimal digit of any script as its value. Base32 has no `0`, `1` or `8`; they are not read as letters that look like
/// them.
package enum RecoveryCodeText {
  /// The number of bytes of a code.
  package static var byteCount: Int { 15 }

  private static var groupLength: Int { 4 }

  /// The text of a code, for display.
  ///
  /// Timing: depends only on the number of bytes.
  package static func written(_ bytes: SecretBytes) -> String {
    let symbols = bytes.withBytes { bytes in Base32.encode(bytes) }
    var text = ""
    for (index, symbol) in symbols.utf8.enumerated() {
      if index > 0, index % groupLength == 0 { text.unicodeScalars.append("-") }
      text.unicodeScalars.append(Unicode.Scalar(symbol))
    }
    return text
  }

  /// The bytes of a code that a person has typed, or `nil` if it is not a recovery code.
  ///
  /// Timing: bounded by 64 characters, however long the text is. Depends on its length, on where its separators are, on
  /// the scripts of characters that are not ASCII, and on whether it can be a code; not on which symbols a code has.
  package static func bytes(utf8 text: Span<UInt8>) -> SecretBytes? {
    let characters = SecretBytes(capacity: TypedCharacters.maximumCount)
    var (reader, count) = (TypedCharacters(), 0)
    do throws(OTPError) {
      for index in text.indices {
        let isWhole = try reader.read(text[index])
        guard isWhole else { continue }
        guard let character = reader.ascii else { return nil }
        unsafe characters.mutableBytes[count] = character
        count += 1
      }
      try reader.end()
      characters.shrink(to: count)
      // This drops separators, and only 24 symbols without padding have 15 bytes.
      let bytes = try characters.withBytes { (characters) throws(OTPError) in
        try Base32.decodeSecret(characters, strict: false)
      }
      return bytes.byteCount == byteCount ? bytes : nil
    } catch {
      return nil
    }
  }
}
