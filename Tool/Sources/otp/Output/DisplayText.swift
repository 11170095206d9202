/// Makes untrusted text safe to show: it cannot end its line, control the terminal or reorder text.
enum DisplayText {
  /// The text with `\u{…}` for characters that must not reach a terminal, and `\\` for a backslash.
  ///
  /// - Parameter reserved: Further characters to escape.
  static func escaped(_ text: String, reserved: Set<Unicode.Scalar> = []) -> String {
    var result = ""
    for (index, scalar) in text.unicodeScalars.enumerated() {
      if scalar == "\\" {
        result += "\\\\"
      } else if isUnsafe(scalar) || reserved.contains(scalar) || (index == 0 && isMark(scalar)) {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Control characters (C0, C1, DEL), line and paragraph separators, and format characters, including bidirectional
  /// controls.
  static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: false
    }
  }

  /// A combining mark. At the start it would change the character before the text.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }
}
