@_exported import ArgumentParser
@_exported import Foundation
@_exported import MultiFactor
@_exported import MultiFactorOperations
@_exported import OTPSeeds
@_exported import OTPVectors

/// The program `otp-full`.
@main enum Main {
  static func main() {
    Program.prepare()
    Program.end { run(try parsed()) }
  }

  private static func run(_ command: sending any ParsableCommand) -> Never {
    guard let asynchronous = command as? any AsyncParsableCommand else { Program.run(command) }
    Program.checkBackend(for: asynchronous)
    Task {
      do {
        var command = asynchronous
        try await command.run()
      } catch {
        Program.end(error)
      }
      Program.end {}
    }
    // Only here: the threads of tasks take a while to start.
    dispatchMain()
  }

  private static func parsed() throws -> sending any ParsableCommand {
    let arguments = try Program.arguments()
    try UsageMessage.checkHelp(arguments)
    do {
      var command = try OTPTool.parseAsRoot(arguments)
      if OTPTool.allCommands.contains(where: { $0 == type(of: command) }) { return command }
      // One of the parser's own throws its help.
      try command.run()
      throw ExitStatus.success
    } catch {
      guard let text = helpText(for: error) else {
        throw ToolError.usage(UsageMessage.line(for: OTPTool.message(for: error), arguments: arguments))
      }
      Program.end { try StandardOutput.write(text) }
    }
  }

  /// What `--help`, `--version` and `--generate-completion-script` print; ArgumentParser throws them.
  private static func helpText(for error: any Error) -> String? {
    guard OTPTool.exitCode(for: error) == .success else { return nil }
    let text = OTPTool.fullMessage(for: error) + "\n"
    guard text.hasPrefix("OVERVIEW: \(OTPTool.configuration.abstract.prefix(40))") else { return text }
    // The commands come first.
    var parts = text.components(separatedBy: "\n\n")
    if let options = parts.firstIndex(where: { $0.hasPrefix("OPTIONS:") }) {
      parts.insert(parts.remove(at: options), at: parts.count - 1)
    }
    return parts.joined(separator: "\n\n") + "\n" + OTPTool.remarks
  }
}

extension ParsableCommand {
  /// This command and all below it.
  static var allCommands: [any ParsableCommand.Type] { [self] + allSubcommands.flatMap { $0.allCommands } }

  /// The commands directly below it, in groups or not.
  static var allSubcommands: [any ParsableCommand.Type] {
    configuration.ungroupedSubcommands + configuration.groupedSubcommands.flatMap(\.subcommands)
  }
}
