import MultiFactor

/// Two store objects on the same documents that take turns, like two processes.
///
/// For a store that several processes can use at once: running the suite on it checks that they behave as one store.
///
/// ```swift
/// try await FactorStoreConformance { try AlternatingStore(MyStore(url), MyStore(url)) }.run(check)
/// ```
public actor AlternatingStore: FactorStore {
  private var next: any FactorStore
  private var last: any FactorStore

  /// - Parameters:
  ///   - first: The store that is used first.
  ///   - second: Another object for the same documents.
  public init(_ first: any FactorStore, _ second: any FactorStore) {
    next = first
    last = second
  }

  private func nextStore() -> any FactorStore {
    swap(&next, &last)
    return last
  }

  /// See `FactorStore.document(_:)`.
  public func document(_ key: DocumentKey) async throws -> [UInt8]? { try await nextStore().document(key) }

  /// See `FactorStore.update(_:_:)`.
  public func update<R: Sendable>(
    _ key: DocumentKey, _ change: @escaping @Sendable (inout [UInt8]?) throws -> R
  ) async throws -> R { try await nextStore().update(key, change) }

  /// See `FactorStore.keys(after:limit:)`.
  public func keys(after key: DocumentKey?, limit: Int) async throws -> [DocumentKey] {
    try await nextStore().keys(after: key, limit: limit)
  }
}
