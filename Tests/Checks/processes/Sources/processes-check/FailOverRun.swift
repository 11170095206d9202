import Foundation
import MultiFactor

/// Two hosts at work, and what they have answered.
final class FailOverRun {
  /// What a user's attempts were answered with.
  private struct Answers {
    var accepted: Set<Int64> = []
    /// Steps whose right code got no answer.
    var unknown: Set<Int64> = []
    /// The number of failures that may be stored, since the last acceptance.
    var failures = 0...0
    /// The acceptances since the last disturbance.
    var latest = 0

    mutating func record(_ line: String) throws {
      let words = line.split(separator: " ")
      guard words.count == 4, let step = Int64(words[2]) else { throw Wrong(description: "the line \(line)") }
      switch (words[0], words[3]) {
      case ("accepted", "right"):
        try require(accepted.insert(step).inserted, "\(line), for the second time")
        failures = 0...0
        latest += 1
      case ("refused", _): failures = failures.lowerBound + 1...failures.upperBound + 1
      case ("unknown", "right"):
        unknown.insert(step)
        failures = 0...failures.upperBound + 1
      case ("unknown", "wrong"): failures = failures.lowerBound...failures.upperBound + 1
      default: throw Wrong(description: line)
      }
    }
  }

  let urls: [String]
  private let isEarly: Bool
  private let folder: Folder
  private let keyring: Keyring
  private let stores: [any FactorStore]
  private let hosts: [Child]
  private var answers: [String: Answers] = [:]
  private var refused = 0
  /// Whether the hosts were told to stop, and how many have.
  private var (isStopped, stopped) = (false, 0)

  static func name(_ index: Int) -> String { ["a", "b"][index] }

  init(_ urls: [String], isEarly: Bool) async throws {
    let (folder, start) = (try Folder(), Int64(Date.now.timeIntervalSince1970 * 1000))
    keyring = try Keyring.create(file: folder.path + "/keyring.json")
    var stores = [try await openStore(at: urls[0], in: folder.path, isNew: true)]
    for url in urls.dropFirst() { stores.append(try await openStore(at: url, in: folder.path, isNew: false)) }
    let server = try await Server(stores[0], keyring) { FailOverHosts.firstStep * 30 }
    let names = urls.indices.map(Self.name)
    for user in names.flatMap({ FailOverHosts.users(of: $0) + FailOverHosts.failing(of: $0) }) + FailOverHosts.shared {
      try await server.prepare(user)
      answers[user] = Answers()
    }
    hosts = try zip(urls, names).map { url, name in
      try Child(["host", url, folder.path, name, "\(start)"] + (isEarly ? ["early"] : []))
    }
    (self.urls, self.isEarly, self.folder, self.stores) = (urls, isEarly, folder, stores)
    try await require(awaitSignIns(for: .seconds(60)), "sign-ins do not start")
  }

  var acceptances: Int { answers.values.reduce(0) { $0 + $1.accepted.count } }

  var summary: String {
    let unknown = answers.values.reduce(0) { $0 + $1.unknown.subtracting($1.accepted).count }
    return "\(acceptances) sign-ins and \(refused) failures (\(unknown) sign-ins had no answer)"
  }

  /// Has the parent process make a disturbance, and waits until both hosts sign all of their users in again. With the
  /// primary gone, the last standby may have to be rewound, and wait for the log of commits that wait for it; then the
  /// disturbance is ended first.
  ///
  /// - Returns: For each host, the longest time between two sign-ins, in milliseconds; whether they went on by themselves.
  func disturb(_ event: String) async throws -> (pauses: [Double], isOver: Bool) {
    for host in hosts { host.forgetPauses() }
    try FailOvers.ask(event)
    let goesOn = try await awaitSignIns(for: .seconds(40))
    if !goesOn {
      try FailOvers.ask("heal")
      try await require(awaitSignIns(for: .seconds(120)), "\(event): sign-ins do not go on")
    }
    return (hosts.map { ($0.longestPause / .milliseconds(1)).rounded() }, !goesOn)
  }

  /// - Returns: Whether both hosts have signed all of their users in within a time.
  private func awaitSignIns(for duration: Duration) async throws -> Bool {
    try absorb()
    for user in answers.keys { answers[user]?.latest = 0 }
    let start = ContinuousClock.now
    let users = urls.indices.flatMap { FailOverHosts.users(of: Self.name($0)) }
    while !users.allSatisfy({ (answers[$0]?.latest ?? 0) >= 3 }) {
      guard ContinuousClock.now - start < duration else { return false }
      try await goOn(for: .milliseconds(5))
    }
    return true
  }

