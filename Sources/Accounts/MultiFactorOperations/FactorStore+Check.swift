import Keyring
import MultiFactor
import OTP

/// What a store holds, as far as its keyring can open it.
public struct StoreCheck: Sendable, Hashable {
  /// How many users have an account: those that `MultiFactorAdmin.users(after:limit:)` lists.
  public internal(set) var userCount = 0
  /// How many documents there are, with those of external factors, not counting the store's mark.
  public internal(set) var documentCount = 0
  /// The keys, in order, of the documents that do not open: they are damaged, were moved, or were sealed by a key that
  /// is gone.
  public internal(set) var unreadable: [DocumentKey] = []
}

extension FactorStore {
  /// Opens and counts all documents, without changing anything.
  ///
  /// - Parameters:
  ///   - keyring: The store's keyring.
  ///   - progress: Called after each page with the number of documents so far.
  /// - Throws: `ConfigurationError` with `emptyStore`, `foreignStore` or `incompleteCopy`; `KeyringError` with
  ///   `cryptographyFailed`; what the store throws.
  public func check(keyring: Keyring, progress: (_ documentCount: Int) -> Void = { _ in }) async throws -> StoreCheck {
    guard let id = try await StoreMark.id(of: self, by: keyring) else { throw ConfigurationError(.emptyStore, "store") }
    var check = StoreCheck()
    var last: DocumentKey?
    while true {
      try Task.checkCancellation()
      let keys = try await page(after: last)
      guard let end = keys.last else { return check }
      let states = try await withThrowingTaskGroup(of: (DocumentKey, DocumentState).self) { group in
        for key in keys { group.addTask { (key, try await self.state(of: key, storeID: id, keyring: keyring)) } }
        return try await group.reduce(into: [DocumentKey: DocumentState]()) { $0[$1.0] = $1.1 }
      }
      for key in keys where key != .mark && states[key] != .gone {
        check.documentCount += 1
        if states[key] == .user { check.userCount += 1 }
        if states[key] == .unreadable { check.unreadable.append(key) }
      }
      progress(check.documentCount)
      last = end
    }
  }

  private func state(of key: DocumentKey, storeID: String, keyring: Keyring) async throws -> DocumentState {
    guard let stored = try await document(key) else { return .gone }
    do throws(KeyringError) {
      // It was opened at the beginning.
      guard key != .mark else { return .readable }
      let bytes = try keyring.open(stored.span, for: .document, boundTo: key.binding(in: storeID)).bytes
      guard key.userID != nil else { return .readable }
      return try Account(document: bytes).isEmpty ? .readable : .user
    } catch {
      guard error.kind != .cryptographyFailed else { throw error }
      return .unreadable
    }
  }
}

private enum DocumentState {
  case readable, user, unreadable
  /// It has just been deleted.
  case gone
}
