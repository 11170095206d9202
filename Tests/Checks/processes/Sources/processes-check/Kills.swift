import Foundation
import MultiFactor

/// Processes that are killed at random moments.
enum Kills {
  private static let usersOfAWorker = 4
  private static let firstStep: Int64 = 50_000_000
  /// More steps than a process lives for.
  private static let stepsOfALife: Int64 = 1_000_000

  /// The child process: signs its users in at one step after another, each with a wrong code, the right one, and the
  /// right one again, and reports each outcome once it is known.
  static func work(_ folder: String, name: String, from first: Int64) async throws {
    let store = try await openStore(in: folder, isNew: false)
    let keyring = try Keyring(file: folder + "/keyring.json")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for user in users(of: name) {
        group.addTask {
          let now = Step(first)
          let server = try await Server(store, keyring) { now.value * 30 }
          while true {
            let right = try Server.code(at: now.value)
            for code in [right == "000000" ? "000001" : "000000", right, right] {
              switch try await server.signIn(user, code) {
              case nil: report("accepted \(user) \(now.value)")
              case .invalidVerificationCode: report("refused \(user) \(now.value)")
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

  private static func users(of name: String) -> [String] { (0..<usersOfAWorker).map { "\(name)-\($0)" } }

  /// The current step of a user's server.
  final class Step: @unchecked Sendable {
    private let lock = NSLock()
    private var current: Int64
    init(_ value: Int64) { current = value }
    var value: Int64 {
      get { lock.withLock { current } }
      set { lock.withLock { current = newValue } }
    }
  }

  /// A user's outcomes over all lives of its process.
  private struct Answers {
    var tally = Tally()
    var steps: Set<Int64> = []
    var failures = 0
  }

  /// Kills a process while another works on the same file, then that one as well, and checks the file each time.
  static func check(_ kills: Int, seed: UInt64) async throws -> String {
    var random = Generator(state: seed)
    let folder = try Folder()
    let names = ["a", "b"]
    var answers: [String: Answers] = [:]
    do {
      let server = try await Server(folder.path, isNew: true) { firstStep * 30 }
      for user in names.flatMap(users) {
        try await server.prepare(user)
        answers[user] = Answers()
      }
    }

    var done = 0
    var step = firstStep
    while done < kills {
      step += stepsOfALife
      let children = try names.shuffled(using: &random).map { try Child(["work", folder.path, $0, "\(step)"]) }
      while !children.allSatisfy(\.hasWritten) { try await Task.sleep(for: .milliseconds(1)) }
      for child in children where done < kills {
        try await Task.sleep(for: .microseconds(Int.random(in: 0..<150_000, using: &random)))
        child.kill()
        done += 1
      }
      for child in children { child.kill() }
      for child in children {
        let (lines, isWell) = child.wait()
        try require(!isWell, "a process ended by itself")
        for line in lines { try record(line, in: &answers) }
      }
      for user in answers.keys {
        try await compare(user, with: folder.path, &answers[user, default: Answers()])
      }
      try await checkIntegrity(in: folder.path)
    }
    let acceptances = answers.values.reduce(0) { $0 + $1.steps.count }
    let failures = answers.values.reduce(0) { $0 + $1.failures }
    return "after \(done) kills none of \(acceptances) sign-ins and \(failures) failures was lost or doubled"
  }

  private static func record(_ line: String, in answers: inout [String: Answers]) throws {
    let words = line.split(separator: " ")
    guard words.count == 3, let step = Int64(words[2]), var answer = answers[String(words[1])] else {
      throw Wrong(description: "the line \(line)")
    }
    if words[0] == "accepted" {
      try require(answer.steps.insert(step).inserted, "\(line), for the second time")
      answer.tally = Tally(acceptances: answer.tally.acceptances + 1, failures: 0)
    } else {
      answer.tally.failures += 1
      answer.failures += 1
    }
    answers[String(words[1])] = answer
  }

  /// Compares a user's outcomes with what the store has counted, and submits the last accepted code again.
  private static func compare(_ user: String, with folder: String, _ answers: inout Answers) async throws {
    let last = answers.steps.max() ?? firstStep
    let server = try await Server(folder) { last * 30 }
    let tally = try await server.tally(of: user)
    // At most one sign-in was completed but not reported.
    let answered = answers.tally
    let next = [
      answered, Tally(acceptances: answered.acceptances, failures: answered.failures + 1),
      Tally(acceptances: answered.acceptances + 1, failures: 0),
    ]
    try require(next.contains(tally), "\(user): \(tally) is stored after \(answered)")
    answers.tally = tally
    guard !answers.steps.isEmpty else { return }
    let end = try await server.signIn(user, Server.code(at: last))
    try require(end == .invalidVerificationCode, "\(user): step \(last) ended in \(String(describing: end))")
    answers.tally.failures += 1
    answers.failures += 1
  }
}

/// Processes that are killed while they create a store and its keyring.
enum SetUpKills {
  /// The child process: creates both, and a user.
  static func work(_ folder: String, user: String) async throws {
    report("ready")
    try await Server(folder, isNew: true) { 0 }.prepare(user)
  }

  static func check(_ kills: Int, seed: UInt64) async throws -> String {
    var random = Generator(state: seed)
    for kill in 1...kills {
      let folder = try Folder()
      let children = try ["a", "b"].map { try Child(["set-up", folder.path, $0]) }
      while !children.allSatisfy(\.hasWritten) { try await Task.sleep(for: .microseconds(100)) }
      try await Task.sleep(for: .microseconds(Int.random(in: 0..<20_000, using: &random)))
      for child in children { child.kill() }
      for child in children { _ = child.wait() }
      // Whatever they left behind is completed.
      let server = try await Server(folder.path, isNew: true) { 0 }
      try await server.prepare("c \(kill)")
      _ = try await Server(folder.path) { 0 }.tally(of: "c \(kill)")
    }
    return "after \(kills) kills, the creation of a store and its keyring was completed"
  }
}
