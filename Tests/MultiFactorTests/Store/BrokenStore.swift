import Foundation
import MultiFactor

/// A store that is correct except for one fault.
final class BrokenStore: FactorStore {
  /// A fault, with words from the name of a check that must notice it.
  enum Fault: String, CaseIterable, Sendable {
    case none = ""
    case losesAnUpdate = "when its update has returned"
    case runsChangesOutsideTheTransaction = "none is lost"
    case comparesBeforeTheTransaction = "spend one thing at once"
    case writesAllDocumentsBack = "do not disturb each other"
    case countsARepeatedChangeTwice = "however often it runs"
    case returnsTheFirstRun = "what it returns is returned"
    case answersBeforeItIsDone = "is there when its update has returned"
    case readsFromAReplica = "no document until one is left"
    case wrapsErrors = "its own error comes out"
    case keepsWhatAThrowingChangeLeft = "a change that throws changes nothing"
    case keepsADeletionThatThrew = "a change that throws changes nothing, and"
    case undoesOthersWithAThrow = "undone, and only that one"
    case deletesWhatIsLeftAsItWas = "leaves the document as it was"
    case listsDeletedKeys = "nil deletes a document"
    case keepsWhatNilDeletes = "which can come back"
    case dropsEmptyDocuments = "an empty document is a document"
    case truncatesDocumentsAtNUL = "every byte, in every place"
    case keepsTextOnly = "keeps every byte"
    case keeps65535Bytes = "up to a mebibyte"
    case leavesTheEndOfALongerDocument = "replaced whole"
    case truncatesKeysAtNUL = "told apart by each of their bytes"
    case keeps255BytesOfAKey = "each of their bytes"
    case comparesKeysAsTheyLook = "and by nothing else"
    case ignoresCase = "told apart by each"
    case ignoresSpacesAtTheEnd = "bytes, and by nothing else"
    case ordersKeysAsText = "in the order of their bytes"
    case listsKeysShortened = "listed whole"
    case givesNoPageAfterAMissingKey = "whether or not that is there"
    case beginsAPageWithTheGivenKey = "the keys after the given one"
    case leavesGapsBetweenPages = "every key once"
    case takesMinusOneForNoLimit = "a limit of 0 or less"
    case givesOneKeyMore = "as many keys as it may"
    case pagesByPosition = "also while others come and go"
    case comesAndGoesInTwoSteps = "come as often as they go"
    case saysCancelledOfWhatIsMade = "made or not, as it says"
    case showsHalfADocument = "sees a whole document"
    case readsFromTwoReplicas = "never an older one"
    case readsTheMarkLater = "at one moment"
    case remembersTheMark = "beside the store's mark"
    case hidesTheMarkFromChanges = "only beside the store's mark"
  }

  struct Wrapped: Error { let error: any Error }

  private let fault: Fault
  private let store = InMemoryFactorStore()
  private let locked = Locked(Memory())

  private struct Memory {
    var deleted: Set<DocumentKey> = []
    var updates = 0
    var reads = 0
    var before: [DocumentKey: [UInt8]?] = [:]
    /// What an update has not written yet.
    var pending: [DocumentKey: [UInt8]?] = [:]
    var pages: [DocumentKey: Int] = [:]
    var mark: [UInt8]?
    var firstMark: [UInt8]?
  }

  init(fault: Fault) { self.fault = fault }

  /// The key as the faulty store uses it.
  private func known(_ key: DocumentKey) -> DocumentKey {
    let text = String(decoding: key.bytes, as: UTF8.self)
    let bytes: [UInt8] =
      switch fault {
      case .truncatesKeysAtNUL: Array(key.bytes.prefix { $0 != 0 })
      case .keeps255BytesOfAKey: Array(key.bytes.prefix(255))
      case .comparesKeysAsTheyLook: Array(text.precomposedStringWithCanonicalMapping.utf8)
      case .ignoresCase: Array(text.lowercased().utf8)
      case .ignoresSpacesAtTheEnd: Array(key.bytes.reversed().drop { $0 == 0x20 }.reversed())
      default: key.bytes
      }
    return DocumentKey(bytes: bytes) ?? key
  }

