/// Texts from a file, escaped for a line of a report, since a terminal obeys control characters.
enum Quotation {
  /// The text in quotation marks, with everything escaped that is not visible ASCII, and cut after `limit` characters.
  static func text(_ text: String, limit: Int = 200) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars.prefix(limit) {
      switch scalar {
      case "\"", "\\": quoted += "\\" + String(scalar)
      case " "..."~": quoted.unicodeScalars.append(scalar)
      default: quoted += "\\u{" + String(scalar.value, radix: 16) + "}"
      }
    }
    return quoted + (text.unicodeScalars.dropFirst(limit).isEmpty ? "\"" : "\"…")
  }

  /// A field's name: as it is if it looks like one, else in quotation marks.
  static func name(_ name: String) -> String {
    let looksLikeName =
      name.utf8.count <= 40
      && name.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
      }
    return looksLikeName && !name.isEmpty ? name : text(name, limit: 40)
  }
}
