#if PostgreSQL
import MultiFactor

/// The documents that this process has read or written in the last minutes, sealed as they are in the database.
///
/// A change of one of them need not read it first: its version decides whether it is still the one that is stored. That
/// saves most sign-ins a round trip, since each begins with a read.
struct DocumentMemory {
  /// A document, and the version under which it was stored.
  struct Known {
    let version: Int64
    let bytes: [UInt8]
    fileprivate let date: ContinuousClock.Instant
  }

  /// Longer than it takes to type a code; after that, another machine may well have been asked.
  private static let lifetime = Duration.seconds(120)
  /// There are at most twice as many documents.
  private static let generationSize = 1024
  /// Larger ones are not kept.
  private static let maximumByteCount = 4096

  /// The latest, and those before them.
  private var new: [DocumentKey: Known] = [:]
  private var old: [DocumentKey: Known] = [:]

  /// The documents under some keys, as far as they are known.
  func documents(_ keys: some Sequence<DocumentKey>) -> [DocumentKey: Known] {
    let earliest = ContinuousClock.now - Self.lifetime
    return keys.reduce(into: [:]) { known, key in
      if let document = new[key] ?? old[key], document.date > earliest { known[key] = document }
    }
  }

  /// Keeps a document, or with `nil` forgets it.
  mutating func note(_ bytes: [UInt8]?, _ version: Int64, under key: DocumentKey) {
    old[key] = nil
    guard let bytes, bytes.count <= Self.maximumByteCount else { return new[key] = nil }
    new[key] = Known(version: version, bytes: bytes, date: .now)
    if new.count >= Self.generationSize { (old, new) = (new, [:]) }
  }

  /// Forgets documents.
  mutating func forget(_ keys: some Sequence<DocumentKey>) {
    for key in keys { (old[key], new[key]) = (nil, nil) }
  }
}
#endif