  /// Lets other tasks' updates in: until ten more have begun, if that many do. On a busy machine their threads need time.
  private func letOthersIn(after number: Int) async {
    for attempt in 0..<120 where locked.withLock({ $0.updates }) < number + 10 {
      if attempt < 100 { await Task.yield() } else { try? await Task.sleep(for: .milliseconds(1)) }
    }
  }

  private func writePending() async throws {
    let pending = locked.withLock { memory in
      defer { memory.pending = [:] }
      return memory.pending
    }
    for (key, document) in pending { try await store.update(key) { $0 = document } }
  }

  func read(_ key: DocumentKey) async throws -> StoredDocument {
    let stored = await store.read(known(key))
    try await writePending()
    let reads = locked.withLock { memory in
      memory.reads += 1
      return memory.reads
    }
    let before = locked.withLock { $0.before[key] ?? nil }
    let bytes: [UInt8]? =
      switch fault {
      case .readsFromAReplica: before
      case .readsFromTwoReplicas where reads.isMultiple(of: 5): before
      case .showsHalfADocument where reads.isMultiple(of: 5): stored.bytes.map { Array($0.prefix(4096)) }
      default: stored.bytes
      }
    var mark = stored.mark
    switch fault {
    case .readsTheMarkLater:
      await letOthersIn(after: locked.withLock { $0.updates })
      mark = await store.read(.mark).bytes
    case .remembersTheMark: mark = locked.withLock { $0.firstMark }
    default: break
    }
    return StoredDocument(bytes) { mark }
  }

  func change<R: Sendable>(
    _ key: DocumentKey, _ change: @escaping @Sendable (inout StoredDocument) throws -> R
  ) async throws -> R {
    try await update(key) { [self] bytes in
      var stored = StoredDocument(bytes) {
        locked.withLock { memory in
          switch fault {
          case .remembersTheMark: memory.firstMark
          case .hidesTheMarkFromChanges: nil
          default: memory.mark
          }
        }
      }
      defer { bytes = stored.bytes }
      let result = try change(&stored)
      if key == .mark {
        locked.withLock { memory in
          memory.mark = stored.bytes
          memory.firstMark = memory.firstMark ?? stored.bytes
        }
      }
      return result
    }
  }

  private func update<R: Sendable>(
    _ key: DocumentKey, _ change: @escaping @Sendable (inout [UInt8]?) throws -> R
  ) async throws -> R {
    let key = known(key)
    let (number, fault) = locked.withLock { memory in
      memory.updates += 1
      return (memory.updates, self.fault)
    }
    switch fault {
    case .losesAnUpdate where number.isMultiple(of: 17):
      return try await store.update(key) { document in
        var copy = document
        return try change(&copy)
      }
    case .runsChangesOutsideTheTransaction, .comparesBeforeTheTransaction, .comesAndGoesInTwoSteps:
      var document = try await store.document(key)
      let result = try change(&document)
      await letOthersIn(after: number)
      try await store.update(key) { [document] in $0 = document }
      return result
    case .writesAllDocumentsBack:
      let others = try await neighbors(of: key)
      let result = try await store.update(key, change)
      await letOthersIn(after: number)
      for (other, document) in others { try await store.update(other) { $0 = document } }
      return result
    case .countsARepeatedChangeTwice:
      return try await store.update(key) { document in
        _ = try change(&document)
        return try change(&document)
      }
    case .returnsTheFirstRun:
      return try await store.update(key) { document in
        var nothing: [UInt8]?
        let first = try change(&nothing)
        _ = try change(&document)
        return first
      }
    case .answersBeforeItIsDone:
      try await writePending()
      var document = try await store.document(key)
      let result = try change(&document)
      locked.withLock { $0.pending[key] = .some(document) }
      return result
    case .readsFromAReplica, .readsFromTwoReplicas:
      let before = try await store.document(key)
      let result = try await store.update(key, change)
      locked.withLock { $0.before[key] = .some(before) }
      return result
    case .wrapsErrors:
      do { return try await store.update(key, change) } catch { throw Wrapped(error: error) }
    case .undoesOthersWithAThrow:
      let before = try await store.document(key)
      do { return try await store.update(key, change) } catch {
        await letOthersIn(after: number)
        try await store.update(key) { $0 = before }
        throw error
      }
    case .saysCancelledOfWhatIsMade:
      let result = try await store.update(key, change)
      for _ in 0..<100 where !Task.isCancelled { await Task.yield() }
      try Task.checkCancellation()
      return result
    case .listsDeletedKeys:
      let result = try await store.update(key, change)
      if try await store.document(key) == nil { locked.withLock { _ = $0.deleted.insert(key) } }
      return result
    default:
      let outcome: Result<R, any Error> = try await store.update(key) { document in
        let before = document
        let outcome = Result { try change(&document) }
        let hasThrown = if case .failure = outcome { true } else { false }
        let keepsThis =
          fault == .keepsWhatAThrowingChangeLeft || fault == .keepsADeletionThatThrew && document == nil
        if hasThrown, !keepsThis { document = before }
        document = self.kept(document, after: before)
        return outcome
      }
      return try outcome.get()
    }
  }

