import Foundation
import OTP
import Testing

@testable import MultiFactor

/// One sequence of random operations, done on the product and on the model of its rules beside each other.
struct Walk {
  let host: Host
  var random: SeededGenerator
  var model: RuleModel
  /// Sign-ins that are done and under way, as the product has them and as the model has.
  var users: [(real: User, model: RuleModel.SignIn)] = []
  var resolvers: [(real: MultiFactorResolver, model: RuleModel.SignIn)] = []
  /// Every app there ever was, those that were removed included.
  var apps: [RuleModel.App] = []
  /// Secrets that were or are being enrolled.
  var enrollments: [(real: TOTPSecret, model: RuleModel.Enrollment)] = []
  var usedCodes: [String] = []
  var knownRecoveryCodes: [String] = []
  /// How often each operation ended in each way, so that a test can see that it has seen everything.
  private(set) var outcomes: [String: Int] = [:]

  init(seed: UInt64, on kind: StoreKind) async throws {
    random = SeededGenerator(seed: seed)
    host = try await Host(
      kind, configuration: MultiFactorConfiguration(providerConfigs: [.totp(adjacentIntervals: 2)]),
      random: .seeded(seed))
    model = RuleModel(clock: Int64(host.clock.now.timeIntervalSince1970))
  }

  mutating func run(operations: Int) async throws {
    // Most sequences begin as most users do.
    try await signIn()
    for _ in 0..<random.pick([0, 1, 1, 1, 1, 1, 2, 5]) { try await enroll() }
    for index in 0..<operations {
      switch random.next() % 22 {
      case 0...2: moveClock()
      case 3, 4: try await signIn()
      case 5...10: try await resolveByApp()
      case 11: try await resolveByRecoveryCode()
      case 12: try await enroll(wrongly: random.next() % 4 == 0)
      case 13: try await enrollLater()
      case 14: try await unenroll()
      case 15: try await makeRecoveryCodes()
      case 16: try await requireSecondFactor()
      case 17: try await guessOften()
      case 18: try await reload()
      case 19: try await restore()
      case 20: if random.next() % 3 == 0 { try await unlock() }
      default: if random.next() % 4 == 0 { try await revoke() }
      }
      try await compareState(index)
    }
  }
}

// The operations.
extension Walk {
  private mutating func moveClock() {
    let seconds = random.pick([1, 1, 2, 5, 29, 30, 30, 31, 60, 90, 299, 301, 601, 3601, -1, -30, -60, -400, -4000])
    host.clock.advance(by: TimeInterval(seconds))
    model.clock += Int64(seconds)
  }

