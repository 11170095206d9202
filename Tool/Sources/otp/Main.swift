import ArgumentParser
import Foundation
import OTP

/// The entry point: parses, runs, and turns any error into one line and an exit status.
@main enum Main {
  static func main() async {
    // Tasks may still be ending when the process exits.
    OTPEngine.keepLibcryptoAtExit()
    // If the reader of the output is gone, the write fails and the tool exits with a status, instead of being killed by
    // a signal.
    signal(SIGPIPE, SIG_IGN)
    exit(await status().rawValue)
  }

  /// The arguments without the tool's name. In `CommandLine.arguments`, what is not UTF-8 becomes U+FFFD, so that the
  /// wrong file would be opened, and two accounts would be one.
  private static func arguments() throws(ToolError) -> [String] {
    try (0..<Int(CommandLine.argc)).dropFirst().map { (index) throws(ToolError) in
      guard let argument = unsafe CommandLine.unsafeArgv[index], let text = unsafe String(validatingCString: argument)
      else { throw .notUTF8 }
      return text
    }
  }

  private static func status() async -> ExitStatus {
    do {
      let arguments = try arguments()
      try UsageMessage.checkHelp(arguments)
      var command: any ParsableCommand
      do {
        command = try OTPTool.parseAsRoot(arguments)
      } catch {
        if let text = helpText(for: error) {
          try StandardOutput.write(text)
          return .success
        }
        throw ToolError.usage(UsageMessage.line(for: OTPTool.message(for: error), arguments: arguments))
      }
      // Also in commands that compute no code, so that a wrong setting is noticed at once; but not in the parser's own.
      let isOwn = OTPTool.allCommands.contains { $0 == type(of: command) }
      if isOwn, !(command is Info) { try OperatorBackend.check() }
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      return .success
    } catch {
      return report(error)
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

  private static func report(_ error: any Error) -> ExitStatus {
    if let text = helpText(for: error) {
      do {
        try StandardOutput.write(text)
        return .success
      } catch {
        return report(error)
      }
    }
    switch error {
    case let status as ExitStatus: return status
    case let error as ToolError:
      StandardError.write(line: error.message)
      return error.status
    default:
      // The text of a foreign error might repeat the input.
      StandardError.write(line: "internal error")
      return .software
    }
  }
}
