import Foundation
import Keyring
import OTP

/// What a sign-in needs, and whether it works: see ``MultiFactorAuth/health()``.
public struct Health: Sendable, Hashable {
  /// Whether the store has answered a read.
  public internal(set) var canReadStore = false
  /// Whether the store has made a change durable. It is not tried unless it can be read and the keyring is its own.
  public internal(set) var canWriteStore = false
  /// Whether the store still is the keyring's, which opens what it has sealed, and seals.
  public internal(set) var canUseKeyring = false
  /// Whether the engine has an implementation of HMAC that passes its known-answer test.
  public internal(set) var canComputeCodes = false
  /// By how many seconds the clock of the store's server is ahead of this host's, less those that asking took; `nil` if
  /// the store has no clock of its own, or has not answered.
  public internal(set) var serverClockLead: TimeInterval?

  /// Whether sign-ins can be served. The clocks have no part in it: if the database's is wrong, no host is to blame.
  public var isReady: Bool { canReadStore && canWriteStore && canUseKeyring && canComputeCodes }
}

extension MultiFactorAuth {
  /// Tries what a sign-in needs: for a server's readiness.
  ///
  /// It changes the store's mark in a transaction of its own, which costs as much as a sign-in, and waits for the store for
  /// as long: ask every few seconds, and not with each request. Nothing is reported as an event.
  public func health() async -> Health {
    var health = Health()
    health.canComputeCodes = (try? OTPEngine.selfTest { _, _ in }) != nil
    do {
      let mark = try await context.store.document(.store)
      health.canReadStore = true
      health.canUseKeyring = try mark.map { try StoreMark.open($0, by: context.keyring) } == context.storeID
      if health.canUseKeyring {
        try await StoreMark.rewrite(in: context.store, by: context.keyring, id: context.storeID)
        health.canWriteStore = true
      }
    } catch {
      if error is KeyringError || error is ConfigurationError { health.canUseKeyring = false }
    }
    let before = context.now()
    if let date = try? await context.store.serverDate() {
      health.serverClockLead = Self.lead(of: date, before, context.now())
    }
    return health
  }

  /// By how much a date is outside of the time in which it was asked for.
  private static func lead(of date: Date, _ before: Date, _ after: Date) -> TimeInterval {
    if date < before { return date.timeIntervalSince(before) }
    return max(0, date.timeIntervalSince(after))
  }
}
