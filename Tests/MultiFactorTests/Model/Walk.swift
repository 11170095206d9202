import FactorRecord
import Foundation
import MultiFactorBrowsers
import MultiFactorOperations
import OTP
import SharedFixtures
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// One sequence of random operations, performed on the product and on the model of its rules side by side.
struct Walk {
  let host: Host
  var random: SeededGenerator
  var model: RuleModel
  /// Sign-ins, completed and under way, each as the product and as the model has it.
  var users: [(real: User, model: RuleModel.SignIn)] = []
  var resolvers: [(real: MultiFactorResolver, model: RuleModel.SignIn)] = []
  /// Every device so far, including those whose factors were removed.
  var devices: [RuleModel.Device] = []
  /// How many steps each device's clock is ahead, by its factor.
  private var clocks: [String: Int64] = [:]
  /// Devices whose enrollment has begun, each with the code that is typed for it.
  var enrollments: [(assertion: (String) -> MultiFactorAssertion, model: RuleModel.Enrollment)] = []
  /// Sent codes, including those that were answered or have expired.
  var messages: [RuleModel.Message] = []
  /// Handles' sessions in which numbers can be enrolled.
  var sessions: [(real: MultiFactorSession, model: RuleModel.SignIn)] = []
  /// The store's number for each of the model's generations.
  private var generations: [RuleModel.Generation: UInt64] = [:]
  var usedCodes: [String] = []
  /// What browsers were given, including those that were forgotten.
  var browserTokens: [String] = []
  var knownRecoveryCodes: [String] = []
  /// How often each operation ended in each way, so that a test can check that every outcome has occurred.
  var outcomes: [String: Int] = [:]

  init(seed: UInt64, on kind: StoreKind) async throws {
    random = SeededGenerator(seed: seed)
    let limits = RuleModel.Limits(locksForGood: seed.isMultiple(of: 2), ofAccount: seed.isMultiple(of: 2) ? 15 : 200)
    let limit = limits.locksForGood ? try AttemptLimit(lockDuration: nil) : .standard
    host = try await Host(
      kind,
      configuration: MultiFactorConfiguration(
        providerConfigs: [.totp(adjacentIntervals: 2), .phone()], attemptLimit: limit,
        accountFailuresUntilLock: limits.ofAccount),
      browserLifetime: .seconds(RuleModel.Browser.lifetime), random: .seeded(seed))
    model = RuleModel(limits: limits, clock: Int64(host.clock.now.timeIntervalSince1970))
  }

  mutating func run(operations: Int) async throws {
    // Most sequences begin with an enrollment, as most users do.
    try await signIn()
    for _ in 0..<random.pick([0, 1, 1, 1, 1, 1, 2, 5]) { try await enroll() }
    for index in 0..<operations {
      switch random.next() % 38 {
      case 0...2: moveClock()
      case 3, 4: try await signIn()
      case 5...9: try await resolveByDevice()
      case 10: try await resynchronize()
      case 11: try await resolveByRecoveryCode()
      case 12: try await enroll(wrongly: random.next() % 4 == 0)
      case 13: try await enrollLater()
      case 14: try await unenroll()
      case 15: try await makeRecoveryCodes()
      case 16: try await requireSecondFactor()
      case 17, 18: try await guessOften()
      case 19: try await reload()
      case 20: try await restore()
      case 21: if random.next() % 3 == 0 { try await unlock() }
      case 22: if random.next() % 2 == 0 { drift() }
      case 23, 24: try await enrollPhone()
      case 25...27: try await resolveByPhone()
      case 28, 29: try await importFactor()
      case 30: if random.next() % 3 == 0 { try await overwriteFactors() }
      case 31: try await removeFactor()
      case 32: if random.next() % 4 == 0 { try await random.next() % 2 == 0 ? removeRecoveryCodes() : deleteUser() }
      case 33: try await rememberBrowser()
      case 34, 35: try await signInFromBrowser()
      case 36: if random.next() % 2 == 0 { try await forgetBrowser() }
      default: if random.next() % 4 == 0 { try await revoke() }
      }
      if model.failures >= model.limits.ofAccount { outcomes["account locked", default: 0] += 1 }
      try await compareState(index)
      // Not each time: it takes as long as everything else.
      if index % 8 == 7 { try await compareBrowsers(index) }
    }
  }
}

