import ArgumentParser
import Foundation
import OTP

/// The program `otp-full`.
@main enum Main {
  static func main() {
    Program.prepare()
    Program.exit { Program.run(try parsed()) }
  }

  private static func parsed() throws -> any ParsableCommand {
    let arguments = try Program.arguments()
    try UsageMessage.checkHelp(arguments)
    do {
      var command = try OTPTool.parseAsRoot(arguments)
      if OTPTool.contains(command) { return command }
      // One of the parser's own throws its help.
      try command.run()
      throw ExitStatus.success
    } catch {
      guard let text = helpText(for: error) else {
        throw ToolError.usage(UsageMessage.line(for: OTPTool.message(for: error), arguments: arguments))
      }
      Program.exit { try StandardOutput.write(text) }
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
