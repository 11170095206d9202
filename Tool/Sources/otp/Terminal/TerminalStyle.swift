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
  /// absent or `dumb` keep colours away; `CLICOLOR_FORCE` (https://bixense.com/clicolors), unless it is empty or `0`,
  /// says that what is written to a pipe ends in a terminal.
  init(isTerminal: Bool, environment: [String: String]) {
    let terminal = environment["TERM"] ?? ""
    let hasColours = !terminal.isEmpty && terminal != "dumb" && (environment["NO_COLOR"] ?? "").isEmpty
    let isForced = !["", "0"].contains(environment["CLICOLOR_FORCE"] ?? "")
    self = (isTerminal || isForced) && hasColours ? .coloured : .plain
  }
}