  func goOn(for duration: Duration) async throws {
    try await Task.sleep(for: duration)
    try absorb()
  }

  private func absorb() throws {
    for host in hosts {
      try require(host.isRunning, "a host failed")
      for line in host.takeLines() {
        if line == "stopped" {
          stopped += 1
        } else {
          let user = String(line.split(separator: " ").dropFirst().first ?? "")
          if line.hasPrefix("refused") { refused += 1 }
          try answers[user, default: Answers()].record(line)
        }
      }
    }
  }

  /// Has the hosts complete what they have begun, and wait.
  func stop() async throws {
    guard !isStopped else { return }
    isStopped = true
    stopped = 0
    for host in hosts { host.send("stop") }
    let start = ContinuousClock.now
    while stopped < hosts.count {
      try require(ContinuousClock.now - start < .seconds(60), "the hosts do not stop")
      try await goOn(for: .milliseconds(5))
    }
  }

  /// Stops the hosts, compares their answers with what is stored, submits each user's last accepted codes again through
  /// each host's URL, and lets the hosts go on.
  func compare(after event: String, lastSteps: Int) async throws {
    try await stop()
    // Until its hosts have made the commits that they have answered for.
    if isEarly { try await goOn(for: .seconds(2)) }
    for user in answers.keys.sorted() {
      guard let answer = answers[user] else { continue }
      let tally = try await Server(stores[0], keyring) { FailOverHosts.firstStep * 30 }.tally(of: user)
      let possible = answer.accepted.count...answer.accepted.union(answer.unknown).count
      // The hosts' answers about shared users are in no order.
      let isCounted = FailOverHosts.shared.contains(user) || answer.failures.contains(tally.failures)
      try require(
        possible.contains(tally.acceptances) && isCounted,
        "\(event): \(user): \(tally) is stored after \(possible), \(answer.failures)")
    }
    try await offerAgain(after: event, lastSteps: lastSteps)
    try await resetFailing()
    for host in hosts { host.send("go") }
    isStopped = false
  }

  /// Submits each user's last accepted codes again, through each host's URL.
  private func offerAgain(after event: String, lastSteps: Int) async throws {
    try await withThrowingTaskGroup(of: (user: String, step: Int64, end: AuthError.Code?).self) { group in
      for (user, answer) in answers {
        for step in answer.accepted.sorted().suffix(lastSteps) {
          for store in stores {
            group.addTask { [keyring] in (user, step, try await Self.offer(step, to: user, store, keyring)) }
          }
        }
      }
      for try await (user, step, end) in group {
        try require(end == .invalidVerificationCode, "\(event): \(user): step \(step) ended in \(describe(end))")
        try answers[user]?.record("refused \(user) \(step) right")
      }
    }
  }

  /// Signs those in who only submit wrong codes, at their next steps.
  private func resetFailing() async throws {
    for user in urls.indices.flatMap({ FailOverHosts.failing(of: Self.name($0)) }) {
      let step = (answers[user]?.accepted.max() ?? FailOverHosts.firstStep) + 1
      let end = try await Self.offer(step, to: user, stores[0], keyring)
      try require(end == nil, "\(user): step \(step) ended in \(describe(end))")
      try answers[user]?.record("accepted \(user) \(step) right")
    }
  }

  /// Submits users' last accepted codes to the server at a URL, all at once.
  func offerLast(to users: some Sequence<String>, at url: String) async throws -> [AuthError.Code?] {
    try absorb()
    let store = try await openStore(at: url, in: folder.path, isNew: false)
    return try await withThrowingTaskGroup(of: AuthError.Code?.self) { group in
      for user in users {
        guard let step = answers[user]?.accepted.max() else { throw Wrong(description: "\(user) was not signed in") }
        group.addTask { [keyring] in try await Self.offer(step, to: user, store, keyring) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  private static func offer(
    _ step: Int64, to user: String, _ store: any FactorStore, _ keyring: Keyring
  ) async throws -> AuthError.Code? {
    try await Server(store, keyring) { step * 30 }.signInOrFail(user, Server.code(at: step))
  }

  private func describe(_ end: AuthError.Code?) -> String { end.map { "\($0)" } ?? "accepted" }

  /// Ends the hosts.
  func end() throws {
    for host in hosts { host.begin() }
    try require(hosts.map { $0.wait() }.allSatisfy(\.isWell), "a host failed")
  }

  func kill() {
    for host in hosts { host.kill() }
    for host in hosts { _ = host.wait() }
  }
}