  private mutating func signIn() async throws {
    let expected = model.signIn()
    do {
      users.append((try await host.auth.signIn(Host.alice, firstFactor: .password).user, expected))
      try expect(nil, model.apps.isEmpty ? nil : .secondFactorRequired, "sign in")
    } catch let error as AuthError {
      try expect(error.code, model.apps.isEmpty ? nil : .secondFactorRequired, "sign in")
      resolvers.append((try #require(error.resolver), expected))
    }
  }

  private mutating func resolveByApp() async throws {
    guard !apps.isEmpty else { return }
    // The last ones more often: what is old is mostly refused.
    let app = random.next() % 4 == 0 ? random.pick(apps) : random.pick(model.apps.isEmpty ? apps : model.apps)
    let code: String
    switch random.next() % 8 {
    case 0 where !usedCodes.isEmpty: code = random.pick(usedCodes)
    case 1: code = String(100_000 + Int(random.next() % 900_000))
    case 2: code = try self.code(of: app, random.pick([-4, -3, 3, 4]))
    default: code = try self.code(of: app, random.pick([-2, -1, 0, 0, 0, 1, 2]))
    }
    try await resolve(app.uid, code)
  }

  /// What somebody does who has the first factor and not the second.
  private mutating func guessOften() async throws {
    guard let app = model.apps.first else { return }
    let isByRecoveryCode = !model.recoveryCodes.isEmpty && random.next() % 3 == 0
    for _ in 0..<Int(random.next() % 12) {
      if isByRecoveryCode {
        try await resolve(recoveryCode: "AAAA-BBBB-CCCC-DDDD")
      } else {
        try await resolve(app.uid, code(of: app, 9))
      }
      if random.next() % 2 == 0 {
        let seconds = random.pick([1, 2, 4, 8, 16, 32, 40])
        host.clock.advance(by: TimeInterval(seconds))
        model.clock += Int64(seconds)
      }
    }
  }

  private mutating func resolve(_ uid: String, _ code: String) async throws {
    try await resolve(
      "resolve",
      TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: code)
    ) { model, signIn in model.resolve(&signIn, uid: uid, code: code) }
    usedCodes.append(code)
  }

  private mutating func resolveByRecoveryCode() async throws {
    let isWrong = knownRecoveryCodes.isEmpty || random.next() % 4 == 0
    try await resolve(recoveryCode: isWrong ? "AAAA-BBBB-CCCC-DDDD" : random.pick(knownRecoveryCodes))
  }

  private mutating func resolve(recoveryCode code: String) async throws {
    try await resolve("recover", RecoveryCodeMultiFactorGenerator.assertionForSignIn(recoveryCode: code)) {
      model, signIn in model.resolve(&signIn, recoveryCode: code)
    }
  }

  private mutating func resolve(
    _ name: String, _ assertion: MultiFactorAssertion,
    _ expected: (inout RuleModel, inout RuleModel.SignIn) -> AuthError.Code?
  ) async throws {
    if resolvers.isEmpty || random.next() % 3 == 0 { try await signIn() }
    guard !resolvers.isEmpty else { return }
    let index = random.next() % 4 == 0 ? Int(random.next() % UInt64(resolvers.count)) : resolvers.count - 1
    var signIn = resolvers[index].model
    let expected = expected(&model, &signIn)
    let resolver = resolvers[index].real
    var user: User?
    let code = await errorCode { user = try await resolver.resolveSignIn(with: assertion).user }
    try expect(code, expected, name)
    if let user { users.append((user, signIn)) }
  }

  private mutating func unlock() async throws {
    let uid = random.pick(apps.map(\.uid) + [RecoveryCodeMultiFactorID])
    let auth = host.auth
    let refusal = await errorCode { try await auth.admin.unlock(uid, of: Host.alice.id) }
    try expect(refusal, model.unlock(uid: uid), "unlock")
  }

  private mutating func revoke() async throws {
    try await host.auth.admin.revokeHandles(of: Host.alice.id)
    model.revoke()
  }
}

// What they have in common.
extension Walk {
  /// A sign-in that is done, one of the latest more often.
  mutating func pickUser() -> Int? {
    if users.isEmpty { return nil }
    return random.next() % 4 == 0 ? Int(random.next() % UInt64(users.count)) : users.count - 1
  }

  func code(of app: RuleModel.App, _ steps: Int64) throws -> String {
    try app.totp.code(at: model.clock + 30 * steps).description
  }

  /// A difference between the product and the model.
  struct Difference: Error, CustomStringConvertible { let description: String }

  mutating func expect(_ code: AuthError.Code?, _ expected: AuthError.Code?, _ name: String) throws {
    outcomes["\(name): \(code.map { "\($0)" } ?? "done")", default: 0] += 1
    guard code == expected else {
      throw Difference(
        description: "\(name) ended in \(String(describing: code)), by the rules in \(String(describing: expected))")
    }
  }

  /// The product holds what the model holds, whatever it answered.
  private func compareState(_ index: Int) async throws {
    for (real, model) in users {
      guard real.claims.secondFactorIdentifier == model.proof?.uid else {
        throw Difference(description: "after operation \(index) a handle claims \(real.claims), not \(model)")
      }
    }
    let account = try await host.account(Host.alice.id)
    guard account.factors.map(\.uid) == model.apps.map(\.uid),
      account.factors.map(\.lastAccepted) == model.apps.map(\.lastStep),
      account.factors.map({ Int($0.attempts.failures) }) == model.apps.map(\.guesses.failures),
      account.generation == UInt64(model.generation), account.recoveryCodes.count == model.recoveryCodes.count,
      account.recoveryCodes.isEmpty || Int(account.recoveryAttempts.failures) == model.recoveryGuesses.failures
    else { throw Difference(description: "after operation \(index) the store holds \(account), not \(model)") }
  }
}

extension SecureRandom {
  /// A source that is the same for the same seed.
  fileprivate static func seeded(_ seed: UInt64) -> SecureRandom {
    let generator = Locked(SeededGenerator(seed: seed))
    return unsafe SecureRandom { bytes in
      generator.withLock { generator in
        for index in bytes.indices { unsafe bytes[index] = UInt8(truncatingIfNeeded: generator.next()) }
      }
      return true
    }
  }
}
