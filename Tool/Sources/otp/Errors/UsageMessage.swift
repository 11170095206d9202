/// Converts ArgumentParser's errors to one line.
///
/// ArgumentParser's own messages repeat what was typed, which may be a misplaced secret. So the line contains only
/// fixed words, names that the tool itself defines, and what can only be a mistyped one: up to 15 small letters.
enum UsageMessage {
  static func line(for message: String, arguments: [String]) -> String {
    describe(message, arguments) + "; see '\(commandPath(in: arguments)) --help'"
  }

  /// Fails if `otp help` is asked for an unknown command.
  static func checkHelp(_ arguments: [String]) throws(ToolError) {
    guard arguments.first == "help" else { return }
    let words = arguments.dropFirst().prefix { !$0.hasPrefix("-") }
    let (command, path) = command(in: words)
    guard let word = words.dropFirst(path.count).first, word != "help" else { return }
    throw .usage(unknownCommand(word, in: command) + "; see 'otp --help'")
  }

  /// The command that the arguments name, as far as they match one, and its path.
  private static func command(
    in arguments: some Sequence<String>
  ) -> (command: any ParsableCommand.Type, path: [String]) {
    var command: any ParsableCommand.Type = OTPTool.self
    var path: [String] = []
    for argument in arguments {
      guard let next = command.allSubcommands.first(where: { $0._commandName == argument }) else { break }
      command = next
      path.append(argument)
    }
    return (command, path)
  }

  private static func commandPath(in arguments: [String]) -> String {
    ([OTPTool._commandName] + command(in: arguments).path).joined(separator: " ")
  }

  /// Says that something is unknown, with its name if it can be shown.
  private static func unknown(_ what: String, _ word: String, at place: String = "") -> String {
    canBeShown(word) ? "unknown \(what) '\(word)'" : "\(place)unknown \(what)"
  }

  private static func canBeShown(_ word: String) -> Bool {
    1...15 ~= word.drop(while: { $0 == "-" }).utf8.count
      && word.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D }
  }

  /// Says that a command is unknown, with the one that was probably meant.
  private static func unknownCommand(_ word: String, in command: any ParsableCommand.Type) -> String {
    let names = command.allSubcommands.map {
      (name: $0._commandName, edits: $0._commandName.difference(from: word).count)
    }
    let meant = canBeShown(word) ? names.filter { $0.edits <= 2 }.min { $0.edits < $1.edits } : nil
    return unknown("command", word) + (meant.map { "; did you mean \($0.name)?" } ?? "")
  }

  private static func describe(_ message: String, _ arguments: [String]) -> String {
    // The last occurrence, because the value before it may contain the same words.
    if let range = message.ranges(of: "' is invalid for '").last {
      return invalidValue(message[range.upperBound...])
    }
    if let rest = message.droppingPrefix("Unknown option '") {
      return unknownOption(rest, arguments)
    }
    if let rest = message.droppingPrefix("Missing value for '") {
      return optionName(in: rest).map { "\($0): a value is missing" } ?? "an option has no value"
    }
    if let rest = message.droppingPrefix("The option '") {
      return optionName(in: rest).map { "\($0) takes no value" } ?? "an option takes no value"
    }
    // The missing argument's name is the tool's own; nothing typed could be repeated.
    if let rest = message.droppingPrefix("Missing expected argument '") {
      return "an argument is missing: \(rest.prefix { $0 != "'" })"
    }
    if message.hasPrefix("Can't generate completion scripts") || message.hasPrefix("Can't autodetect") {
      return "--generate-completion-script takes bash, zsh or fish"
    }
    if let index = arguments.firstIndex(where: { message == "Unexpected argument '\($0)'" }) {
      let (command, path) = command(in: arguments)
      guard index == path.count, !command.allSubcommands.isEmpty else { return "argument \(index + 1) is unexpected" }
      return unknownCommand(arguments[index], in: command)
    }
    if message.contains("unexpected arguments: '") {
      let (command, path) = command(in: arguments)
      let next = arguments.dropFirst(path.count).first
      guard let next, !command.allSubcommands.isEmpty else { return "too many arguments" }
      return unknownCommand(next, in: command)
    }
    return "the arguments cannot be understood"
  }

  /// `--at <unix-time>': what is needed`
  private static func invalidValue(_ rest: Substring) -> String {
    let name = optionName(in: rest) ?? "an argument"
    guard let hint = rest.ranges(of: "': ").first else { return "\(name): not a valid value" }
    return "\(name): \(rest[hint.upperBound...])"
  }

  private static func unknownOption(_ rest: Substring, _ arguments: [String]) -> String {
    let name = rest.prefix { $0 != "'" }
    // By its index: what looks like an option may be a secret that was quoted together with its option.
    let index = arguments.firstIndex { $0.hasPrefix(name) }
    let text = unknown("option", String(name), at: index.map { "argument \($0 + 1) is an " } ?? "")
    // The parser's suggestion is an option of the tool.
    let suggestion = rest.ranges(of: "Did you mean '").last.flatMap { optionName(in: rest[$0.upperBound...]) }
    return text + (suggestion.map { "; did you mean \($0)?" } ?? "")
  }

  /// The option at the start of a text, if the tool defines it.
  private static func optionName(in text: Substring) -> String? {
    let name = String(text.prefix { $0 == "-" || $0.isASCII && ($0.isLetter || $0.isNumber) })
    return definedOptions.contains(name) ? name : nil
  }

  private static var definedOptions: Set<String> {
    OTPTool.allCommands.reduce(into: ["--version", "--generate-completion-script"]) { options, command in
      let help = OTPTool.helpMessage(for: command, includeHidden: true, columns: 10_000)
      let words = help.split { !($0 == "-" || $0.isLetter || $0.isNumber) }
      options.formUnion(words.filter { $0.hasPrefix("--") }.map(String.init))
    }
  }
}

extension StringProtocol {
  fileprivate func droppingPrefix(_ prefix: String) -> SubSequence? {
    hasPrefix(prefix) ? dropFirst(prefix.count) : nil
  }
}
