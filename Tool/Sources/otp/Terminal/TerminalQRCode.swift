/// A QR code drawn for a camera in front of the screen, with half blocks: each character is two modules, one above the
/// other, which are about square.
///
/// Light modules are drawn as blocks, dark ones as gaps. So the plain drawing has the right polarity on a dark
/// terminal. If colors are possible they are set to white on black, which is also right on a light terminal; a
/// terminal that does not support the colors still shows the plain drawing.
struct TerminalQRCode {
  /// The width of the light border in modules, by ISO/IEC 18004.
  static let quietZone = 4

  /// White on black from the 256 colors: unlike the first 16, themes do not change them.
  private static let colors = "\u{1B}[38;5;231;48;5;16m"
  private static let noColors = "\u{1B}[0m"

  private let symbol: QRSymbol

  /// The QR code of a text, 1 to 2,331 bytes of UTF-8. It is as secret as the text.
  ///
  /// - Throws: ``ToolError`` with status `data` if the text is empty or too long, and `software` if memory runs out.
  init(_ text: String) throws(ToolError) { symbol = try QRSymbol(text) }

  /// The drawing for standard output, without a line break at the end.
  var text: String { lines(in: .standardOutput).joined(separator: "\n") }

  /// The drawing's lines, without line breaks: (width + 1) / 2 lines of equal width.
  func lines(in style: TerminalStyle) -> [String] {
    let modules = -TerminalQRCode.quietZone..<symbol.size + TerminalQRCode.quietZone
    // The number of modules is odd: the last line's lower half is one more light row.
    return stride(from: modules.lowerBound, to: modules.upperBound, by: 2).map { row in
      let blocks = String(modules.map { column in block(row: row, column: column) })
      return switch style {
      case .plain: blocks
      // Per line, so that neither scrolled lines nor the rest of the line are colored.
      case .colored: TerminalQRCode.colors + blocks + TerminalQRCode.noColors
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

/// Whether the output may have colors.
enum TerminalStyle {
  /// No escape sequences: for a file, a pipe, or on request.
  case plain
  /// Escape sequences that set colors.
  case colored

  /// The style for standard output.
  static var standardOutput: TerminalStyle {
    TerminalStyle(isTerminal: isatty(STDOUT_FILENO) == 1, environment: { ProcessInfo.processInfo.environment[$0] })
  }

  /// Chooses by the environment: `NO_COLOR` (https://no-color.org), unless it is empty, and a `TERM` that is absent or
  /// `dumb` disable colors; `CLICOLOR_FORCE` (https://bixense.com/clicolors), unless it is empty or `0`, enables them
  /// for a pipe.
  init(isTerminal: Bool, environment: (String) -> String?) {
    let terminal = environment("TERM") ?? ""
    let hasColors = !terminal.isEmpty && terminal != "dumb" && (environment("NO_COLOR") ?? "").isEmpty
    let isForced = !["", "0"].contains(environment("CLICOLOR_FORCE") ?? "")
    self = (isTerminal || isForced) && hasColors ? .colored : .plain
  }
}
