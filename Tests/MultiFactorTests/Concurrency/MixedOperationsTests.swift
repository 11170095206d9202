import Foundation
import MultiFactorOperations
import OTP
import SharedFixtures
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// All operations at once on one user: the rules hold at every moment.
@Suite struct MixedOperationsTests {
  /// What has been done so far, as the tasks that did it know.
  private struct Seen {
    /// The generation that a revocation has returned: nothing that begins later may succeed with an earlier one.
    var revoked: UInt64 = 0
    /// Each factor's accepted steps.
    var accepted: [String] = []
    /// The apps whose keys are known.
    var keys: [String: String] = [:]
    var ends: [String: Int] = [:]
  }

  private static let numbers = ["+15105550001", "+15105550002", "+15105550003"]

  @Test(arguments: StoreKind.available)
  func `Enrolling, removing, signing in and revoking at once breaks no rule`(on kind: StoreKind) async throws {
    let host = try await Host(
      kind,
      configuration: MultiFactorConfiguration(
        providerConfigs: [.totp()],
        attemptLimit: AttemptLimit(failuresUntilLock: 100, firstDelayedFailure: 1000)))
    let seen = Locked(Seen())
    let (_, key, uid) = try await host.enrollTOTP()
    seen.withLock { $0.keys[uid] = key }

    let rounds = kind == .memory ? 60 : 15
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<16 {
        group.addTask {
          var random = SeededGenerator(seed: UInt64(task))
          for _ in 0..<rounds {
            let (name, end): (String, AuthError.Code?)
            switch random.next() % 10 {
            case 0...4: (name, end) = ("sign in", await errorCode { try await signIn(host, seen, &random) })
            case 5, 6: (name, end) = ("enroll", await errorCode { try await enroll(host, seen, &random) })
            case 7: (name, end) = ("phone", await errorCode { try await importPhone(host, &random) })
            case 8: (name, end) = ("unenroll", await errorCode { try await unenroll(host, seen, &random) })
            default: (name, end) = ("revoke", await errorCode { try await revoke(host, seen, &random) })
            }
            seen.withLock { $0.ends["\(name): \(end.map { "\($0)" } ?? "done")", default: 0] += 1 }
            await checkRules(host)
          }
        }
      }
    }
    let (accepted, ends) = seen.withLock { ($0.accepted, $0.ends) }
    #expect(Set(accepted).count == accepted.count, "a step was accepted twice")
    for name in ["sign in", "enroll", "phone", "unenroll", "revoke"] {
      #expect(ends["\(name): done", default: 0] > 0, "\(ends)")
    }
    #expect(ends.keys.allSatisfy { !$0.hasSuffix("internalError") }, "\(ends)")
  }

  /// What must hold at any moment.
  private func checkRules(_ host: Host) async {
    do {
      let factors = try await host.account(Host.alice.id).factors
      #expect(factors.count <= 5)
      #expect(Set(factors.map(\.uid)).count == factors.count)
      let phones = factors.compactMap(\.number)
      #expect(Set(phones).count == phones.count, "a phone is enrolled twice")
    } catch {
      Issue.record(error)
    }
  }

  /// Signs in with an app, sometimes with a code that other tasks submit too.
  private func signIn(_ host: Host, _ seen: Locked<Seen>, _ random: inout SeededGenerator) async throws {
    let resolver: MultiFactorResolver
    do {
      let user = try await host.auth.signIn(Host.alice, firstFactor: .password).user
      return try await enrollAgain(host, seen, as: user)
    } catch let error as AuthError where error.code == .secondFactorRequired {
      resolver = try #require(error.resolver)
    }
    host.clock.advance(by: TimeInterval(random.next() % 8))
    let keys = seen.withLock { $0.keys }
    let known = resolver.hints.compactMap { hint in keys[hint.uid].map { (hint.uid, $0) } }
    guard !known.isEmpty else { return }
    let (uid, key) = random.pick(known)
    let step = UInt64(host.clock.now.timeIntervalSince1970) / 30
    let right = try TOTP(secret: OTPSecret(base32: key)).code(forStep: step).description
    let code = try random.next() % 4 == 0 ? host.wrongCode(for: key) : right
    // Whatever was revoked by now must be refused from here on.
    let revoked = seen.withLock { $0.revoked }
    let user = try await resolver.resolveSignIn(
      with: TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: code)
    ).user
    #expect(user.signIn.generation >= revoked, "a revoked sign-in was accepted")
    seen.withLock { $0.accepted.append("\(uid) \(step)") }
  }

  /// Enrolls a factor if all have been removed.
  private func enrollAgain(_ host: Host, _ seen: Locked<Seen>, as user: User) async throws {
    let revoked = seen.withLock { $0.revoked }
    let (_, key, uid) = try await host.enrollTOTP(as: user)
    #expect(user.signIn.generation >= revoked, "a revoked handle has enrolled a factor")
    seen.withLock { $0.keys[uid] = key }
  }

  private func enroll(_ host: Host, _ seen: Locked<Seen>, _ random: inout SeededGenerator) async throws {
    let user = try await provedUser(host)
    try await Task.sleep(for: .microseconds(Int(random.next() % 300)))
    try await enrollAgain(host, seen, as: user)
  }

  /// A handle whose second factor was verified.
  private func provedUser(_ host: Host) async throws -> User {
    let account = try await host.account(Host.alice.id)
    guard let factor = account.factors.first(where: { factor in factor.kind == .totp }) else {
      return try await host.auth.signIn(Host.alice, firstFactor: .password).user
    }
    // As if it had been verified just now; to do so, each task would need its own code.
    let signIn = SignIn(
      principal: Host.alice, firstFactor: .password, firstFactorDate: host.clock.now,
      proof: .factor(uid: factor.uid, .totp, binding: factor.binding, host.clock.now),
      generation: account.generation,
      expiry: host.clock.now.addingTimeInterval(3600), end: host.clock.now.addingTimeInterval(3600))
    return User(signIn, in: host.auth.context)
  }

  private func importPhone(_ host: Host, _ random: inout SeededGenerator) async throws {
    try await host.auth.admin.importFactor(.phone(number: random.pick(Self.numbers)), for: Host.alice.id)
  }

  /// Removes a factor, every other time as an administrator.
  private func unenroll(_ host: Host, _ seen: Locked<Seen>, _ random: inout SeededGenerator) async throws {
    let account = try await host.account(Host.alice.id)
    guard account.factors.count > 1 else { return }
    let uid = random.pick(account.factors.dropFirst().map(\.uid))
    guard random.next() % 2 == 0 else { return try await host.auth.admin.removeFactor(uid, of: Host.alice.id) }
    let user = try await provedUser(host)
    let revoked = seen.withLock { $0.revoked }
    try await user.multiFactor.unenroll(withFactorUID: uid)
    #expect(user.signIn.generation >= revoked, "a revoked handle has removed a factor")
  }

  private func revoke(_ host: Host, _ seen: Locked<Seen>, _ random: inout SeededGenerator) async throws {
    guard random.next() % 3 == 0 else { return }
    try await host.auth.admin.revokeHandles(of: Host.alice.id)
    let generation = try await host.account().generation
    seen.withLock { $0.revoked = max($0.revoked, generation) }
  }

  @Test(arguments: StoreKind.available)
  func `Of a hundred simultaneous enrollments five succeed, and a phone is enrolled once`(on kind: StoreKind)
    async throws
  {
    let host = try await Host(kind)
    let ends = await withTaskGroup(of: AuthError.Code?.self) { group in
      for task in 0..<100 {
        group.addTask {
          await errorCode {
            task.isMultiple(of: 2)
              ? try await host.auth.admin.importFactor(.phone(number: "+15105550001"), for: "u1")
              : try await host.auth.admin.importFactor(.totp(secret: .random()), for: "u1")
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(ends.count { $0 == nil } == 5)
    #expect(ends.allSatisfy { [nil, .maximumSecondFactorCountExceeded, .secondFactorAlreadyEnrolled].contains($0) })
    let factors = try await host.account("u1").factors
    #expect(factors.count == 5)
    #expect(factors.count { $0.kind == .phone } <= 1)
  }

  @Test(arguments: StoreKind.available)
  func `Of fifty simultaneous first enrollments, by handles without a second factor, one succeeds`(
    on kind: StoreKind
  ) async throws {
    let host = try await Host(kind)
    var users: [User] = []
    for _ in 0..<50 { users.append(try await host.signIn()) }
    let ends = await withTaskGroup(of: AuthError.Code?.self) { group in
      for user in users { group.addTask { await errorCode { try await host.enrollTOTP(as: user) } } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(ends.count { $0 == nil } == 1)
    #expect(ends.count { $0 == .requiresRecentLogin } == 49)
  }
}