// Operations of sign-ins.
extension Walk {
  private mutating func moveClock() {
    advance(by: random.pick([1, 1, 2, 5, 29, 30, 30, 31, 60, 90, 299, 301, 601, 3601, -1, -30, -60, -400, -4000]))
  }

  mutating func advance(by seconds: Int64) {
    host.clock.advance(by: TimeInterval(seconds))
    model.clock += seconds
  }

  private mutating func drift() {
    guard let device = devices.randomElement(using: &random) else { return }
    clocks[device.uid] = random.pick([-1510, -1400, -20, -3, 0, 3, 20, 1400, 1510])
  }

  mutating func signIn() async throws {
    let expected = model.signIn()
    do {
      users.append((try await host.auth.signIn(Host.alice, firstFactor: .password).user, expected))
      try expect(nil, model.devices.isEmpty ? nil : .secondFactorRequired, "sign in")
    } catch let error as AuthError {
      try expect(error.code, model.devices.isEmpty ? nil : .secondFactorRequired, "sign in")
      resolvers.append((try #require(error.resolver), expected))
    }
  }

  private mutating func resolveByDevice() async throws {
    guard let device = pickDevice(), let shown = try code(of: device, random.pick([-2, -1, 0, 0, 0, 1, 2])) else {
      return
    }
    let code: String
    switch random.next() % 8 {
    case 0 where !usedCodes.isEmpty: code = random.pick(usedCodes)
    case 1: code = String(100_000 + Int(random.next() % 900_000))
    case 2: code = try self.code(of: device, random.pick([-4, -3, 3, 4, 11])) ?? shown
    default: code = shown
    }
    try await resolve("resolve", device, [code])
  }

  private mutating func resynchronize() async throws {
    guard let device = pickDevice() else { return }
    // The previous code of the device, and the one that it shows.
    let first: Int64 = random.pick([-1, -1, -1, -1, -2, 60, 99, 101])
    var codes = try (0..<random.pick([2, 2, 3])).compactMap { try code(of: device, first + Int64($0)) }
    if codes.isEmpty { return }
    if random.next() % 4 == 0 { codes.swapAt(0, 1) }
    if random.next() % 8 == 0, !usedCodes.isEmpty { codes[0] = random.pick(usedCodes) }
    try await resolve("resynchronize", device, codes)
  }

  /// Guesses, as an attacker would who has the first factor but not the second.
  private mutating func guessOften() async throws {
    guard !model.devices.isEmpty else { return }
    for _ in 0..<Int(random.next() % 16) {
      if !model.recoveryCodes.isEmpty, random.next() % 4 == 0 {
        try await resolve(recoveryCode: "AAAA-BBBB-CCCC-DDDD-EEEE-FFFF")
      } else {
        let device = random.pick(model.devices)
        try await guess(device)
      }
      if random.next() % 2 == 0 { advance(by: random.pick([1, 2, 4, 8, 16, 32, 40])) }
    }
  }

  private mutating func guess(_ device: RuleModel.Device) async throws {
    if let code = try code(of: device, 200) {
      try await resolve("resolve", device, [code])
    } else if let message = messages.last(where: { $0.uid == device.uid }) {
      try await resolve("answer", message, otherCode(than: message.code))
    }
  }

  private mutating func resolve(_ name: String, _ device: RuleModel.Device, _ codes: [String]) async throws {
    let uid = device.uid
    let assertion =
      switch device.codes {
      case .byMessage,
        .byTime where codes.count == 1:
        TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: codes[0])
      case .byTime:
        TOTPMultiFactorGenerator.assertionForResynchronization(withEnrollmentID: uid, oneTimePasswords: codes)
      case .byCounter where codes.count == 1:
        HOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: codes[0])
      case .byCounter:
        HOTPMultiFactorGenerator.assertionForResynchronization(withEnrollmentID: uid, oneTimePasswords: codes)
      }
    let locked = model.devices.filter { $0.guesses.failures >= 10 && $0.uid != uid }.map(\.uid)
    try await resolve(name, assertion) { model, signIn in model.resolve(&signIn, by: device, codes: codes) }
    if model.devices.contains(where: { locked.contains($0.uid) && $0.guesses.failures == 0 }) {
      outcomes["unlocked by another", default: 0] += 1
    }
    usedCodes += codes
  }

