import FactorRecord
import Foundation
import MultiFactor

extension MultiFactorAdmin {
  /// Spends every TOTP code that may have been accepted up to a moment, with the record of it lost: after a backup of
  /// the store was restored, before it serves requests.
  ///
  /// It also forgets all remembered browsers: one that was forgotten since the backup would be remembered again.
  ///
  /// As long as a user's app shows a spent code, an attempt is asked to wait, and is not counted. The counters of
  /// hardware tokens and the recovery codes that were used since the backup cannot be known. It goes through all users,
  /// page by page, and can be interrupted and called again.
  ///
  /// - Parameter date: The latest moment at which a server can have accepted a code; `nil` for now.
  /// - Returns: How many accounts were spent, and how many were not, since they do not open: each is an audit event.
  ///   Call again with a keyring that opens them, before a server has it.
  /// - Throws: `AuthError` with code `internalError`; its reason is `clock`, and nothing is spent, if the date, or this
  ///   machine's clock without one, is before 2000 or after 2199.
  @discardableResult
  public func spendCodes(until date: Date? = nil) async throws -> (spent: Int, unreadable: Int) {
    let date = date ?? context.events.now()
    guard Milliseconds.range ~= date.unixSeconds else {
      throw context.events.error(for: FactorRecordError(.invalidTime), nil)
    }
    let configuration = context.configuration
    let counts = try await changeAll { key in
      guard let userID = key.userID, try await !context.account(of: userID).isEmpty else { return false }
      try await change(userID) { account, _ in account.spendAll(until: date, under: configuration) }
      try await context.delete(.remembered, of: userID)
      return true
    }
    context.events.record(.changesLost, user: nil)
    return (counts.changed, counts.unreadable)
  }
}
