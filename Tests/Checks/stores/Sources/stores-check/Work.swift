import Foundation
import Synchronization

/// A host at work: it signs users in until it is over.
struct Work {
  let host: Host
  /// Its users are `NAME-0` and so on; other hosts have others, except `shared-0` and so on.
  let name: String
  let count: Int
  /// The time of the first step, in milliseconds: each step takes 10.
  let start: Int64

  static let isOver = Atomic(false)
  private var goesOn: Bool { !Self.isOver.load(ordering: .relaxed) }

  init(_ host: Host, _ words: [String]) {
    (self.host, name, count, start) = (host, words[0], Int(words[1]) ?? 0, Int64(words[2]) ?? 0)
  }

  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<count { group.addTask { try await signIn("\(name)-\(index)") } }
      for index in 0..<4 {
        group.addTask { try await fail("\(name)-failing-\(index)") }
        group.addTask { try await share("shared-\(index)") }
      }
      try await group.waitForAll()
    }
  }

  /// In the year 2065: no code of these steps could be accepted before a loss of today, so only the store prevents that
  /// one is accepted twice.
  private func step(after milliseconds: Int64) -> Int64 { 100_000_000 + milliseconds / 10 }
  private var elapsed: Int64 { Int64(Date.now.timeIntervalSince1970 * 1000) - start }

  private func attempt(_ user: User, _ step: Int64, isRight: Bool) async throws {
    switch try await user.submit(at: step * 30, isRight: isRight) {
    case "locked": try await user.unlock()
    case "unknown": try await Task.sleep(for: .milliseconds(50))
    default: break
    }
  }

  /// Submits a wrong code, the right one, and the right one again, at one step after another.
  private func signIn(_ name: String) async throws {
    let user = try await host.user(name)
    while goesOn {
      let step = step(after: elapsed)
      for isRight in [false, true, true, true] { try await attempt(user, step, isRight: isRight) }
    }
  }

  /// Submits wrong codes.
  private func fail(_ name: String) async throws {
    let user = try await host.user(name)
    while goesOn {
      try await attempt(user, step(after: elapsed), isRight: false)
      try await Task.sleep(for: .milliseconds(Int.random(in: 0..<100)))
    }
  }

  /// Submits the same codes as the other hosts, at about the same time.
  private func share(_ name: String) async throws {
    let user = try await host.user(name)
    while goesOn {
      let milliseconds = elapsed
      try await attempt(user, step(after: milliseconds / 100 * 100), isRight: true)
      try await Task.sleep(for: .milliseconds(100 - milliseconds % 100))
    }
  }
}
