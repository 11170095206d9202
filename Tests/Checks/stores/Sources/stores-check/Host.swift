import FactorRecord
import Foundation
import Keyring
import MultiFactor
import MultiFactorOperations
import MultiFactorPostgreSQL
import OTP
import Synchronization

/// One host: a store and its keyring.
struct Host {
  let store: any FactorStore
  let keyring: Keyring

  /// The time of a user's attempts.
  final class Clock: Sendable {
    let seconds: Atomic<Int64>
    init(_ seconds: Int64) { self.seconds = Atomic(seconds) }
  }

  /// All failures are looked at, and none delays the next.
  func auth(_ clock: Clock) async throws -> MultiFactorAuth {
    let limit = try AttemptLimit(
      failuresUntilLock: 100, lockDuration: nil, firstDelayedFailure: 100, initialDelay: .zero)
    return try await MultiFactorAuth(
      configuration: MultiFactorConfiguration(providerConfigs: [.totp(adjacentIntervals: 0)], attemptLimit: limit),
      store: store, keyring: keyring,
      clock: { Date(timeIntervalSince1970: TimeInterval(clock.seconds.load(ordering: .relaxed))) })
  }

  /// The secret of all users' apps.
  private static func secret() throws -> OTPSecret { try OTPSecret(bytes: [UInt8](1...20)) }

  private static func code(at seconds: Int64, isRight: Bool) throws -> String {
    let right = try TOTP(secret: secret()).code(at: seconds).description
    return isRight ? right : right == "000000" ? "000001" : "000000"
  }

  func prepare(_ users: [String]) async throws {
    let admin = try await auth(Clock(0)).admin
    for user in users { try await admin.importFactor(.totp(secret: Self.secret()), for: user) }
  }

  /// Submits the code of the clock's time, or a wrong one, in a new sign-in.
  ///
  /// - Returns: `accepted`, or the code of the error.
  static func signIn(_ user: String, _ clock: Clock, isRight: Bool, on auth: MultiFactorAuth) async throws -> String {
    let code = try code(at: clock.seconds.load(ordering: .relaxed), isRight: isRight)
    do {
      _ = try await auth.signIn(Principal(id: user), firstFactor: .password)
      return "signed in without the second factor"
    } catch let error as AuthError where error.code == .secondFactorRequired {
      guard let resolver = error.resolver, let hint = resolver.hints.first else { throw error }
      do {
        _ = try await resolver.resolveSignIn(
          with: TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: hint.uid, oneTimePassword: code))
        return "accepted"
      } catch let error as AuthError {
        return "\(error.code)"
      }
    } catch let error as AuthError {
      return "\(error.code)"
    }
  }

  /// Makes attempts, 64 at a time, each given as `SECONDS:right|wrong:USER`.
  ///
  /// - Returns: Their ends, in the same order.
  func offer(_ attempts: [String]) async throws -> [String] {
    var ends = [String](repeating: "", count: attempts.count)
    try await withThrowingTaskGroup(of: (Int, String).self) { group in
      for (index, attempt) in attempts.enumerated() {
        if index >= 64, let (done, end) = try await group.next() { ends[done] = end }
        let parts = attempt.split(separator: ":").map(String.init)
        group.addTask {
          let clock = Clock(Int64(parts[0]) ?? 0)
          return (index, try await Self.signIn(parts[2], clock, isRight: parts[1] == "right", on: auth(clock)))
        }
      }
      for try await (done, end) in group { ends[done] = end }
    }
    return ends
  }

  /// What the store has counted for each user: acceptances, and failures since the last one.
  func tallies(_ users: [String]) async throws -> [String] {
    let admin = try await auth(Clock(0)).admin
    var tallies: [String] = []
    for user in users {
      let factor = try await admin.user(user).factors.first
      tallies.append("\(factor?.acceptances ?? -1):\(factor?.consecutiveFailures ?? -1)")
    }
    return tallies
  }

  /// Exits in the middle of sign-ins, while threads of the concurrency runtime and of the store come and go.
  func exitWhileWorking() async throws -> Never {
    let clock = Clock(1_500_000_000)
    let auth = try await auth(clock)
    for _ in 0..<40 {
      Task.detached { _ = try? await Self.signIn("user", clock, isRight: false, on: auth) }
      Thread.detachNewThread { _ = try? OTPSecret.random(for: .sha1) }
    }
    exit(0)
  }

  private static func document(_ number: UInt8) -> (key: DocumentKey?, bytes: [UInt8]) {
    // It takes pages of its own.
    (DocumentKey("document \(number)"), [UInt8](repeating: number, count: 20_000))
  }

  func put(_ number: UInt8) async throws {
    guard let key = Self.document(number).key else { return }
    try await store.update(key) { $0 = Self.document(number).bytes }
  }

  func has(_ number: UInt8) async throws -> Bool {
    guard let key = Self.document(number).key else { return false }
    return try await store.document(key) == Self.document(number).bytes
  }
}
