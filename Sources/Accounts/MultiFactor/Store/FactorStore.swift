import Foundation

/// Where documents are kept: sealed, replaced as a whole, each under its own key.
///
/// A store decides nothing, and knows nothing about users, factors or attempts: it cannot read what it keeps. It must
/// provide what `FactorStoreConformance` checks: isolation, durability, and every byte unchanged. It should throw
/// ``FactorStoreError``, whose kind is reported.
public protocol FactorStore: Sendable {
  /// What is stored under a key, at one moment.
  func read(_ key: DocumentKey) async throws -> StoredDocument

  /// Changes one document in one serializable transaction, which is durable when this returns.
  ///
  /// - Parameters:
  ///   - key: The document's key.
  ///   - change: Changes the document's bytes in place: `nil` if there is none, and set to `nil` to delete it. It may
  ///     run again if the transaction must be repeated; only its last run counts. If it leaves the bytes as they were,
  ///     nothing need be written. If it throws, nothing is changed, and this throws the same error.
  /// - Returns: What the last run of `change` returned.
  func change<R: Sendable>(
    _ key: DocumentKey, _ change: @escaping @Sendable (inout StoredDocument) throws -> R
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
  /// It is read while a change runs. TOTP codes that were valid at that moment may have been spent, and are not
  /// accepted.
  var lossDate: Date? { get }

  /// The current time by the clock of the store's server; `nil`, the default, if the store has only the host's clock.
  ///
  /// It is only compared with the host's (`MultiFactorAuth.health()` of the product `MultiFactorOperations`); nothing
  /// is decided by it.
  func serverDate() async throws -> Date?
}

/// What a store has under a key at one moment: a document or, in its absence, the store's mark.
///
/// A user without a document has no second factor, and signs in without one. An emptied or exchanged store has no
/// documents either. So the absence of a document counts only together with the mark of the right store, read in the
/// same transaction.
public struct StoredDocument: Sendable, Hashable {
  /// The document; `nil` if there is none.
  public var bytes: [UInt8]?
  /// If there is no document, what is stored under ``DocumentKey/mark`` at the same moment; otherwise `nil`.
  public let mark: [UInt8]?

  /// What is stored under a key.
  ///
  /// - Parameters:
  ///   - bytes: The document.
  ///   - mark: Returns what is stored under ``DocumentKey/mark``; called only if there is no document.
  public init(_ bytes: [UInt8]?, mark: () throws -> [UInt8]?) rethrows {
    self.bytes = bytes
    self.mark = if bytes == nil { try mark() } else { nil }
  }
}

extension FactorStore {
  /// The document under a key, whichever store this is; `nil` if there is none.
  public func document(_ key: DocumentKey) async throws -> [UInt8]? { try await read(key).bytes }

  /// Changes one document as ``change(_:_:)`` does, whichever store this is.
  public func update<R: Sendable>(
    _ key: DocumentKey, _ change: @escaping @Sendable (inout [UInt8]?) throws -> R
  ) async throws -> R {
    try await self.change(key) { stored in try change(&stored.bytes) }
  }

  /// By default, a store has lost nothing.
  public var lossDate: Date? { nil }

  /// By default, a store has no clock but the host's.
  public func serverDate() async throws -> Date? { nil }
}

extension FactorStore {
  /// How many documents to read or write at once, when going through all of them.
  package static var pageSize: Int { 256 }

  /// A page of keys, checked to advance: otherwise its reader would never end.
  package func page(after last: DocumentKey?, limit: Int = Self.pageSize) async throws -> [DocumentKey] {
    let keys = try await keys(after: last, limit: limit)
    if let last, let end = keys.last, end <= last { throw PageDoesNotGoOn() }
    return keys
  }
}

/// The error if a store returns a page of keys that does not advance.
struct PageDoesNotGoOn: Error {}
