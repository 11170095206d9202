import FactorRecord
import Foundation
import Keyring
import MultiFactor
import MultiFactorOperations

/// One host: a store and its keyring.
struct Host {
  let store: any FactorStore
  let keyring: Keyring

  /// A user, whose tenth failure locks the factor, and whose clock is set before each call.
  func user(_ name: String) async throws -> User {
    let limit = try AttemptLimit(
      failuresUntilLock: 10, lockDuration: nil, firstDelayedFailure: 10, initialDelay: .zero)
    let clock = User.Clock()
    return User(
      name: name, clock: clock,
      auth: try await MultiFactorAuth(
        configuration: MultiFactorConfiguration(providerConfigs: [.totp(adjacentIntervals: 0)], attemptLimit: limit),
        store: store, keyring: keyring, clock: { clock.now }))
  }

  func prepare(_ users: [String]) async throws {
    for name in users {
      let user = try await user(name)
      user.clock.set(to: 0)
      try await user.auth.admin.importFactor(.totp(secret: User.secret()), for: name)
    }
  }

  /// Submits codes, 64 at a time, each given as `SECONDS:USER`.
  ///
  /// - Returns: The outcomes, in the same order.
  func offer(_ codes: [String]) async throws -> [String] {
    var outcomes = [String](repeating: "", count: codes.count)
    try await withThrowingTaskGroup(of: (Int, String).self) { group in
      for (index, code) in codes.enumerated() {
        if index >= 64, let (done, outcome) = try await group.next() { outcomes[done] = outcome }
        let parts = code.split(separator: ":").map(String.init)
        group.addTask { (index, try await user(parts[1]).submit(at: Int64(parts[0]) ?? 0, isRight: true)) }
      }
      for try await (done, outcome) in group { outcomes[done] = outcome }
    }
    return outcomes
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
