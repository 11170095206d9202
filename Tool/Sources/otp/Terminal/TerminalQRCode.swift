/// A QR code drawn for a camera in front of the screen: half blocks, so that a character is two modules, one over the
/// other, and about as high as wide in sum.
///
/// Light modules are the blocks, dark ones are where nothing is drawn. So the plain drawing has the right polarity on a
/// dark terminal. Where colours are possible they are set, white on black, and the same drawing is right on a light
/// terminal too; one that does not know the colours still shows the plain drawing.
struct TerminalQRCode {
  /// How many light modules surround the symbol, by ISO/IEC 18004.
  static let quietZone = 4

  /// White on black, of the 256 colours: unlike the first 16, a theme does not change them.
  private static let colours = "\u{1B}[38;5;231;48;5;16m"
  private static let noColours = "\u{1B}[0m"

  private let symbol: QRSymbol

  /// Makes the QR code of a text, 1 to 2,331 bytes of UTF-8. It is as secret as the text.
  ///
  /// - Throws: ``ToolError`` with status `data` where the text is empty or too long, and `software` without memory.
  init(_ text: String) throws(ToolError) {
    symbol = try QRSymbol(text)
  }

  /// The drawing for standard output: its lines, with a line break between them and none at the end.
  var text: String { lines(in: .standardOutput).joined(separator: "\n") }

  /// The drawing's lines, without line breaks. They are equally wide, and (width + 1) / 2 in number.
  func lines(in style: TerminalStyle) -> [String] {
    let modules = -TerminalQRCode.quietZone..<symbol.size + TerminalQRCode.quietZone
    // The number of modules is odd: the last line's lower half is one more light row.
    return stride(from: modules.lowerBound, to: modules.upperBound, by: 2).map { row in
      let blocks = String(modules.map { column in block(row: row, column: column) })
      return switch style {
      case .plain: blocks
      // Per line, so that neither what scrolls nor the rest of the line is coloured.
      case .coloured: TerminalQRCode.colours + blocks + TerminalQRCode.noColours
      }
    }
  }

  /// The character for a module and the one below it.
  private func block(row: Int, column: Int) -> Character {
    switch (symbol.isDark(row: row, column: column), symbol.isDark(row: row + 1, column: column)) {
    case (false, false): "█"
    case (false, true): "▀"
    case (true, false): "▄"
    case (true, true): " "
    }
  }
}
