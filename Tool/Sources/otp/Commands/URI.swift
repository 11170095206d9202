import ArgumentParser

/// `otp uri`
struct URI: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write and read otpauth:// key URIs.", subcommands: [URIBuild.self, URIParse.self])

  func run() throws {
    throw ToolError.usage("a command is missing: build or parse; see 'otp uri --help'")
  }
}
