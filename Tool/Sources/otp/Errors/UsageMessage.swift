import ArgumentParser

/// Converts ArgumentParser's errors to one line.
///
/// ArgumentParser's own messages repeat what was typed, which may be a misplaced secret. So the line contains only
/// fixed words and names that the tool itself defines.
enum UsageMessage {
  static func line(for message: String, arguments: [String]) -> String {
    describe(message, arguments) + "; see '\(commandPath(in: arguments)) --help'"
  }

  /// The command that the arguments name, as far as they match one.
  private static func commandPath(in arguments: [String]) -> String {
    var command: any ParsableCommand.Type = OTPTool.self
    var path = command._commandName
    for argument in arguments {
      guard let next = command.configuration.subcommands.first(where: { $0._commandName == argument }) else { break }
      command = next
      path += " \(argument)"
    }
    return path
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
      return index == 0 ? "unknown command" : "argument \(index + 1) is unexpected"
    }
    if message.contains("unexpected arguments: '") { return "too many arguments" }
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
    let place = index.map { "argument \($0 + 1) is an unknown option" } ?? "unknown option"
    guard let range = rest.ranges(of: "Did you mean '").last, let suggestion = optionName(in: rest[range.upperBound...])
    else { return place }
    return "\(place); did you mean \(suggestion)?"
  }

  /// The option at the start of a text, if the tool defines it.
  private static func optionName(in text: Substring) -> String? {
    let name = String(text.prefix { $0 == "-" || $0.isASCII && ($0.isLetter || $0.isNumber) })
    return definedOptions.contains(name) ? name : nil
  }

  private static var definedOptions: Set<String> {
    var names: Set<String> = ["--version", "--generate-completion-script"]
    for command in OTPTool.allCommands {
      let help = OTPTool.helpMessage(for: command, includeHidden: true, columns: 10_000)
      for word in help.split(whereSeparator: { !($0 == "-" || $0.isLetter || $0.isNumber) }) where word.hasPrefix("--")
      {
        names.insert(String(word))
      }
    }
    return names
  }
}

extension ParsableCommand {
  /// This command and all below it.
  fileprivate static var allCommands: [any ParsableCommand.Type] {
    configuration.subcommands.reduce(into: [self]) { commands, command in commands += command.allCommands }
  }
}

extension StringProtocol {
  fileprivate func droppingPrefix(_ prefix: String) -> SubSequence? {
    hasPrefix(prefix) ? dropFirst(prefix.count) : nil
  }
}
