// For all files.
@_exported import ArgumentParser
@_exported import FactorRecord
@_exported import Foundation
@_exported import Keyring
@_exported import MultiFactor
@_exported import MultiFactorOperations
@_exported import OTP
@_exported import OTPSeeds
@_exported import OTPVectors
@_exported import RecordService

/// The program `otp`.
@main enum Main {
  static func main() {
    // Tasks may still be ending when the process exits.
    OTPEngine.keepLibcryptoAtExit()
    // If the reader of the output is gone, the write fails and the tool exits with a status, instead of being killed by
    // a signal.
    signal(SIGPIPE, SIG_IGN)
    end { run(try parsed()) }
  }

  private static func run(_ command: sending any ParsableCommand) -> Never {
    // Also for commands that compute no code, so that a wrong setting is noticed at once.
    if !(command is Info) { do { try OperatorBackend.check() } catch { end(error) } }
    guard let asynchronous = command as? any AsyncParsableCommand else {
      end {
        var command = command
        try command.run()
      }
    }
    Task {
      do {
        var command = asynchronous
        try await command.run()
      } catch {
        end(error)
      }
      end {}
    }
    // Only here: the threads of tasks take a while to start.
    dispatchMain()
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

  private static func parsed() throws -> sending any ParsableCommand {
    let arguments = try Self.arguments()
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
      end { try StandardOutput.write(text) }
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

  /// Does something, and exits.
  private static func end(after body: () throws -> Void) -> Never {
    do { try body() } catch { end(error) }
    exit(ExitStatus.success.rawValue)
  }

  /// Turns an error into one line and an exit status.
  private static func end(_ error: any Error) -> Never {
    switch error {
    case let status as ExitStatus: exit(status.rawValue)
    case let error as ToolError:
      StandardError.write(line: error.message)
      exit(error.status.rawValue)
    default:
      // The text of a foreign error might repeat the input.
      StandardError.write(line: "internal error")
      exit(ExitStatus.software.rawValue)
    }
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

/// The seconds since 1970.
func currentTime() -> Int64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_REALTIME, &time)
  return Int64(time.tv_sec)
}
