import Foundation

/// Where documents are kept: sealed, replaced whole, each under a key of its own.
///
/// A store decides nothing, and knows nothing of users, factors or attempts: it cannot read what it keeps. What it
/// promises is what `FactorStoreConformance` checks: isolation, durability, and every byte.
public protocol FactorStore: Sendable {
  /// The document under a key, as of one moment; `nil` if there is none.
  func document(_ key: DocumentKey) async throws -> [UInt8]?

  /// Changes one document in one serializable transaction, which is durable when this returns.
  ///
  /// - Parameters:
  ///   - key: The document's key.
  ///   - change: Gets the document, `nil` if there is none, and leaves it as it shall be, `nil` to delete it. It may
  ///     run again if the transaction must be repeated; only its last run counts. If it leaves the bytes as they were,
  ///     nothing need be written. If it throws, nothing is changed, and this throws the same error.
  /// - Returns: What the last run of `change` returned.
  func update<R: Sendable>(
    _ key: DocumentKey, _ change: @escaping @Sendable (inout [UInt8]?) throws -> R
  ) async throws -> R

  /// The keys after another one, in the order of their bytes, which is that of `DocumentKey`'s `<`.
  ///
  /// - Parameters:
  ///   - key: Only keys greater than this one, whether or not there is a document under it; `nil` for the first ones.
  ///   - limit: How many at most; none for 0 or fewer.
  func keys(after key: DocumentKey?, limit: Int) async throws -> [DocumentKey]

  /// The moment before which the store may have lost what it had answered, as in a failover to a copy that lagged; `nil`,
  /// as by default, if it has lost nothing.
  ///
  /// It is asked while a change runs. What was good for a code at that moment may have been spent, and is not accepted.
  var lossDate: Date? { get }

  /// What the clock of the store's server says now; `nil`, as by default, if the store has no clock but the host's.
  ///
  /// It is compared with the host's (``MultiFactorAuth/health()``), and nothing is decided by it.
  func serverDate() async throws -> Date?
}

extension FactorStore {
  /// Nothing was lost.
  public var lossDate: Date? { nil }

  /// There is no other clock.
  public func serverDate() async throws -> Date? { nil }
}
