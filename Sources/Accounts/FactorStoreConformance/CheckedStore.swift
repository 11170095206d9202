import MultiFactor

/// The store of one check, with helpers for checks.
struct CheckedStore: Sendable {
  /// An expectation of a check that was not met.
  struct Mismatch: Error {
    let message: String
  }

  /// The error that a check's own change throws.
  struct Refusal: Error, Equatable {
    let number: Int
  }

  let store: any FactorStore
  var reopen: (@Sendable (any FactorStore) async throws -> any FactorStore)?
  var empty: (@Sendable (any FactorStore) async throws -> Void)?

  func expect<Value: Equatable & Sendable>(_ actual: Value, _ expected: Value, _ what: String) throws {
    if actual != expected { throw Mismatch(message: "\(what): \(actual) instead of \(expected)") }
  }

  /// Compares documents, which may be too large to show.
  func expect(_ actual: [UInt8]?, _ expected: [UInt8]?, _ what: String) throws {
    guard actual != expected else { return }
    func shown(_ document: [UInt8]?) -> String {
      guard let document else { return "no document" }
      return document.count <= 32 ? "\(document)" : "\(document.count) bytes"
    }
    var message = "\(what): \(shown(actual)) instead of \(shown(expected))"
    if let actual, let expected, let index = zip(actual, expected).enumerated().first(where: { $1.0 != $1.1 })?.offset {
      message += ", which differ at byte \(index)"
    }
    throw Mismatch(message: message)
  }

  /// Checks that a read and a change both see this document under the key, and that the key is listed if there is one.
  func expectHeld(_ document: [UInt8]?, under key: DocumentKey, _ what: String) async throws {
    try await expect(store.document(key), document, "\(what), as it is read")
    try await expect(store.update(key) { $0 }, document, "\(what), as a change sees it")
    let isListed = try await keys().contains(key)
    try expect(isListed, document != nil, "\(what): whether its key is listed")
  }

  func key(_ bytes: [UInt8]) throws -> DocumentKey {
    guard let key = DocumentKey(bytes: bytes) else { throw Mismatch(message: "\(bytes.count) bytes are not a key") }
    return key
  }

  func key(_ text: String) throws -> DocumentKey { try key(Array(text.utf8)) }

  /// Writes a document, or deletes it.
  func put(_ document: [UInt8]?, under key: DocumentKey) async throws {
    try await store.update(key) { $0 = document }
  }

  /// All keys, page by page.
  func keys(limit: Int = 100) async throws -> [DocumentKey] {
    var keys: [DocumentKey] = []
    while true {
      let page = try await store.keys(after: keys.last, limit: limit)
      guard let last = page.last else { return keys }
      // Otherwise this would not end.
      if let before = keys.last, last <= before { throw Mismatch(message: "a page ends where the one before it did") }
      try expect(page.count <= limit, true, "a page of at most \(limit) keys")
      keys += page
    }
  }

  /// Adds 1 to the number in a document, which is 0 if there is none.
  ///
  /// - Returns: The new number, as returned by the change.
  func increment(_ key: DocumentKey) async throws -> Int {
    try await store.update(key) { document in
      let number = CheckedStore.number(document) + 1
      document = Array(String(number).utf8)
      return number
    }
  }

  func number(_ key: DocumentKey) async throws -> Int { try await CheckedStore.number(store.document(key)) }

  private static func number(_ document: [UInt8]?) -> Int {
    document.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
  }

  /// Runs a body many times concurrently.
  ///
  /// - Returns: The results, in the order of the indices.
  func atOnce<Value: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Value
  ) async throws -> [Value] {
    try await withThrowingTaskGroup(of: (Int, Value).self) { group in
      for index in 0..<count { group.addTask { try await (index, body(index)) } }
      return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }
}
