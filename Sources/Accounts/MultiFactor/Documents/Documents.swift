import Foundation
import Keyring
import OTP

/// Opens, changes and seals the documents of a store.
package final class Documents: Sendable {
  package let store: any FactorStore
  /// The store's ID: whatever is sealed for the store is bound to it.
  package let storeID: String
  package let keyring: Keyring
  /// Called when a document is sealed with the active key instead of an older one, once that is durable.
  private let onResealing: @Sendable (DocumentKey) -> Void
  /// The mark that was recognized last, so that it is opened only once.
  private let knownMark = Locked<[UInt8]?>(nil)

  init(
    _ store: any FactorStore, storeID: String, keyring: Keyring, onResealing: @escaping @Sendable (DocumentKey) -> Void
  ) {
    self.store = store
    self.storeID = storeID
    self.keyring = keyring
    self.onResealing = onResealing
  }

  /// A document, at one moment.
  ///
  /// - Throws: ``FactorStoreError`` or another error of the store's; `KeyringError`.
  package func read<D: Document>(_ key: DocumentKey) async throws -> D {
    try open(try await store.read(key), of: D.self, under: key)?.document ?? .empty
  }

  /// Changes a document by a rule, in one durable transaction.
  ///
  /// What the rule changes is stored whether or not it throws. It may run again; only its last run's result counts.
  ///
  /// - Throws: ``Refusal``, which the rule has thrown; ``FactorStoreError`` or another error of the store's;
  ///   `KeyringError`.
  ///
  /// Runs where its caller does, since a change of executors takes longer than what it does itself.
  nonisolated(nonsending) package func change<D: Document, R: Sendable>(
    _ key: DocumentKey, _ rule: @escaping @Sendable (inout D) throws(Refusal) -> R
  ) async throws -> R {
    let (result, isResealed) = try await store.change(key) { [self] stored in
      var (document, before, isByActiveKey) =
        try open(stored, of: D.self, under: key) ?? (.empty, D.empty.document(), true)
      let result = Result { () throws(Refusal) in try rule(&document) }
      let after = document.document()
      guard !SecretBytes.equal(before, after) else { return (result, false) }
      stored.bytes = try seal(after, under: key)
      return (result, !isByActiveKey)
    }
    if isResealed { onResealing(key) }
    return try result.get()
  }

  /// Deletes a document.
  package func delete(_ key: DocumentKey) async throws { try await store.update(key) { $0 = nil } }

  /// Opens a document.
  ///
  /// - Returns: `nil` if there is none, and this is the store in which there is none.
  /// - Throws: ``FactorStoreError`` with `replaced`; `KeyringError`.
  package func open<D: Document>(
    _ stored: StoredDocument, of type: D.Type, under key: DocumentKey
  ) throws -> (document: D, bytes: SecretBytes, isByActiveKey: Bool)? {
    guard let bytes = stored.bytes else {
      try check(stored.mark)
      return nil
    }
    let opened = try keyring.open(bytes.span, for: .document, boundTo: key.binding(in: storeID))
    return (try D(document: opened.bytes), opened.bytes, opened.isByActiveKey)
  }

  /// Checks that a mark is that of this store: otherwise a missing document means nothing.
  package func check(_ mark: [UInt8]?) throws {
    guard let mark else { throw FactorStoreError(.replaced) }
    guard knownMark.withLock({ $0 != mark }) else { return }
    guard try StoreMark.isMark(mark, of: storeID, by: keyring) else { throw FactorStoreError(.replaced) }
    knownMark.withLock { $0 = mark }
  }

  package func seal(_ document: some Document, under key: DocumentKey) throws(KeyringError) -> [UInt8] {
    try seal(document.document(), under: key)
  }

  private func seal(_ document: SecretBytes, under key: DocumentKey) throws(KeyringError) -> [UInt8] {
    guard document.byteCount <= maximumDocumentByteCount else { throw KeyringError(.tooLong) }
    return try keyring.seal(document, for: .document, after: 0, boundTo: key.binding(in: storeID))
  }

  /// Seals a document again if a key other than the active one has sealed it.
  ///
  /// - Returns: Whether it was sealed again.
  package func reseal(_ key: DocumentKey) async throws -> Bool {
    try await store.update(key) { [self] stored in
      guard let bytes = stored else { return false }
      let opened = try keyring.open(bytes.span, for: .document, boundTo: key.binding(in: storeID))
      if !opened.isByActiveKey { stored = try seal(opened.bytes, under: key) }
      return !opened.isByActiveKey
    }
  }
}

extension DocumentKey {
  /// Writes what the key's document is bound to: its store and the key.
  package func binding(in storeID: String) -> (inout ByteWriter) -> Void {
    { writer in
      writer.append(length: 2)
      writer.append(storeID)
      writer.append(bytes)
    }
  }
}
