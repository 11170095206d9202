import Foundation

/// Whether what is printed may have colours.
enum TerminalStyle {
  /// No escape sequence: for a file, a pipe, and whoever asks for it.
  case plain
  /// Escape sequences that set colours.
  case coloured

  /// The style for standard output.
  static var standardOutput: TerminalStyle {
    TerminalStyle(isTerminal: isatty(STDOUT_FILENO) == 1, environment: ProcessInfo.processInfo.environment)
  }

  /// Chooses as the environment asks: `NO_COLOR` (https://no-color.org), unless it is empty, and a `TERM` that is
  /// absent or `dumb` keep colours away.
  init(isTerminal: Bool, environment: [String: String]) {
    let terminal = environment["TERM"] ?? ""
    let hasColours = !terminal.isEmpty && terminal != "dumb" && (environment["NO_COLOR"] ?? "").isEmpty
    self = isTerminal && hasColours ? .coloured : .plain
  }
}