  /// What the store keeps of a change's result.
  private func kept(_ document: [UInt8]?, after before: [UInt8]?) -> [UInt8]? {
    guard let document else { return fault == .keepsWhatNilDeletes ? before : nil }
    switch fault {
    case .deletesWhatIsLeftAsItWas where before == document: return nil
    case .dropsEmptyDocuments where document.isEmpty: return nil
    case .truncatesDocumentsAtNUL: return Array(document.prefix { $0 != 0 })
    case .keepsTextOnly: return Array(String(decoding: document, as: UTF8.self).utf8)
    case .keeps65535Bytes: return Array(document.prefix(65_535))
    case .leavesTheEndOfALongerDocument: return document + (before ?? []).dropFirst(document.count)
    default: return document
    }
  }

  private func neighbors(of key: DocumentKey) async throws -> [(DocumentKey, [UInt8]?)] {
    var neighbors: [(DocumentKey, [UInt8]?)] = []
    for other in await store.keys(after: nil, limit: .max) where other != key {
      neighbors.append((other, try await store.document(other)))
    }
    return neighbors
  }

  func keys(after key: DocumentKey?, limit: Int) async throws -> [DocumentKey] {
    let all = await store.keys(after: nil, limit: .max)
    let page = await store.keys(after: key, limit: limit)
    switch fault {
    case .listsDeletedKeys:
      let listed = Set(all).union(locked.withLock { $0.deleted }).sorted()
      return Array(listed.filter { other in key.map { other > $0 } ?? true }.prefix(max(0, limit)))
    case .ordersKeysAsText:
      let text: (DocumentKey) -> String = { String(decoding: $0.bytes, as: UTF8.self) }
      let sorted = all.sorted { (text($0), $0) < (text($1), $1) }
      let rest = sorted.drop { other in key.map { (text(other), other) <= (text($0), $0) } ?? false }
      return Array(rest.prefix(max(0, limit)))
    case .listsKeysShortened: return page.map { DocumentKey(bytes: Array($0.bytes.prefix(255))) ?? $0 }
    case .givesNoPageAfterAMissingKey: return key.map(all.contains) ?? true ? page : []
    case .beginsAPageWithTheGivenKey:
      guard let key, limit > 0, all.contains(key), !page.isEmpty else { return page }
      return Array(([key] + page).prefix(limit))
    case .leavesGapsBetweenPages: return page.count == limit && limit > 1 ? Array(page.dropFirst()) : page
    case .takesMinusOneForNoLimit: return limit < 0 ? await store.keys(after: key, limit: .max) : page
    case .givesOneKeyMore: return limit > 0 && limit < .max ? await store.keys(after: key, limit: limit + 1) : page
    case .pagesByPosition:
      // Continues at the index where the previous page ended.
      guard limit > 0 else { return [] }
      let start = locked.withLock { memory in
        key.map { memory.pages[$0] ?? all.firstIndex(of: $0).map { $0 + 1 } ?? 0 } ?? 0
      }
      let page = Array(all.dropFirst(start).prefix(limit))
      locked.withLock { memory in if let last = page.last { memory.pages[last] = start + page.count } }
      return page
    default: return page
    }
  }
}
