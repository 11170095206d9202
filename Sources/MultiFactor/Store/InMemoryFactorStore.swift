import Keyring

/// A store for tests and demonstrations: its contents end with the process.
///
/// It keeps every promise of a ``FactorStore`` except surviving a crash.
public final class InMemoryFactorStore: FactorStore {
  private struct Contents {
    var documents: [DocumentKey: [UInt8]] = [:]
    var keys = SortedKeys()

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
      if isNew, stored.bytes != nil { contents.keys.insert(key) }
      if !isNew, stored.bytes == nil { contents.keys.remove(key) }
      return result
    }
  }

  /// See ``FactorStore/keys(after:limit:)``.
  public func keys(after key: DocumentKey?, limit: Int) async -> [DocumentKey] {
    contents.withLock { $0.keys.page(after: key, limit: limit) }
  }
}

/// Sorted keys, in chunks of a few hundred: among 10^6, inserting or removing one moves a few hundred others, and a
/// page is found by two binary searches.
private struct SortedKeys {
  private static let largestChunk = 512

  /// None of them is empty.
  private var chunks: [[DocumentKey]] = []

  mutating func insert(_ key: DocumentKey) {
    guard !chunks.isEmpty else { return chunks = [[key]] }
    let chunk = chunk(of: key)
    chunks[chunk].insert(key, at: chunks[chunk].firstSortedIndex { $0 > key })
    guard chunks[chunk].count > Self.largestChunk else { return }
    let half = Array(chunks[chunk][(Self.largestChunk / 2)...])
    chunks[chunk].removeLast(half.count)
    chunks.insert(half, at: chunk + 1)
  }

  /// Removes a key that exists.
  mutating func remove(_ key: DocumentKey) {
    let chunk = chunk(of: key)
    chunks[chunk].remove(at: chunks[chunk].firstSortedIndex { $0 >= key })
    if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
  }

  func page(after key: DocumentKey?, limit: Int) -> [DocumentKey] {
    guard limit > 0, !chunks.isEmpty else { return [] }
    let first = key.map { chunk(of: $0) } ?? 0
    let start = key.map { key in chunks[first].firstSortedIndex { $0 > key } } ?? 0
    var page = Array(chunks[first][start...].prefix(limit))
    for chunk in chunks[(first + 1)...] {
      if page.count == limit { break }
      page += chunk.prefix(limit - page.count)
    }
    return page
  }

  /// The last chunk that begins with the key or before it, or the first one.
  private func chunk(of key: DocumentKey) -> Int { max(0, chunks.firstSortedIndex { $0[0] > key } - 1) }
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
