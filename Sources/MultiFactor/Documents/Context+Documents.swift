import Foundation
import Keyring
import OTP

// Documents.
extension Context {
  /// A user's account, at one moment.
  package func account(of userID: String) async throws(AuthError) -> Account {
    var account: Account = try await document(.user(userID), user: userID)
    if let date = store.lossDate { account.spendAll(until: date, under: configuration) }
    return account
  }

  /// A document, at one moment.
  package func document<D: Document>(_ key: DocumentKey, user: String) async throws(AuthError) -> D {
    do {
      let stored = try await inSpan(.read) { try await store.read(key) }
      return try open(stored, of: D.self, under: key)?.document ?? .empty
    } catch {
      throw failure(error, user: user)
    }
  }

  /// Changes a user's account by a rule, in one durable transaction.
  ///
  /// What the rule changes is stored whether or not it throws. It may run again; only the result of its last run is
  /// returned and reported, once that is durable.
  ///
  /// - Throws: ``AuthError`` for the refusal that the rule throws, which is reported; or with code `internalError`.
  package func change<R: Sendable>(
    _ userID: String, _ rule: @escaping @Sendable (inout Account) throws(Refusal) -> R
  ) async throws(AuthError) -> R {
    let (result, isResealed) = try await change(.user(userID), user: userID) {
      [store, configuration] (account: inout Account) throws(Refusal) in
      if let date = store.lossDate { account.spendAll(until: date, under: configuration) }
      return try rule(&account)
    }
    reportLoss()
    if isResealed { record(.resealed, user: userID) }
    do { return try result.get() } catch { throw refused(error, userID) }
  }

  /// Reports once that the store may have lost changes.
  ///
  /// - Returns: Up to when.
  @discardableResult
  package func reportLoss() -> Date? {
    let date = store.lossDate
    let isNew = knownLoss.withLock { known in
      defer { known = date }
      return date != nil && date != known
    }
    if isNew { record(.changesLost, user: nil) }
    return date
  }

  /// Changes a user's account by a rule that may revoke the user's handles, and notifies the host if it has.
  ///
  /// If the store fails after the rule has run, it is unknown whether the change was made. The host is notified of the
  /// revocation then too: ending a session needlessly does less harm than missing one.
  ///
  /// - Parameter report: Reports the result; called before the revocation is reported.
  package func changeRevoking<R: Sendable>(
    _ userID: String, _ rule: @escaping @Sendable (inout Account) throws(Refusal) -> R, report: (R) -> Void
  ) async throws(AuthError) -> R {
    let isRevocation = Locked(false)
    do {
      let result = try await change(userID) { account throws(Refusal) in
        let generation = account.generation
        defer {
          let isRevoked = account.generation != generation
          isRevocation.withLock { $0 = isRevoked }
        }
        return try rule(&account)
      }
      report(result)
      if isRevocation.withLock({ $0 }) { await recordRevocation(of: userID) }
      return result
    } catch {
      if isRevocation.withLock({ $0 }) { await notifyOfRevocation(of: userID) }
      throw error
    }
  }

  /// Changes a document by a rule.
  ///
  /// - Returns: The result of the rule, and whether the changed document is now sealed with the active key instead of
  ///   an older one.
  package func change<D: Document, R: Sendable>(
    _ key: DocumentKey, user: String?, _ rule: @escaping @Sendable (inout D) throws(Refusal) -> R
  ) async throws(AuthError) -> (result: Result<R, Refusal>, isResealed: Bool) {
    do {
      return try await inSpan(.change) {
        try await store.change(key) { [self] stored in
          let opened = try open(stored, of: D.self, under: key)
          var document = opened?.document ?? .empty
          let before = opened?.bytes ?? document.document()
          let result = Result { () throws(Refusal) in try rule(&document) }
          let after = document.document()
          guard !SecretBytes.equal(before, after) else { return (result, false) }
          stored.bytes = try seal(after, under: key)
          return (result, opened?.isByActiveKey == false)
        }
      }
    } catch {
      throw failure(error, user: user)
    }
  }

  /// Opens a document.
  ///
  /// - Returns: `nil` if there is none, and this is the store in which there is none.
  /// - Throws: ``FactorStoreError`` with `replaced`; ``KeyringError``.
  package func open<D: Document>(
    _ stored: StoredDocument, of type: D.Type, under key: DocumentKey
  ) throws -> (document: D, bytes: SecretBytes, isByActiveKey: Bool)? {
    guard let bytes = stored.bytes else {
      try check(stored.mark)
      return nil
    }
    let opened = try keyring.open(bytes, for: .document, boundTo: binding(of: key))
    return (try D(document: opened.bytes), opened.bytes, opened.isByActiveKey)
  }

  /// Checks that a mark is that of this store: otherwise a missing document means nothing.
  package func check(_ mark: [UInt8]?) throws {
    guard let mark else { throw FactorStoreError(.replaced) }
    guard knownMark.withLock({ $0 != mark }) else { return }
    guard try StoreMark.isMark(mark, of: storeID, by: keyring) else { throw FactorStoreError(.replaced) }
    knownMark.withLock { $0 = mark }
  }

  func seal(_ document: some Document, under key: DocumentKey) throws(KeyringError) -> [UInt8] {
    try seal(document.document(), under: key)
  }

  private func seal(_ document: SecretBytes, under key: DocumentKey) throws(KeyringError) -> [UInt8] {
    guard document.byteCount <= maximumDocumentByteCount else { throw KeyringError(.tooLong) }
    return try keyring.seal(document, for: .document, boundTo: binding(of: key))
  }

  /// What a document is bound to: its store and its key.
  private func binding(of key: DocumentKey) throws(KeyringError) -> [String] {
    guard let text = key.text else { throw KeyringError(.malformed) }
    return [storeID, text]
  }

  /// Seals a document again if a key other than the active one has sealed it.
  ///
  /// - Returns: Whether it was sealed again.
  package func reseal(_ key: DocumentKey) async throws -> Bool {
    try await store.update(key) { [self] stored in
      guard let bytes = stored else { return false }
      let opened = try keyring.open(bytes, for: .document, boundTo: binding(of: key))
      if !opened.isByActiveKey { stored = try seal(opened.bytes, under: key) }
      return !opened.isByActiveKey
    }
  }
}
