#if canImport(Glibc)
@_exported import Glibc
#else
@_exported import Darwin
#endif

/// The program `otp`.
@main enum Start {
  static func main() {
    Program.prepare()
    // Whatever is not plainly one of these commands is for the other program: also help, and all errors of usage.
    if let arguments = try? Program.arguments() {
      if arguments == ["--version"] { Program.end { try StandardOutput.write(OTPEngine.version + "\n") } }
      if let command = Root.parsed(arguments[...]) { Program.run(command) }
    }
    executeFull()
  }

  /// Replaces this program with `otp-full`, which is beside it in a build, and in `libexec` once it is installed.
  static func executeFull() -> Never {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    #if os(Linux)
    _ = unsafe readlink("/proc/self/exe", &path, path.count - 1)
    #else
    var (name, count) = (path, UInt32(path.count))
    if unsafe _NSGetExecutablePath(&name, &count) == 0 { _ = unsafe realpath(name, &path) }
    #endif
    let folder = path[..<(path.lastIndex(of: CChar(bitPattern: UInt8(ascii: "/"))) ?? 0)]
    for name in ["/otp-full", "/../libexec/otp-full"] {
      unsafe execv(folder + name.utf8.map { CChar(bitPattern: $0) } + [0], CommandLine.unsafeArgv)
    }
    let problem = errno == ENOENT ? "is missing: install both" : "cannot be executed"
    Program.end {
      throw ToolError.software("otp-full, which has help, usage errors and the other commands, \(problem)")
    }
  }
}

/// The commands that need no store.
private struct Root: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "otp",
    subcommands: [
      Generate.self, Verify.self, Secret.self, URI.self, Info.self, KeyringCommand.self, RecordCommand.self,
    ])

  func run() {}
}
