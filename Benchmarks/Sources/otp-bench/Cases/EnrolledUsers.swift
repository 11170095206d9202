import Foundation
import Keyring
import MultiFactor
import MultiFactorOperations
import OTP

/// Users with an authenticator app each, and a clock that advances one step per sign-in, so that no code is submitted
/// twice.
final class EnrolledUsers: Sendable {
  private struct Moment {
    var step: UInt64 = Fixtures.firstStep
    var resolvers: [MultiFactorResolver] = []
    var stepOfResolvers: UInt64 = 0
  }

  /// The number of steps that a resolver is used for: a year has 1,051,200.
  private static let stepsPerResolver: UInt64 = 500_000

  private let auth: MultiFactorAuth
  private let store: any FactorStore
  /// The users that sign in, and their factors' names.
  private let users: [String]
  private let factorUIDs: [String]
  private let totp: TOTP
  private let moment: Guarded<Moment>

  /// Enrolls users in a store. Of more than `activeCount`, only a regular sample of that size signs in.
  init(store: any FactorStore, userCount: Int, activeCount: Int = 64) throws {
    let moment = Guarded(Moment())
    let secret = try OTPSecret(bytes: Fixtures.secret(for: .sha1))
    let names = (0..<userCount).map { "user\($0)" }
    let (auth, uids) = try blocking {
      let keyring = try Keyring()
      try await MultiFactorAuth.createStore(store, keyring: keyring)
      let auth = try await MultiFactorAuth(
        configuration: MultiFactorConfiguration(
          providerConfigs: [.totp(adjacentIntervals: 5)], sessionLifetime: MultiFactorConfiguration.maximumDuration,
          userTokenLifetime: MultiFactorConfiguration.maximumDuration),
        store: store, keyring: keyring,
        clock: { Date(timeIntervalSince1970: TimeInterval(Fixtures.time(ofStep: moment.withValue { $0.step }))) })
      var uids: [String] = []
      // At once, so that they share transactions.
      for start in stride(from: 0, to: userCount, by: 256) {
        uids += try await withThrowingTaskGroup(of: (Int, String).self) { group in
          for user in start..<min(start + 256, userCount) {
            group.addTask { (user, try await auth.admin.importFactor(.totp(secret: secret), for: names[user])) }
          }
          return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
      }
      return (auth, uids)
    }
    self.auth = auth
    self.store = store
    self.moment = moment
    totp = try TOTP(secret: secret)
    let active = Array(stride(from: 0, to: userCount, by: max(1, userCount / activeCount)).prefix(activeCount))
    users = active.map { names[$0] }
    factorUIDs = active.map { uids[$0] }
  }

  /// The byte count of a user's sealed document.
  func documentByteCount() throws -> Int {
    guard let key = DocumentKey("user/\(users[0])") else { return 0 }
    return try blocking { try await self.store.document(key)?.count ?? 0 }
  }

  /// Advances the clock by 1...10 steps, each of which is then in the window.
  ///
  /// - Returns: The codes of the new steps, and each user's resolver.
  private func advance(by count: Int = 1) async throws -> (codes: [String], resolvers: [MultiFactorResolver]) {
    let (step, resolvers) = moment.withValue { moment in
      moment.step += UInt64(count)
      return (moment.step, moment.step < moment.stepOfResolvers + Self.stepsPerResolver ? moment.resolvers : [])
    }
    let first = step - UInt64(count / 2)
    let codes = try (0..<UInt64(count)).map { try totp.code(forStep: first + $0).description }
    guard resolvers.isEmpty else { return (codes, resolvers) }
    var fresh: [MultiFactorResolver] = []
    for user in factorUIDs.indices {
      do {
        _ = try await auth.signIn(Principal(id: users[user]), firstFactor: .password)
      } catch let error as AuthError where error.code == .secondFactorRequired {
        if let resolver = error.resolver { fresh.append(resolver) }
      }
    }
    moment.withValue { moment in
      moment.resolvers = fresh
      moment.stepOfResolvers = step
    }
    return (codes, fresh)
  }

  /// Signs in this many users at once, each in its own task, or one after the other if it is only one.
  ///
  /// - Parameter rounds: The number of consecutive sign-ins of each user, 1...10.
  /// - Returns: The number of sign-ins with a second factor in their claims.
  private func signIn(inParallel count: Int, rounds: Int = 1) async throws -> Int {
    let (codes, resolvers) = try await advance(by: rounds)
    @Sendable func signIn(_ user: Int) async throws -> Int {
      var signedIn = 0
      for code in codes {
        let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
          withEnrollmentID: factorUIDs[user], oneTimePassword: code)
        let claims = try await resolvers[user].resolveSignIn(with: assertion).user.claims
        if claims.secondFactorIdentifier == factorUIDs[user] { signedIn += 1 }
      }
      return signedIn
    }
    if count == 1 { return try await signIn(0) }
    return try await withThrowingTaskGroup(of: Int.self) { group in
      for user in 0..<count { group.addTask { try await signIn(user) } }
      return try await group.reduce(0, +)
    }
  }

  /// Signs in until SQLite's log has reached its full size and is reused from its start: extending a file costs more
  /// than changing it, and a server extends it only once.
  func settle() throws {
    for _ in 0..<256 { _ = try blocking { try await self.signIn(inParallel: self.factorUIDs.count) } }
  }

  /// - Parameter rounds: The number of consecutive sign-ins of each user, each as soon as the one before has ended.
  func subject(
    _ name: String, inParallel count: Int, operations: Int, rounds: Int = 1, row: String,
    keeping folder: (any AnyObject & Sendable)? = nil
  ) throws -> Subject {
    let run: @Sendable () throws -> Int = {
      try blocking {
        var signedIn = 0
        for _ in 0..<operations / count / rounds {
          signedIn += try await self.signIn(inParallel: count, rounds: rounds)
        }
        return signedIn
      }
    }
    try require(run() == operations, row, name)
    return Subject(name, operationsPerCall: operations) { _ in
      withExtendedLifetime(folder) { consume((try? run()) == operations) }
    }
  }
}

/// A value that only one thread uses at a time.
final class Guarded<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  init(_ value: Value) { self.value = value }

  func withValue<R>(_ body: (inout Value) -> R) -> R {
    lock.lock()
    defer { lock.unlock() }
    return body(&value)
  }
}
