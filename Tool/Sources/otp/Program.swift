// For all files. What else they use, the two programs import in Start.swift and Main.swift.
@_exported import FactorRecord
@_exported import Keyring
@_exported import OTP

// The same sources are compiled twice. In `otp-full`, `@Option`, `@Flag`, `ParsableCommand` and the like are
// ArgumentParser's; in `otp`, those of Start/Parameters.swift, which read a command line but have no help.

/// What both programs do: `otp`, which has the commands that need no store, and `otp-full`, which has all.
///
/// A program with all commands starts slowly, because it loads libpq, the libraries that this needs, Foundation and
/// ArgumentParser. So `otp` does without them, and executes `otp-full` for whatever it does not run itself.
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
  static func run(_ command: any ParsableCommand) -> Never {
    checkBackend(for: command)
    end {
      var command = command
      try command.run()
    }
  }

  /// Also for commands that compute no code, so that a wrong setting is noticed at once.
  static func checkBackend(for command: any ParsableCommand) {
    if command is Info { return }
    do { try OperatorBackend.check() } catch { end(error) }
  }

  /// Does something, and exits.
  static func end(after body: () throws -> Void) -> Never {
    do { try body() } catch { end(error) }
    exit(ExitStatus.success.rawValue)
  }

  /// Turns an error into one line and an exit status.
  static func end(_ error: any Error) -> Never {
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

/// The seconds since 1970.
func currentTime() -> Int64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_REALTIME, &time)
  return Int64(time.tv_sec)
}

/// A variable of the environment.
func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }
