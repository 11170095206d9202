import Keyring
import MultiFactor

extension MultiFactorAdmin {
  /// Seals again, with the active key, every document that another key has sealed: after a rotation, before the old key
  /// is removed.
  ///
  /// It goes through all documents, page by page, and can be interrupted and called again. A document that does not
  /// open is counted and left as it is.
  ///
  /// - Returns: How many documents were sealed again, and how many do not open.
  /// - Throws: `AuthError` with code `internalError` if the store fails.
  @discardableResult
  public func resealAll() async throws -> (resealed: Int, unreadable: Int) {
    let counts = try await changeAll { key in
      guard try await reseal(key) else { return false }
      if let userID = key.userID { context.events.record(.resealed, user: userID) }
      return true
    }
    return (counts.changed, counts.unreadable)
  }

  /// Changes all documents, page by page.
  ///
  /// - Returns: How many were changed, and how many do not open.
  func changeAll(
    _ change: (DocumentKey) async throws -> Bool
  ) async throws -> (changed: Int, unreadable: Int) {
    var counts = (changed: 0, unreadable: 0)
    var last: DocumentKey?
    while true {
      let keys = try await keys(after: last, limit: 100)
      guard let end = keys.last else { return counts }
      for key in keys {
        do {
          if try await change(key) { counts.changed += 1 }
        } catch {
          let failure = context.events.error(for: error, key.userID)
          guard failure.reason == .sealing else { throw failure }
          counts.unreadable += 1
        }
      }
      last = end
    }
  }

  private func reseal(_ key: DocumentKey) async throws -> Bool {
    if key == .mark { return try await StoreMark.reseal(in: context.documents.store, by: context.documents.keyring) }
    return try await context.documents.reseal(key)
  }
}
