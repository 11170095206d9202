import Keyring

extension FactorStore {
  /// How many documents are read or written at once.
  static var pageSize: Int { 256 }

  /// Copies every document, in bytes, into an empty store, which the same keyring opens from then on.
  ///
  /// Whatever uses this store must be stopped before. When all documents are there, they are compared once more, and only
  /// then does the copy get the mark by which the keyring knows it: until that moment, no ``MultiFactorAuth`` is made of
  /// it. A copy that was broken off is gone on with by copying again. One copy is made at a time: where another one goes on
  /// with it, this one ends with `storeNotEmpty`, at the next page of documents.
  ///
  /// The keyring opens both stores afterwards. Use one of them only: a code that was spent in the one is not in the other.
  /// A ``lossDate`` is not copied: after a failover that lost changes, copy when the codes of then are no longer good.
  ///
  /// - Parameters:
  ///   - destination: A store without documents, or with what a broken copy of this one has left there.
  ///   - keyring: The keyring of this store. It finds out that this is the store to be copied; no document is opened.
  ///   - progress: Is called now and then with the number of documents that were copied, or, in the end, compared.
  /// - Returns: How many documents there are, without the mark.
  /// - Throws: ``ConfigurationError`` with `emptyStore`, `foreignStore` or `incompleteCopy` (of this store),
  ///   `storeNotEmpty` (the destination), or `storeInUse`, after which copying again goes on; ``KeyringError``; what
  ///   either store throws.
  @discardableResult
  public func copy(
    to destination: any FactorStore, keyring: Keyring,
    progress: (_ documentCount: Int, _ isComparing: Bool) -> Void = { _, _ in }
  ) async throws -> Int {
    guard let id = try await StoreMark.id(of: self, by: keyring) else { throw ConfigurationError(.emptyStore, "store") }
    let broken = StoreMark.reservation(forCopyOf: id)
    // Its own: a copy that another one goes on with ends, and does not write to what that one has finished.
    let reservation = broken + (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    let notEmpty = ConfigurationError(.storeNotEmpty, "destination")
    let isEmpty = try await destination.keys(after: nil, limit: 1).isEmpty
    try await destination.update(.store) { stored in
      guard stored?.starts(with: broken) ?? isEmpty else { throw notEmpty }
      stored = reservation
    }
    _ = try await copyDocuments(to: destination, under: reservation) { progress($0, false) }
    let compared = try await copyDocuments(to: destination, under: reservation) { progress($0, true) }
    guard compared.changed == 0 else { throw ConfigurationError(.storeInUse, "store") }
    let mark = try await document(.store)
    try await destination.update(.store) { stored in
      guard stored == reservation else { throw notEmpty }
      stored = mark
    }
    return compared.all
  }

  /// Makes the documents of another store those of this one, but for the mark.
  ///
  /// - Returns: How many this one has, and how many differed there.
  private func copyDocuments(
    to destination: any FactorStore, under reservation: [UInt8], progress: (Int) -> Void
  ) async throws -> (all: Int, changed: Int) {
    var (all, changed) = (0, 0)
    var last: DocumentKey?
    while true {
      try Task.checkCancellation()
      guard try await destination.document(.store) == reservation else {
        throw ConfigurationError(.storeNotEmpty, "destination")
      }
      // The first ones of both are among the first ones of each.
      let keys = try await Set(page(after: last) + destination.page(after: last)).sorted().prefix(Self.pageSize)
      guard let end = keys.last else { return (all, changed) }
      try await withThrowingTaskGroup(of: (isThere: Bool, isChanged: Bool).self) { group in
        for key in keys where key != .store {
          group.addTask {
            let document = try await self.document(key)
            let isChanged = try await destination.update(key) { stored in
              guard stored != document else { return false }
              stored = document
              return true
            }
            return (document != nil, isChanged)
          }
        }
        for try await (isThere, isChanged) in group {
          if isThere { all += 1 }
          if isChanged { changed += 1 }
        }
      }
      progress(all)
      last = end
    }
  }

  /// A page of keys, which goes on: one that does not would have its reader go on for ever.
  func page(after last: DocumentKey?, limit: Int = Self.pageSize) async throws -> [DocumentKey] {
    let keys = try await keys(after: last, limit: limit)
    if let last, let end = keys.last, end <= last { throw PageDoesNotGoOn() }
    return keys
  }
}

/// What a store has done that breaks its promise about pages.
struct PageDoesNotGoOn: Error {}
