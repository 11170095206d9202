import Foundation
import Synchronization
import Testing

/// The result of running the tool.
struct Run {
  let output: String
  let error: String
  let status: Int32

  var lines: [String] { output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) }

  /// The output, read as one JSON object.
  var json: NSDictionary { (try? JSONSerialization.jsonObject(with: Data(output.utf8))) as? NSDictionary ?? [:] }

  /// Whether this is a proper failure: nothing on standard output, one line on standard error.
  func failed(_ expected: Int32) -> Bool {
    status == expected && output.isEmpty && error.hasPrefix("otp: ") && error.hasSuffix("\n")
      && error.count(where: { $0.isNewline }) == 1
  }
}

/// The built executable.
enum Tool {
  /// Runs it until it ends.
  ///
  /// - Parameters:
  ///   - input: Its standard input.
  ///   - environment: Variables added to this process's environment.
  ///   - folder: The working directory; `nil` for this process's own.
  ///   - output: Where standard output goes; `nil` captures it.
  static func run(
    _ arguments: [String], input: String = "", environment: [String: String] = [:], in folder: String? = nil,
    output: FileHandle? = nil
  ) throws -> Run {
    let running = try start(arguments, environment: environment, in: folder, output: output)
    running.write(input)
    return try running.finish()
  }

  /// Starts it, for interaction.
  static func start(
    _ arguments: [String], environment: [String: String] = [:], in folder: String? = nil, output: FileHandle? = nil
  ) throws -> RunningTool {
    try launch(#require(executable), arguments, environment: environment, in: folder, output: output)
  }

  /// Starts a shell script in which `otp` is the tool: for names and arguments that are not UTF-8, which Foundation's
  /// `Process` does not support, and for what only a shell can set up. `$ff` and `$fe` are such bytes, and `$tool` is
  /// the tool's path.
  static func startScript(
    _ script: String, environment: [String: String] = [:], in folder: String
  ) throws -> RunningTool {
    let path = try #require(executable).path
    let names = #"ff=$(printf '\377') fe=$(printf '\376')"#
    return try launch(
      URL(fileURLWithPath: "/bin/sh"),
      ["-c", "\(names)\nexport tool='\(path)'\notp() { '\(path)' \"$@\"; }\n\(script)"],
      environment: environment, in: folder, output: nil)
  }

  private static func launch(
    _ executable: URL, _ arguments: [String], environment: [String: String], in folder: String?, output: FileHandle?
  ) throws -> RunningTool {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    process.environment = ProcessInfo.processInfo.environment
      .filter { !["OTP_BACKEND", "OTP_STORE", "OPENSSL_CONF"].contains($0.key) }
      .merging(environment) { $1 }

    let pipes = try launching.withLock { _ in
      let pipes = RunningTool.Pipes()
      process.standardInput = pipes.input
      process.standardOutput = output ?? pipes.output
      process.standardError = pipes.error
      try process.run()
      return pipes
    }
    try? pipes.output.fileHandleForWriting.close()
    return RunningTool(process: process, pipes: pipes)
  }

  /// One launch at a time: a process launched between the creation of another's pipes and their closing would keep them
  /// open.
  private static let launching = Mutex(())

  private static let executable: URL? = {
    let folders = [Bundle.main] + Bundle.allBundles
    return folders.flatMap { [$0.executableURL, $0.bundleURL] }
      .compactMap { $0?.deletingLastPathComponent().appendingPathComponent("otp") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }()
}

/// Runs a script until it ends. See ``Tool/startScript(_:environment:in:)``.
func sh(
  _ script: String, in folder: String, input: String = "", environment: [String: String] = [:]
) throws -> Run {
  let running = try Tool.startScript(script, environment: environment, in: folder)
  running.write(input)
  return try running.finish()
}

/// Runs the tool with a command line without quotes.
func otp(_ line: String, input: String = "", environment: [String: String] = [:]) throws -> Run {
  try Tool.run(line.split(separator: " ").map(String.init), input: input, environment: environment)
}

/// The RFCs' seeds for SHA-1, SHA-256 and SHA-512, in base32.
enum Seed {
  static let sha1 = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
  static let sha256 = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA"
  static let sha512 =
    "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA"
  static let uri = "otpauth://totp/Example:alice?secret=\(sha1)&issuer=Example"
  static let hotpURI = "otpauth://hotp/Example:alice?secret=\(sha1)&issuer=Example&counter=3"
}

/// Provides a file with contents.
func withFile(_ content: String, _ body: (String) throws -> Void) throws {
  try withFolder(["file": content]) { try body($0 + "/file") }
}

/// Provides a folder with files.
func withFolder(_ files: [String: String], _ body: (String) throws -> Void) throws {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("otp-tests-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  for (name, content) in files { try Data(content.utf8).write(to: folder.appendingPathComponent(name)) }
  return try body(folder.path)
}

/// Provides an environment in which libcrypto has no provider of any hash, MAC or random generator.
func withBrokenOpenSSL(_ body: ([String: String]) throws -> Void) throws {
  let configuration = "openssl_conf = init\n[init]\nproviders = p\n[p]\nbase = b\n[b]\nactivate = 1\n"
  try withFile(configuration) { path in try body(["OPENSSL_CONF": path]) }
}
