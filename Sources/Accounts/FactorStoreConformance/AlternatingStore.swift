import MultiFactor

/// Two store objects on the same documents that take turns, like two processes.
///
/// For a store that several processes can use at once: running the suite on it checks that they behave as one store.
///
/// ```swift
/// try await FactorStoreConformance {
///   try AlternatingStore(MyStore(url), MyStore(url))
/// }.run(check)
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

  /// See `FactorStore.read(_:)`.
  public func read(_ key: DocumentKey) async throws -> StoredDocument { try await nextStore().read(key) }

  /// See `FactorStore.change(_:_:)`.
  public func change<R: Sendable>(
    _ key: DocumentKey, _ change: @escaping @Sendable (inout StoredDocument) throws -> R
  ) async throws -> R { try await nextStore().change(key, change) }

  /// See `FactorStore.keys(after:limit:)`.
  public func keys(after key: DocumentKey?, limit: Int) async throws -> [DocumentKey] {
    try await nextStore().keys(after: key, limit: limit)
  }
}
