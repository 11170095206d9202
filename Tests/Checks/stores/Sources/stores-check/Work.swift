import Foundation
import MultiFactor
import Synchronization

/// A host at work: it signs users in until it is stopped, and reports each attempt once it is answered, as
/// `accepted|refused|unknown USER STEP right|wrong`.
struct Work {
  let host: Host
  /// Its users are `NAME-0` and so on; other hosts have others, except `shared-0` and so on.
  let name: String
  let count: Int
  let first: Int64
  /// The time of the shared users' first step, which is in the year 2112, in milliseconds: their steps take 100.
  let start: Int64
  let gate: Gate

  /// Consecutive failures lock a factor at 100.
  private static let failuresOfARound = 60
  init(_ host: Host, _ words: [String], _ gate: Gate) {
    (self.host, self.gate, name) = (host, gate, words[0])
    (count, first, start) = (Int(words[1]) ?? 0, Int64(words[2]) ?? 0, Int64(words[3]) ?? 0)
  }

  func run() async throws {
    gate.tasks.store(count + 8, ordering: .relaxed)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<count { group.addTask { try await signIn("\(name)-\(index)") } }
      for index in 0..<4 {
        group.addTask { try await fail("\(name)-failing-\(index)") }
        group.addTask { try await share("shared-\(index)") }
      }
      try await group.waitForAll()
    }
  }

  private func attempt(
    _ user: String, _ clock: Host.Clock, _ step: Int64, isRight: Bool, on auth: MultiFactorAuth
  ) async throws {
    clock.seconds.store(step * 30, ordering: .relaxed)
    let end = try await Host.signIn(user, clock, isRight: isRight, on: auth)
    let kind = isRight ? "right" : "wrong"
    switch end {
    case "accepted": report("accepted \(user) \(step) \(kind)")
    case "invalidVerificationCode": report("refused \(user) \(step) \(kind)")
    // A sign-in of a shared user expires if another host, at a later step, was faster.
    case "internalError", "sessionExpired":
      report("unknown \(user) \(step) \(kind)")
      try await Task.sleep(for: .milliseconds(50))
    default: report("wrong \(user) \(step) \(end)")
    }
  }

  /// Submits a wrong code, the right one, and the right one again, at one step after another.
  private func signIn(_ user: String) async throws {
    let clock = Host.Clock(first * 30)
    let auth = try await host.auth(clock)
    for step in first... {
      for isRight in [false, true, true] {
        guard await gate.pass() else { return }
        try await attempt(user, clock, step, isRight: isRight, on: auth)
      }
    }
  }

  /// Submits wrong codes.
  private func fail(_ user: String) async throws {
    let clock = Host.Clock(first * 30)
    let auth = try await host.auth(clock)
    var (round, failures) = (0, 0)
    while await gate.pass() {
      // The driver has signed the user in since.
      if gate.round != round { (round, failures) = (gate.round, 0) }
      if failures < Self.failuresOfARound { try await attempt(user, clock, first, isRight: false, on: auth) }
      failures += 1
      try await Task.sleep(for: .milliseconds(Int.random(in: 0..<100 * min(failures, 6))))
    }
  }

  /// Submits the same codes as the other hosts, at about the same time.
  private func share(_ user: String) async throws {
    let clock = Host.Clock(first * 30)
    let auth = try await host.auth(clock)
    while await gate.pass() {
      let milliseconds = Int64(Date.now.timeIntervalSince1970 * 1000) - start
      try await attempt(user, clock, 150_000_000 + milliseconds / 100, isRight: true, on: auth)
      try await Task.sleep(for: .milliseconds(100 - milliseconds % 100))
    }
  }
}

/// What the driver tells a host at work: `stop`, after which it completes what it has begun and reports `stopped`,
/// `go`, and the end.
final class Gate: Sendable {
  private struct State {
    var (isClosed, isOver, resting, rounds) = (false, false, 0, 0)
  }

  let tasks = Atomic(0)
  private let state = Mutex(State())

  /// How often it was opened again.
  var round: Int { state.withLock { $0.rounds } }

  func obey(_ word: String) {
    state.withLock { state in
      state.isClosed = word == "stop"
      state.isOver = word == "end"
      if word == "go" { state.rounds += 1 }
    }
  }

  /// Waits while the gate is closed.
  ///
  /// - Returns: Whether to go on.
  func pass() async -> Bool {
    let waits = state.withLock { state in
      guard state.isClosed else { return false }
      state.resting += 1
      if state.resting == tasks.load(ordering: .relaxed) { report("stopped") }
      return true
    }
    if waits {
      while state.withLock({ $0.isClosed }) { try? await Task.sleep(for: .milliseconds(10)) }
      state.withLock { $0.resting -= 1 }
    }
    return state.withLock { !$0.isOver }
  }
}
