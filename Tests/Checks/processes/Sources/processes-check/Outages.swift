import Foundation
import MultiFactor

/// Processes that sign users in while their server is killed.
enum Outages {
  private static let usersOfAWorker = 4
  /// In the year 2065: no code of these steps could be accepted before a failover of today.
  private static let firstStep: Int64 = 100_000_000

  private static func users(of name: String) -> [String] { (0..<usersOfAWorker).map { "\(name)-\($0)" } }

  /// The child process: signs its users in at one step after another, each with a wrong code, the right one, and the
  /// right one again, and reports each outcome, even an unknown one. It ends when its driver closes the other end.
  static func endure(_ url: String, _ folder: String, name: String) async throws {
    let store = try await openStore(at: url, in: folder, isNew: false)
    let keyring = try Keyring(file: folder + "/keyring.json")
    let isOver = Flag()
    Thread.detachNewThread {
      _ = FileHandle.standardInput.readDataToEndOfFile()
      isOver.raise()
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for user in users(of: name) {
        group.addTask {
          let now = Kills.Step(firstStep)
          let server = try await Server(store, keyring) { now.value * 30 }
          while !isOver.isRaised {
            let right = try Server.code(at: now.value)
            for (code, kind) in [
              (right == "000000" ? "000001" : "000000", "wrong"), (right, "right"), (right, "right"),
            ] {
              switch try await server.signInOrFail(user, code) {
              case nil: report("accepted \(user) \(now.value) \(kind)")
              case .invalidVerificationCode: report("refused \(user) \(now.value) \(kind)")
              case .internalError: report("unknown \(user) \(now.value) \(kind)")
              case let end?: throw Wrong(description: "\(user): a sign-in failed with \(end)")
              }
            }
            now.value += 1
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var raised = false
    var isRaised: Bool { lock.withLock { raised } }
    func raise() { lock.withLock { raised = true } }
  }

  /// A user's outcomes, and what the store may have counted for them.
  private struct Answers {
    var steps: Set<Int64> = []
    var acceptances = 0...0
    var failures = 0...0

    mutating func record(_ line: String) throws {
      let words = line.split(separator: " ")
      guard words.count == 4, let step = Int64(words[2]) else { throw Wrong(description: "the line \(line)") }
      switch words[0] {
      case "accepted":
        try require(words[3] == "right" && steps.insert(step).inserted, "\(line), for the second time")
        acceptances = acceptances.lowerBound + 1...acceptances.upperBound + 1
        failures = 0...0
      case "refused": failures = failures.lowerBound + 1...failures.upperBound + 1
      default:
        // The right code may have been accepted, or counted as a failure if it had been accepted before.
        if words[3] == "right" { acceptances = acceptances.lowerBound...acceptances.upperBound + 1 }
        failures = (words[3] == "right" ? 0 : failures.lowerBound)...failures.upperBound + 1
      }
    }
  }

  /// Runs sign-ins while their server is disturbed, and compares their outcomes with what was counted.
  ///
  /// - Parameter disturb: Disturbs the server. Once it has returned, sign-ins must succeed again.
  static func check(
    _ what: String, times: Int, url: String, disturb: () async throws -> Void
  ) async throws -> String {
    let folder = try Folder()
    var answers: [String: Answers] = [:]
    let keyring = try Keyring.create(file: folder.path + "/keyring.json")
    let store = try await openStore(at: url, in: folder.path, isNew: true)
    let names = ["a", "b"]
    let server = try await Server(store, keyring) { firstStep * 30 }
    for user in names.flatMap(users) {
      try await server.prepare(user)
      answers[user] = Answers()
    }
    let children = try names.map { try Child(["endure", url, folder.path, $0]) }
    var longest = Duration.zero
    for time in 0...times {
      let start = ContinuousClock.now
      if time > 0 { try await disturb() }
      // Until each process has signed all of its users in a few times.
      let before = children.map(\.writtenCount)
      while !zip(children, before).allSatisfy({ $0.writtenCount > $1 + 2000 }) {
        try require(ContinuousClock.now - start < .seconds(300), "\(what): sign-ins do not resume")
        try await Task.sleep(for: .milliseconds(1))
      }
      if time > 0 { longest = max(longest, ContinuousClock.now - start) }
      try await Task.sleep(for: .microseconds(Int.random(in: 0..<100_000)))
    }
    for child in children { child.begin() }
    for child in children {
      let (lines, isWell) = child.wait()
      try require(isWell, "\(what): a process failed")
      for line in lines {
        let user = String(line.split(separator: " ").dropFirst().first ?? "")
        try answers[user, default: Answers()].record(line)
      }
    }
    var (acceptances, unknown) = (0, 0)
    for (user, answers) in answers {
      let last = answers.steps.max() ?? firstStep
      let server = try await Server(store, keyring) { last * 30 }
      let tally = try await server.tally(of: user)
      try require(
        answers.acceptances.contains(tally.acceptances) && answers.failures.contains(tally.failures),
        "\(what): \(user): \(tally) is stored after \(answers.acceptances), \(answers.failures)")
      let end = try await server.signIn(user, Server.code(at: last))
      try require(end == .invalidVerificationCode, "\(what): \(user): step \(last) ended in \(String(describing: end))")
      acceptances += answers.steps.count
      unknown += answers.acceptances.upperBound - answers.acceptances.lowerBound
    }
    return "after \(times) times \(what) none of \(acceptances) sign-ins was lost or doubled, "
      + "\(unknown) were not answered, and they went on within \((longest / .milliseconds(1)).rounded()) ms"
  }
}
