import Foundation
import MultiFactor

/// Several processes that sign users in with the same codes.
enum Contention {
  static let step: Int64 = 50_000_000
  /// The number of simultaneous sign-ins per process.
  private static let width = 12

  /// The child process: submits the step's code for every user this many times, and reports each outcome.
  static func contend(_ folder: String, users: Int, times: Int) async throws {
    let server = try await Server(folder) { step * 30 }
    let code = try Server.code(at: step)
    report("ready")
    // Until the driver closes the other end.
    _ = FileHandle.standardInput.readDataToEndOfFile()
    let offers = (0..<users * times).map { user($0 % users) }
    for start in stride(from: 0, to: offers.count, by: width) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for user in offers[start..<min(start + width, offers.count)] {
          group.addTask { report("\(user) \(try await server.signIn(user, code).map { "\($0)" } ?? "accepted")") }
        }
        try await group.waitForAll()
      }
    }
  }

  private static func user(_ index: Int) -> String { "user\(index)" }

  /// Runs the processes, and compares their outcomes with what the store has counted.
  static func check(processes: Int, users: Int, times: Int) async throws -> String {
    let folder = try Folder()
    let server = try await Server(folder.path, isNew: true) { step * 30 }
    let names = (0..<users).map(user)
    for name in names { try await server.prepare(name) }
    let children = try (0..<processes).map { _ in try Child(["contend", folder.path, "\(users)", "\(times)"]) }
    while !children.allSatisfy(\.hasWritten) { try await Task.sleep(for: .milliseconds(1)) }
    for child in children { child.begin() }
    let results = children.map { $0.wait() }
    try require(results.allSatisfy(\.isWell), "a process failed")

    let answers = results.flatMap(\.lines).filter { $0 != "ready" }
    try require(answers.count == processes * users * times, "\(answers.count) answers")
    let counts = Dictionary(answers.map { ($0, 1) }, uniquingKeysWith: +)
    for name in names {
      let failures = processes * times - 1
      try require(counts["\(name) accepted"] == 1, "\(name): accepted \(counts["\(name) accepted"] ?? 0) times")
      try require(counts["\(name) invalidVerificationCode"] ?? 0 == failures, "\(name): another answer")
      let tally = try await server.tally(of: name)
      try require(tally == Tally(acceptances: 1, failures: failures), "\(name): \(tally) is recorded")
    }
    return "\(processes) processes signed each of \(users) users in once and counted \(answers.count - users) failures"
  }
}
