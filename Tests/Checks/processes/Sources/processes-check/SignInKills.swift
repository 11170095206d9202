import Foundation
import GRDB
import MultiFactor

/// A process that is killed in the middle of sign-ins.
enum SignInKills {
  /// How many sign-ins are under way at once: as many can have been made and not reported when the process is killed.
  private static let width = 4

  /// A process: signs in at one step after the other, with a wrong code and several times the right one, and says
  /// what it is about to do and what came of it.
  static func work(_ folder: String, from step: Int64) async throws {
    let now = Step(step)
    let server = try Server(folder) { now.value * 30 }
    while true {
      let step = now.value
      let right = try Server.totp().code(at: step * 30).description
      let wrong = right == "000000" ? "000001" : "000000"
      report("begin \(step)")
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<width {
          group.addTask {
            let end = try await server.signIn(index == 0 ? wrong : right)
            switch end {
            case nil: report("accepted \(step)")
            case .invalidVerificationCode: report("refused \(step)")
            case let end?: throw Wrong(description: "a sign-in ended in \(end)")
            }
          }
        }
        try await group.waitForAll()
      }
      now.value += 1
    }
  }

  /// The step that a process is at.
  private final class Step: @unchecked Sendable {
    private let lock = NSLock()
    private var current: Int64
    init(_ value: Int64) { current = value }
    var value: Int64 {
      get { lock.withLock { current } }
      set { lock.withLock { current = newValue } }
    }
  }

  static func check(_ kills: Int, seed: UInt64) async throws -> String {
    var random = Generator(state: seed)
    let folder = try Folder()
    try await Server(folder.path) { OneCode.step * 30 }.prepare()
    var step = OneCode.step
    var accepted: Set<Int64> = []
    var refusals = 0
    for kill in 1...kills {
      let child = try Child(["sign-in", folder.path, "\(step)"])
      while !child.hasWritten { try await Task.sleep(for: .milliseconds(1)) }
      try await Task.sleep(for: .microseconds(Int.random(in: 0..<100_000, using: &random)))
      child.kill()

      let (lines, isWell) = child.wait()
      try require(!isWell, "the process ended by itself")
      for line in lines {
        let words = line.split(separator: " ")
        guard words.count == 2, let number = Int64(words[1]) else { throw Wrong(description: "the line \(line)") }
        switch words[0] {
        case "accepted": try require(accepted.insert(number).inserted, "step \(number) was accepted twice")
        case "refused": refusals += 1
        default: step = number
        }
      }
      try await compare(folder, accepted, refusals, lives: kill)

      // Whatever was answered as accepted is not accepted again, nor is the one that the kill broke off, if it was.
      let now = step
      let server = try Server(folder.path) { now * 30 }
      if accepted.contains(step) {
        let code = try Server.totp().code(at: step * 30).description
        let end = try await server.signIn(code)
        try require(end == .invalidVerificationCode, "step \(step) ended in \(String(describing: end)) after the kill")
        refusals += 1
      }
      step += 1
    }
    return
      "after \(kills) kills none of \(accepted.count) sign-ins was accepted twice, none of \(refusals) refusals lost"
  }

  private static func compare(_ folder: Folder, _ accepted: Set<Int64>, _ refusals: Int, lives: Int) async throws {
    let state = try await Server(folder.path) { OneCode.step * 30 }.attempts()
    // What was made and not answered is at most as much as was under way in each life.
    let acceptances = Int(state.acceptances) - accepted.count
    let failures = Int(state.attempts) - Int(state.acceptances) - refusals
    try require(0...lives ~= acceptances, "\(acceptances) acceptances more than answered")
    try require(0...lives * width ~= failures, "\(failures) failures more than answered")
    let check = try await DatabaseQueue(path: folder.file).read {
      try String.fetchAll($0, sql: "PRAGMA integrity_check")
    }
    try require(check == ["ok"], "integrity_check: \(check)")
  }
}
