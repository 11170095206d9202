import Foundation
import Keyring
import MultiFactor
import OTP

/// Whether everything that a sign-in needs works: see `MultiFactorAuth.health()`.
public struct Health: Sendable, Hashable {
  /// Whether the store has answered a read.
  public internal(set) var canReadStore = false
  /// Whether the store has made a change durable. Not tried unless the store can be read and the keyring belongs to it.
  public internal(set) var canWriteStore = false
  /// Why the store failed, if it did and its error says so.
  public internal(set) var storeError: FactorStoreError?
  /// Whether the store still belongs to the keyring, and the keyring can open and seal.
  public internal(set) var canUseKeyring = false
  /// Whether the engine has an implementation of HMAC that passes its known-answer test.
  public internal(set) var canComputeCodes = false
  /// The moment up to which the store may have lost acknowledged changes; `nil` if it has lost nothing.
  public internal(set) var lossDate: Date?
  /// How far the clock of the store's server is certainly ahead of this host's, negative if it is behind; 0
  /// if the difference is within the time that the query took; `nil` if the store has no clock of its own, or has not
  /// answered.
  public internal(set) var serverClockLead: Duration?

  /// Whether sign-ins can be served. ``serverClockLead`` does not count: a wrong clock may be the database's, not this
  /// host's.
  public var isReady: Bool { canReadStore && canWriteStore && canUseKeyring && canComputeCodes }
}

extension MultiFactorAuth {
  /// Tries everything that a sign-in needs: for a server's readiness probe.
  ///
  /// It rewrites the store's mark in its own transaction, which costs as much as a sign-in and waits for the store as
  /// long: call it every few seconds, not with each request. Nothing is reported as an event but a loss of changes.
  public func health() async -> Health {
    var health = Health()
    health.canComputeCodes = (try? OTPEngine.selfTest { _, _ in }) != nil
    do {
      let mark = try await context.documents.store.document(.mark)
      health.canReadStore = true
      health.canUseKeyring =
        try mark.map { try StoreMark.open($0, by: context.documents.keyring) } == context.documents.storeID
      if health.canUseKeyring {
        try await StoreMark.rewrite(
          in: context.documents.store, by: context.documents.keyring, id: context.documents.storeID)
        health.canWriteStore = true
      }
    } catch {
      health.storeError = error as? FactorStoreError
      if error is KeyringError || error is ConfigurationError { health.canUseKeyring = false }
    }
    health.lossDate = context.events.reportLoss(of: context.documents.store)
    let before = context.events.now()
    if let date = try? await context.documents.store.serverDate() {
      health.serverClockLead = Self.lead(of: date, before, context.events.now())
    }
    return health
  }

  /// How far a date is outside the interval in which it was queried.
  private static func lead(of date: Date, _ before: Date, _ after: Date) -> Duration {
    if date < before { return .seconds(date.timeIntervalSince(before)) }
    return .seconds(max(0, date.timeIntervalSince(after)))
  }
}
