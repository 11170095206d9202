/// What names a factor: what the user calls it, and what it is told of by.
enum FactorName {
  /// How many characters of a display name are kept.
  static let maximumCharacterCount = 100
  /// How many bytes of a display name are kept: one character can have any number of accents.
  static let maximumByteCount = 1024

  /// As much of a display name as is kept, cut between characters.
  static func kept(_ displayName: String) -> String {
    var byteCount = 0
    let kept = displayName.prefix(maximumCharacterCount).prefix { character in
      byteCount += character.utf8.count
      return byteCount <= maximumByteCount
    }
    return String(kept)
  }

  /// A factor's name for an audit event, `nil` for a text that is the name of none: a client names the factor, and can
  /// write there whatever it likes, its code too.
  static func told(_ uid: String) -> String? {
    uid == RecoveryCodeMultiFactorID || isRandomName(uid) ? uid : nil
  }

  /// Whether a text has the form of ``Sealer/randomName()``.
  private static func isRandomName(_ text: String) -> Bool {
    let utf8 = text.utf8.prefix(33)
    return utf8.count == 32 && utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}
