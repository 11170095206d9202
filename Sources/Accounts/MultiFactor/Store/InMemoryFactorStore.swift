import Keyring

/// A store for tests and demonstrations: its contents end with the process.
///
/// It keeps every promise of a ``FactorStore`` except surviving a crash.
public final class InMemoryFactorStore: FactorStore {
  private struct Contents {
    var documents: [DocumentKey: [UInt8]] = [:]
    /// All keys in order; `nil` once one was added or removed.
    var keys: [DocumentKey]?

    subscript(key: DocumentKey) -> StoredDocument { StoredDocument(documents[key]) { documents[.mark] } }
  }

  private let contents = Locked(Contents())

  /// A new store, without documents.
  public init() {}

  /// See ``FactorStore/read(_:)``.
  public func read(_ key: DocumentKey) async -> StoredDocument { contents.withLock { $0[key] } }

  /// See ``FactorStore/change(_:_:)``. `change` runs once, with exclusive access to the store.
  public func change<R: Sendable>(
    _ key: DocumentKey, _ change: @escaping @Sendable (inout StoredDocument) throws -> R
  ) async throws -> R {
    try contents.withLock { contents in
      var stored = contents[key]
      let isNew = stored.bytes == nil
      let result = try change(&stored)
      contents.documents[key] = stored.bytes
      if isNew != (stored.bytes == nil) { contents.keys = nil }
      return result
    }
  }

  /// See ``FactorStore/keys(after:limit:)``.
  public func keys(after key: DocumentKey?, limit: Int) async -> [DocumentKey] {
    contents.withLock { contents in
      let keys = contents.keys ?? contents.documents.keys.sorted()
      contents.keys = keys
      let start = key.map { key in keys.firstSortedIndex { $0 > key } } ?? 0
      return Array(keys[start...].prefix(max(0, limit)))
    }
  }
}

extension Array {
  /// The first index at which a condition holds that also holds for all elements after it; the end if it holds for
  /// none.
  fileprivate func firstSortedIndex(where holds: (Element) -> Bool) -> Int {
    var (start, end) = (startIndex, endIndex)
    while start < end {
      let middle = start + (end - start) / 2
      if holds(self[middle]) { end = middle } else { start = middle + 1 }
    }
    return start
  }
}
