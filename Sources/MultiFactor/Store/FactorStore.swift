import Foundation

/// Where documents are kept: sealed, replaced as a whole, each under its own key.
///
/// A store decides nothing, and knows nothing about users, factors or attempts: it cannot read what it keeps. It must
/// provide what `FactorStoreConformance` checks: isolation, durability, and every byte unchanged.
public protocol FactorStore: Sendable {
  /// The document under a key, at one moment; `nil` if there is none.
  func document(_ key: DocumentKey) async throws -> [UInt8]?

  /// Changes one document in one serializable transaction, which is durable when this returns.
  ///
  /// - Parameters:
  ///   - key: The document's key.
  ///   - change: Changes the document in place: `nil` if there is none, and set to `nil` to delete it. It may run again
  ///     if the transaction must be repeated; only its last run counts. If it leaves the bytes as they were, nothing
  ///     need be written. If it throws, nothing is changed, and this throws the same error.
  /// - Returns: What the last run of `change` returned.
  func update<R: Sendable>(
    _ key: DocumentKey, _ change: @escaping @Sendable (inout [UInt8]?) throws -> R
  ) async throws -> R

  /// The keys after another one, in byte order, as by `DocumentKey`'s `<`.
  ///
  /// - Parameters:
  ///   - key: Only keys greater than this one are returned, whether or not it has a document; `nil` for the first ones.
  ///   - limit: The maximum number of keys; none for 0 or less.
  func keys(after key: DocumentKey?, limit: Int) async throws -> [DocumentKey]

  /// The moment up to which the store may have lost acknowledged changes, as in a failover to a lagging replica; `nil`,
  /// the default, if it has lost nothing.
  ///
  /// It is read while a change runs. Codes that were valid at that moment may have been spent, and are not accepted.
  var lossDate: Date? { get }

  /// The current time by the clock of the store's server; `nil`, the default, if the store has only the host's clock.
  ///
  /// It is only compared with the host's (``MultiFactorAuth/health()``); nothing is decided by it.
  func serverDate() async throws -> Date?
}

extension FactorStore {
  /// Nothing was lost.
  public var lossDate: Date? { nil }

  /// There is no separate clock.
  public func serverDate() async throws -> Date? { nil }
}
