import Foundation
import MultiFactor
import OTP

/// Processes that exit in the middle of sign-ins, while threads of the concurrency runtime and of the store come and go.
enum Exits {
  private static let step: Int64 = 50_000_000

  /// The child process: signs a user in on many tasks, and exits before they are done.
  static func exitWhileWorking(_ folder: String) async throws {
    let server = try await Server(folder) { step * 30 }
    for _ in 0..<40 {
      Task.detached { _ = try? await server.signInOrFail("user", "000000") }
      Thread.detachNewThread { _ = try? OTPSecret.random(for: .sha1) }
    }
    exit(0)
  }

  /// - Parameter control: How many do so without `keepLibcryptoAtExit`. Some of them must crash.
  static func check(_ count: Int, control: Int) async throws -> String {
    let folder = try Folder()
    let server = try await Server(folder.path, isNew: true) { step * 30 }
    try await server.prepare("user")
    // A crashed process would wait for its backtrace.
    setenv("SWIFT_BACKTRACE", "enable=no", 1)
    defer { unsetenv("SWIFT_BACKTRACE") }
    let failures = try failures(of: count, ["exit", folder.path])
    try require(failures == 0, "\(failures) of \(count) processes did not exit well")
    try require(try self.failures(of: control, ["exit", folder.path, "crashing"]) > 0, "no control crashed")
    return "\(count) processes exited in the middle of sign-ins"
  }

  /// Runs processes, two at a time. Returns how many did not exit well.
  private static func failures(of count: Int, _ arguments: [String]) throws -> Int {
    var failures = 0
    for _ in 0..<count / 2 {
      let children = try (0..<2).map { _ in try Child(arguments) }
      for child in children where !child.wait().isWell { failures += 1 }
    }
    return failures
  }
}
