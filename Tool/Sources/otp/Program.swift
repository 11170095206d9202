import ArgumentParser
import Foundation
import OTP

/// What both programs do: `otp`, which has the commands that need no store, and `otp-full`, which has all.
///
/// A program with all commands starts slowly, above all because it loads libpq, the libraries that this needs, and
/// Foundation's ICU. So `otp` does without them, and executes `otp-full` for whatever it does not run itself.
enum Program {
  static func prepare() {
    // Tasks may still be ending when the process exits.
    OTPEngine.keepLibcryptoAtExit()
    // If the reader of the output is gone, the write fails and the tool exits with a status, instead of being killed by
    // a signal.
    signal(SIGPIPE, SIG_IGN)
  }

  /// The arguments without the tool's name. In `CommandLine.arguments`, what is not UTF-8 becomes U+FFFD, so that the
  /// wrong file would be opened, and two accounts would be one.
  static func arguments() throws(ToolError) -> [String] {
    try (0..<Int(CommandLine.argc)).dropFirst().map { (index) throws(ToolError) in
      guard let argument = unsafe CommandLine.unsafeArgv[index], let text = unsafe String(validatingCString: argument)
      else { throw .notUTF8 }
      return text
    }
  }

  /// Runs one of the tool's own commands.
  static func run(_ command: sending any ParsableCommand) -> Never {
    // Also in commands that compute no code, so that a wrong setting is noticed at once.
    if !(command is Info) {
      do { try OperatorBackend.check() } catch { exit(reporting: error) }
    }
    guard let asynchronous = command as? any AsyncParsableCommand else {
      exit {
        var command = command
        try command.run()
      }
    }
    Task {
      do {
        var command = asynchronous
        try await command.run()
      } catch {
        exit(reporting: error)
      }
      exit(.success)
    }
    // Only here: the threads of tasks take a while to start.
    dispatchMain()
  }

  /// Does something, and exits.
  static func exit(after body: () throws -> Void) -> Never {
    do { try body() } catch { exit(reporting: error) }
    exit(.success)
  }

  /// Turns an error into one line and an exit status.
  private static func exit(reporting error: any Error) -> Never {
    switch error {
    case let status as ExitStatus: exit(status)
    case let error as ToolError:
      StandardError.write(line: error.message)
      exit(error.status)
    default:
      // The text of a foreign error might repeat the input.
      StandardError.write(line: "internal error")
      exit(.software)
    }
  }

  private static func exit(_ status: ExitStatus) -> Never { Foundation.exit(status.rawValue) }
}

extension ParsableCommand {
  /// This command and all below it.
  static var allCommands: [any ParsableCommand.Type] {
    allSubcommands.reduce(into: [self]) { commands, command in commands += command.allCommands }
  }

  /// The commands directly below it, in groups or not.
  static var allSubcommands: [any ParsableCommand.Type] {
    configuration.groupedSubcommands.reduce(into: configuration.ungroupedSubcommands) { $0 += $1.subcommands }
  }

  /// Whether a command is one of these, and not the parser's own.
  static func contains(_ command: any ParsableCommand) -> Bool { allCommands.contains { $0 == type(of: command) } }
}
