/// A command of this tool about an account, for the operator to paste into a shell.
struct AccountCommands {
  let account: String
  /// Where the account is.
  let store: StoreOptions

  /// A command about the account in the same store.
  ///
  /// - Parameters:
  ///   - arguments: What follows the account.
  ///   - options: The command's own options.
  func command(_ name: String, _ arguments: [String] = [], options: [String] = []) -> String {
    let (words, options) = ([account] + arguments, options + store.words)
    // What begins like an option must follow `--`.
    let isPlain = !words.contains { $0.hasPrefix("-") }
    return (["otp", name] + (isPlain ? words + options : options + ["--"] + words).map(Self.quoted))
      .joined(separator: " ")
  }

  /// A word as a shell reads it. One that cannot be shown is written in the form that bash, zsh and ksh know.
  private static func quoted(_ word: String) -> String {
    if word.unicodeScalars.contains(where: DisplayText.isUnsafe) {
      let bytes = word.utf8.map { byte in
        let octal = String(byte, radix: 8)
        return "\\" + String(repeating: "0", count: 3 - octal.count) + octal
      }
      return "$'\(bytes.joined())'"
    }
    let plain = word.utf8.allSatisfy { byte in
      Unicode.Scalar(byte).properties.isAlphabetic && byte < 0x80 || "0123456789@%+:,./_-".utf8.contains(byte)
    }
    return plain && !word.isEmpty ? word : "'\(word.replacing("'", with: "'\\''"))'"
  }
}

extension StoreOptions {
  /// The options that name the same store again, as they were typed; a URL with a password is left out.
  fileprivate var words: [String] { words("--store", store) + words("--keyring", keyring.keyring) }

  private func words(_ option: String, _ path: PathArgument?) -> [String] {
    guard let text = path?.text else { return [] }
    if let scheme = text.firstRange(of: "://"), Self.mayHavePassword(text[scheme.upperBound...]) {
      return [option, "URL"]
    }
    return text.hasPrefix("-") ? ["\(option)=\(text)"] : [option, text]
  }

  /// Whether there may be a password in what follows `://`: `role:password@host/…`, whatever characters it has, or
  /// `…?password=…`, however that is encoded.
  private static func mayHavePassword(_ text: Substring) -> Bool {
    guard let bytes = text.removingPercentEncoding?.lowercased().utf8 else { return true }
    let at = bytes.lastIndex(of: UInt8(ascii: "@")) ?? bytes.startIndex
    return bytes[..<at].contains(UInt8(ascii: ":")) || bytes.contains("password=".utf8)
  }
}
