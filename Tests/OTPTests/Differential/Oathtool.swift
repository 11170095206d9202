import Foundation

/// OATH Toolkit's command-line tool: the most widely used implementation, which shares no code with ours.
enum Oathtool {
  struct Missing: Error, CustomStringConvertible {
    let description = "oathtool is not installed: run the tests by `make test`, which installs it (apt: oathtool)"
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private static let path: String? = {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").map(String.init) ?? []
    return (folders + ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]).map { $0 + "/oathtool" }.first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
  }()

  /// Runs the tool and returns the lines that it prints.
  static func run(_ arguments: [String]) throws -> [String] {
    guard let path else { throw Missing() }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    // Makes dates without a time zone, and messages, the same everywhere.
    process.environment = ["TZ": "UTC", "LC_ALL": "C"]
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    let complaint = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(
        description: "oathtool \(arguments.joined(separator: " ")): " + String(decoding: complaint, as: UTF8.self))
    }
    return String(decoding: printed, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
