#if PostgreSQL
import MultiFactor

/// The documents that this process has read or written last, sealed as they are in the database.
///
/// A change of one that is not older than some minutes need not read it first: its version decides whether it is still
/// the one that is stored. That saves most sign-ins on a busy server a round trip, since each begins with a read.
struct DocumentMemory {
  /// A document, and the version under which it was stored.
  struct Known {
    let version: Int64
    let bytes: [UInt8]
    fileprivate let date: ContinuousClock.Instant
  }

  /// Longer than it takes to type a code; after that, another machine may well have been asked.
  private static let lifetime = Duration.seconds(120)
  /// There are at most twice as many documents. The next change forgets those that were not used for twice the
  /// lifetime.
  private static let generationSize = 1024
  /// Larger ones are not kept.
  private static let maximumByteCount = 4096

  /// The latest, and those before them.
  private var new: [DocumentKey: Known] = [:]
  private var old: [DocumentKey: Known] = [:]
  private var start = ContinuousClock.now

  /// The document under a key, if it is known.
  func document(_ key: DocumentKey) -> Known? {
    guard let document = new[key] ?? old[key], document.date > .now - Self.lifetime else { return nil }
    return document
  }

  /// Keeps a document, or with `nil` forgets it.
  mutating func note(_ bytes: [UInt8]?, _ version: Int64, under key: DocumentKey) {
    old[key] = nil
    guard let bytes, bytes.count <= Self.maximumByteCount else { return new[key] = nil }
    let now = ContinuousClock.now
    if new.count >= Self.generationSize || start + Self.lifetime < now { (old, new, start) = (new, [:], now) }
    new[key] = Known(version: version, bytes: bytes, date: now)
  }

  /// Forgets documents.
  mutating func forget(_ keys: some Sequence<DocumentKey>) {
    for key in keys { (old[key], new[key]) = (nil, nil) }
  }
}
#endif
