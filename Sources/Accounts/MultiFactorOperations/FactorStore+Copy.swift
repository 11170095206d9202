import Keyring
import MultiFactor

extension FactorStore {
  /// Copies every document, byte by byte, into an empty store, which the same keyring then also opens.
  ///
  /// First stop everything that uses this store. When all documents are there, they are compared once more, and only
  /// then does the copy get the mark by which the keyring recognizes it: until then, no `MultiFactorAuth` accepts it.
  /// Copy again to resume an interrupted copy. Only one copy can run at a time: if another one resumes it, this one
  /// ends with `storeNotEmpty` at the next page of documents.
  ///
  /// The keyring opens both stores afterward. Use only one of them: a code that is spent in one is not spent in the
  /// other. The `lossDate` is not copied: after a failover that lost changes, do not copy until the codes of that
  /// time are no longer valid; a remembered browser whose end was lost stays remembered.
  ///
  /// - Parameters:
  ///   - destination: A store that is empty, or contains an interrupted copy of this one.
  ///   - keyring: The keyring of this store, used only to check that it is; no document is opened.
  ///   - progress: Called after each page with the number of documents copied or, at the end, compared.
  /// - Returns: How many documents there are, not counting the mark.
  /// - Throws: `ConfigurationError` with `emptyStore`, `foreignStore` or `incompleteCopy` (of this store),
  ///   `storeNotEmpty` (the destination), or `storeInUse`, after which you can copy again; `KeyringError`; what
  ///   either store throws.
  @discardableResult
  public func copy(
    to destination: any FactorStore, keyring: Keyring,
    progress: (_ documentCount: Int, _ isComparing: Bool) -> Void = { _, _ in }
  ) async throws -> Int {
    guard let id = try await StoreMark.id(of: self, by: keyring) else { throw ConfigurationError(.emptyStore, "store") }
    let broken = StoreMark.reservation(forCopyOf: id)
    // Unique to this copy: if another one resumes it, this one ends, and does not write to a finished copy.
    let reservation = broken + (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    let notEmpty = ConfigurationError(.storeNotEmpty, "destination")
    let isEmpty = try await destination.keys(after: nil, limit: 1).isEmpty
    try await destination.update(.mark) { stored in
      guard stored?.starts(with: broken) ?? isEmpty else { throw notEmpty }
      stored = reservation
    }
    _ = try await copyDocuments(to: destination, under: reservation) { progress($0, false) }
    let compared = try await copyDocuments(to: destination, under: reservation) { progress($0, true) }
    guard compared.changed == 0 else { throw ConfigurationError(.storeInUse, "store") }
    guard let mark = try await document(.mark) else { throw ConfigurationError(.storeInUse, "store") }
    try await destination.update(.mark) { stored in
      guard stored == reservation else { throw notEmpty }
      stored = mark
    }
    return compared.all
  }

  /// Makes the documents of another store equal to those of this one, except for the mark.
  ///
  /// - Returns: How many this store has, and how many differed in the other.
  private func copyDocuments(
    to destination: any FactorStore, under reservation: [UInt8], progress: (Int) -> Void
  ) async throws -> (all: Int, changed: Int) {
    var (all, changed) = (0, 0)
    var last: DocumentKey?
    while true {
      try Task.checkCancellation()
      guard try await destination.document(.mark) == reservation else {
        throw ConfigurationError(.storeNotEmpty, "destination")
      }
      // The first keys of the union are among the first keys of each.
      let keys = try await Set(page(after: last) + destination.page(after: last)).sorted().prefix(Self.pageSize)
      guard let end = keys.last else { return (all, changed) }
      try await withThrowingTaskGroup(of: (isThere: Bool, isChanged: Bool).self) { group in
        for key in keys where key != .mark {
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
}
