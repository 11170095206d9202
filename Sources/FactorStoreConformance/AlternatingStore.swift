import MultiFactor

/// Two stores on the same documents that take turns, as two processes would have them.
///
/// For a store that several processes can use at once: a suite of these finds out whether they are one store.
///
/// ```swift
/// try await FactorStoreConformance { try AlternatingStore(MyStore(url), MyStore(url)) }.run(check)
/// ```
public actor AlternatingStore: FactorStore {
  private var next: any FactorStore
  private var last: any FactorStore

  /// - Parameters:
  ///   - first: The store that is asked first.
  ///   - second: Another object for the same documents.
  public init(_ first: any FactorStore, _ second: any FactorStore) {
    next = first
    last = second
  }

  private func takeTurns() -> any FactorStore {
    swap(&next, &last)
    return last
  }

  /// See `FactorStore.document(_:)`.
  public func document(_ key: DocumentKey) async throws -> [UInt8]? { try await takeTurns().document(key) }

  /// See `FactorStore.update(_:_:)`.
  public func update<R: Sendable>(
    _ key: DocumentKey, _ change: @escaping @Sendable (inout [UInt8]?) throws -> R
  ) async throws -> R { try await takeTurns().update(key, change) }

  /// See `FactorStore.keys(after:limit:)`.
  public func keys(after key: DocumentKey?, limit: Int) async throws -> [DocumentKey] {
    try await takeTurns().keys(after: key, limit: limit)
  }
}
