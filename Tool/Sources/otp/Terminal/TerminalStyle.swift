/// Whether the output may have colors.
enum TerminalStyle {
  /// No escape sequences: for a file, a pipe, or on request.
  case plain
  /// Escape sequences that set colors.
  case colored

  /// The style for standard output.
  static var standardOutput: TerminalStyle {
    TerminalStyle(isTerminal: isatty(STDOUT_FILENO) == 1, environment: variable)
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
