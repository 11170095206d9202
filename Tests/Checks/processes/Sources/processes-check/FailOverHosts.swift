import Foundation
import MultiFactor
import MultiFactorPostgreSQL

/// The hosts that sign users in while a failover manager moves the primary.
enum FailOverHosts {
  /// In the year 2065: no code of these steps could be accepted before a failover of today, so only commits that wait
  /// for a standby prevent that one is accepted twice.
  static let firstStep: Int64 = 100_000_000
  /// Consecutive failures lock a factor at 100.
  private static let failuresOfARound = 60

  /// Users whom only one host signs in, those who only submit wrong codes, and those whom all hosts sign in.
  static func users(of name: String) -> [String] { (0..<16).map { "\(name)-\($0)" } }
  static func failing(of name: String) -> [String] { (0..<4).map { "\(name)-failing-\($0)" } }
  static let shared = (0..<4).map { "shared-\($0)" }

  /// The child process. On the line `stop` it completes what it has begun and reports `stopped`, until the line `go`;
  /// it ends when its driver closes the other end.
  ///
  /// - Parameters:
  ///   - start: The time of the shared users' first step, in milliseconds.
  ///   - isEarly: A planted fault: whether it answers before a commit.
  static func work(_ url: String, _ folder: String, name: String, start: Int64, isEarly: Bool) async throws {
    let durable = try await openStore(at: url, in: folder, isNew: false, waitingSeconds: isEarly ? 1 : 30)
    let store: any FactorStore = isEarly ? EarlyStore(durable) : durable
    let keyring = try Keyring(file: folder + "/keyring.json")
    let own = users(of: name)
    let failing = isEarly ? [] : failing(of: name)
    let shared = isEarly ? [] : shared
    let gate = Gate(tasks: own.count + failing.count + shared.count)
    gate.obeyStandardInput()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for user in own { group.addTask { try await signIn(user, store, keyring, gate) } }
      for user in failing { group.addTask { try await fail(user, store, keyring, gate) } }
      for user in shared { group.addTask { try await share(user, store, keyring, gate, start: start) } }
      try await group.waitForAll()
    }
  }

  /// Submits a wrong code, the right one, and the right one again, at one step after another.
  private static func signIn(_ user: String, _ store: any FactorStore, _ keyring: Keyring, _ gate: Gate) async throws {
    let now = Kills.Step(firstStep)
    let server = try await server(store, keyring, now)
    while true {
      let right = try Server.code(at: now.value)
      for code in [right == "000000" ? "000001" : "000000", right, right] {
        guard await gate.pass() else { return }
        try await offer(code, isRight: code == right, to: server, user, now.value)
      }
      now.value += 1
    }
  }

  /// Submits wrong codes.
  private static func fail(_ user: String, _ store: any FactorStore, _ keyring: Keyring, _ gate: Gate) async throws {
    let server = try await server(store, keyring, Kills.Step(firstStep))
    let code = try Server.code(at: firstStep) == "000000" ? "000001" : "000000"
    var (round, failures) = (0, 0)
    while await gate.pass() {
      // The driver has signed the user in since.
      if gate.round != round { (round, failures) = (gate.round, 0) }
      if failures < failuresOfARound { try await offer(code, isRight: false, to: server, user, firstStep) }
      failures += 1
      try await Task.sleep(for: .milliseconds(Int.random(in: 0..<600)))
    }
  }

  /// Submits the same codes as the other hosts, at about the same time.
  private static func share(
    _ user: String, _ store: any FactorStore, _ keyring: Keyring, _ gate: Gate, start: Int64
  ) async throws {
    let now = Kills.Step(firstStep)
    let server = try await server(store, keyring, now)
    while await gate.pass() {
      let milliseconds = Date.now.timeIntervalSince1970 * 1000 - Double(start)
      now.value = firstStep + Int64(milliseconds / 100)
      try await offer(Server.code(at: now.value), isRight: true, to: server, user, now.value)
      try await Task.sleep(for: .milliseconds(100 - milliseconds.truncatingRemainder(dividingBy: 100)))
    }
  }

  /// A server whose clock is at a step.
  private static func server(_ store: any FactorStore, _ keyring: Keyring, _ now: Kills.Step) async throws -> Server {
    try await Server(store, keyring) { now.value * 30 }
  }

  private static func offer(
    _ code: String, isRight: Bool, to server: Server, _ user: String, _ step: Int64
  ) async throws {
    let kind = isRight ? "right" : "wrong"
    switch try await server.signInOrFail(user, code) {
    case nil: report("accepted \(user) \(step) \(kind)")
    case .invalidVerificationCode: report("refused \(user) \(step) \(kind)")
    // A sign-in of a shared user expires if another host, at a later step, was faster.
    case .internalError, .sessionExpired:
      report("unknown \(user) \(step) \(kind)")
      try await Task.sleep(for: .milliseconds(50))
    case let end?: throw Wrong(description: "\(user): a sign-in failed with \(end)")
    }
  }

  /// What the driver tells a host.
  private final class Gate: @unchecked Sendable {
    private let lock = NSLock()
    private let tasks: Int
    private var (isClosed, isOver, resting, rounds) = (false, false, 0, 0)

    init(tasks: Int) { self.tasks = tasks }

    /// How often it was opened again.
    var round: Int { lock.withLock { rounds } }

    func obeyStandardInput() {
      Thread.detachNewThread { [self] in
        while let line = readLine() {
          lock.withLock {
            isClosed = line == "stop"
            if !isClosed { rounds += 1 }
          }
        }
        lock.withLock { isOver = true }
      }
    }

    /// Waits while the gate is closed.
    ///
    /// - Returns: Whether to go on.
    func pass() async -> Bool {
      let waits = lock.withLock {
        if isClosed {
          resting += 1
          if resting == tasks { report("stopped") }
        }
        return isClosed
      }
      guard waits else { return lock.withLock { !isOver } }
      while lock.withLock({ isClosed && !isOver }) { try? await Task.sleep(for: .milliseconds(10)) }
      return lock.withLock {
        resting -= 1
        return !isOver
      }
    }
  }
}

/// A planted fault: a store that answers before the commit, which it makes afterward.
private actor EarlyStore: FactorStore {
  private let base: PostgreSQLFactorStore
  private var commits: [DocumentKey: Task<Void, Never>] = [:]

  init(_ base: PostgreSQLFactorStore) { self.base = base }

  func read(_ key: DocumentKey) async throws -> StoredDocument {
    await commits[key]?.value
    return try await base.read(key)
  }

  func change<R: Sendable>(
    _ key: DocumentKey, _ change: @escaping @Sendable (inout StoredDocument) throws -> R
  ) async throws -> R {
    let old = try await read(key)
    var new = old
    let result = try change(&new)
    let bytes = new.bytes
    guard bytes != old.bytes else { return result }
    commits[key] = Task { [base] in
      // At random, so that the users do not sign in in step: then a kill could find none of them just accepted.
      try? await Task.sleep(for: .milliseconds(Int.random(in: 0..<100)))
      try? await base.update(key) { $0 = bytes }
    }
    return result
  }

  func keys(after key: DocumentKey?, limit: Int) async throws -> [DocumentKey] {
    try await base.keys(after: key, limit: limit)
  }
}