  private mutating func resolveByRecoveryCode() async throws {
    let isWrong = knownRecoveryCodes.isEmpty || random.next() % 4 == 0
    try await resolve(recoveryCode: isWrong ? "AAAA-BBBB-CCCC-DDDD-EEEE-FFFF" : random.pick(knownRecoveryCodes))
  }

  private mutating func resolve(recoveryCode code: String) async throws {
    try await resolve("recover", RecoveryCodeMultiFactorGenerator.assertionForSignIn(recoveryCode: code)) {
      model, signIn in model.resolve(&signIn, recoveryCode: code)
    }
  }

  mutating func resolve(
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
}

// What the operations share.
extension Walk {
  /// A completed sign-in, more often a recent one.
  mutating func pickUser() -> Int? {
    if users.isEmpty { return nil }
    return random.next() % 4 == 0 ? Int(random.next() % UInt64(users.count)) : users.count - 1
  }

  /// A device, mostly one whose factor is enrolled, since a removed one is mostly refused.
  private mutating func pickDevice() -> RuleModel.Device? {
    if devices.isEmpty { return nil }
    return random.next() % 4 == 0 || model.devices.isEmpty ? random.pick(devices) : random.pick(model.devices)
  }

  /// The code that a device shows this many steps or presses later; `nil` for a phone.
  func code(of device: RuleModel.Device, _ places: Int64) throws -> String? {
    switch device.codes {
    case .byTime(let totp):
      return try totp.code(at: model.clock + 30 * (clocks[device.uid, default: 0] + places)).description
    case .byCounter(let hotp):
      let next = model.devices.first { $0.uid == device.uid }?.next ?? 0
      return try hotp.code(counter: UInt64(max(0, Int64(next) + places))).description
    case .byMessage: return nil
    }
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

  /// Checks that the product holds what the model holds, whatever the operation's outcome.
  private mutating func compareState(_ index: Int) async throws {
    for (real, model) in users {
      let claims = real.claims
      guard claims.secondFactorIdentifier == model.proof?.uid, claims.secondFactor == model.proof?.kind else {
        throw Difference(description: "after operation \(index) a handle claims \(claims), not \(model)")
      }
    }
    let account = try await host.account(Host.alice.id)
    let phone = try await host.phoneDocument(Host.alice.id)
    let challenges = phone.challenges.filter {
      $0.answer != nil && $0.generation == account.generation && phone.documentTime(at: host.clock.now) < $0.expiry
        && host.clock.now < $0.end
    }
    let past = account.pastFactors.map {
      "\($0.uid) \($0.enrollmentDate.unixSeconds) \($0.removalDate.unixSeconds)"
    }
    guard account.factors.map(\.uid) == model.devices.map(\.uid),
      account.factors.map(\.lastAccepted) == model.devices.map(\.last),
      account.factors.map({ Int64($0.drift.found) }) == model.devices.map(\.ahead),
      account.factors.map({ Int($0.attempts.failures) }) == model.devices.map(\.guesses.failures),
      account.factors.map(\.enrollmentDate.unixSeconds) == model.devices.map(\.enrolled),
      challenges.map(\.tries) == model.liveMessages.map(\.tries),
      challenges.map(\.expiry.unixSeconds) == model.liveMessages.map(\.expiry),
      isSame(account.generation), Int(account.failures) == model.failures,
      account.recoveryCodes == model.recoveryCodes.keys.sorted(),
      account.recovery?.failures ?? 0 == model.recoveryGuesses.failures, past == model.past
    else { throw Difference(description: "after operation \(index) the store holds \(account), not \(model)") }
  }

  /// Checks that the model's generations correspond one to one to the store's.
  private mutating func isSame(_ generation: UInt64) -> Bool {
    if let known = generations[model.generation] { return known == generation }
    let isNew = !generations.values.contains(generation)
    generations[model.generation] = generation
    return isNew
  }
}
