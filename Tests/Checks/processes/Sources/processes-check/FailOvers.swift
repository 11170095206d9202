import Foundation
import MultiFactor

/// Failovers by a manager, which the parent process makes (Tests/Checks/failover/cluster.py), under two hosts that sign
/// users in.
enum FailOvers {
  /// How many of a user's last codes are submitted again.
  private static let lastSteps = 10

  /// - Parameters:
  ///   - urls: How each of the hosts reaches the servers.
  ///   - isLong: Whether to go on for 10^5 sign-ins.
  static func check(_ urls: [String], isLong: Bool, seed: UInt64) async throws -> String {
    var random = Generator(state: seed)
    var pauses: [(event: String, milliseconds: [Double])] = []
    let run = try await FailOverRun(urls, isEarly: false)
    let events = ["kill", "freeze", "cut", "switchover", "lose-etcd"]
    repeat {
      var next = isLong ? events.shuffled(using: &random) : events
      while !next.isEmpty {
        let event = next.removeFirst()
        let (milliseconds, isOver) = try await run.disturb(event)
        pauses.append((event, milliseconds))
        if event == "freeze", !isOver { try await checkOldPrimary(run) }
        // Then there was no old primary to ask.
        if event == "freeze", isOver { next.append(event) }
        if !isOver { try ask("heal") }
        if event == "freeze" { try await run.compare(after: event, lastSteps: lastSteps) }
        try await run.goOn(for: isLong ? .seconds(10) : .milliseconds(500))
        try await run.compare(after: event, lastSteps: lastSteps)
        let times = milliseconds.map { "\($0) ms" }.joined(separator: ", ")
        print("\(event): \(times)\(isOver ? ", once the old primary was back" : ""); \(run.summary)")
        fflush(nil)
      }
    } while isLong && run.acceptances < 100_000
    try run.end()
    let end = "none of \(run.summary) was lost or doubled in \(pauses.count) failovers"
    let longest = Dictionary(grouping: pauses, by: \.event).map { event, pauses in
      "\(event) \((pauses.flatMap(\.milliseconds).max() ?? 0) / 1000) s"
    }
    if !isLong { try await checkEarlyAnswers(urls) }
    return "\(end); longest pauses: \(longest.sorted().joined(separator: ", ")) (seed \(seed))"
  }

  /// Asks the parent process for a disturbance.
  @discardableResult
  static func ask(_ disturbance: String) throws -> String {
    report("? \(disturbance)")
    let words = (readLine() ?? "").split(separator: " ")
    guard words.count == 2, words[0] == "done" else { throw Wrong(description: "\(disturbance) was not made") }
    return String(words[1])
  }

  /// Submits codes that were accepted on the new primary to the old one, which does not know of the failover: since its
  /// standbys are gone, it can answer nothing. Without synchronous standbys it would accept them again.
  private static func checkOldPrimary(_ run: FailOverRun) async throws {
    let port = try ask("thaw")
    let url = "user=otp dbname=postgres sslmode=disable host=127.0.0.1 port=\(port)"
    let users = run.urls.indices.flatMap { FailOverHosts.users(of: FailOverRun.name($0)) }
    let (some, others) = (users.prefix(users.count / 2), users.suffix(users.count / 2))
    let ends = try await run.offerLast(to: some, at: url)
    try require(ends.allSatisfy { $0 == .internalError }, "an old primary answered: \(ends)")
    // The hosts may use it too, from connections that they had, or as the first of their URL.
    try await run.stop()
    try ask("uncover")
    let doubled = try await run.offerLast(to: others, at: url)
    try require(
      doubled.contains { $0 == nil }, "two primaries that do not wait for standbys accepted no code twice: \(doubled)")
    print(
      "an old primary answered none of \(ends.count) sign-ins; "
        + "without synchronous standbys it accepted \(doubled.count { $0 == nil }) codes for the second time")
  }

  /// Hosts that answer before a commit must be noticed, but only when the primary is killed.
  private static func checkEarlyAnswers(_ urls: [String]) async throws {
    let run = try await FailOverRun(urls, isEarly: true)
    try await run.goOn(for: .seconds(1))
    try await run.compare(after: "nothing", lastSteps: lastSteps)
    // Until they have answered again.
    try await run.goOn(for: .seconds(1))
    do {
      _ = try await run.disturb("kill")
      try await run.compare(after: "kill", lastSteps: lastSteps)
    } catch let fault as Wrong {
      print("hosts that answer before the commit are noticed: \(fault)")
      run.kill()
      return
    }
    throw Wrong(description: "hosts that answer before the commit are not noticed")
  }
}
