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
  /// - Returns: How many users there are. One whose document does not open is left out and reported as an audit event.
  /// - Throws: `AuthError` with code `internalError`; its reason is `clock`, and nothing is spent, if the date, or this
  ///   machine's clock without one, is before 2000 or after 2199.
  @discardableResult
  public func spendCodes(until date: Date? = nil) async throws -> Int {
    let date = date ?? context.events.now()
    guard Milliseconds.range ~= date.unixSeconds else {
      throw context.events.error(for: FactorRecordError(.invalidTime), nil)
    }
    let configuration = context.configuration
    var (count, last) = (0, String?.none)
    while let page = try await nextPage(after: last) {
      for user in page {
        try await change(user.userID) { account, _ in account.spendAll(until: date, under: configuration) }
        try await context.delete(.remembered, of: user.userID)
        count += 1
      }
      last = page.last?.userID
    }
    context.events.record(.changesLost, user: nil)
    return count
  }

  private func nextPage(after userID: String?) async throws -> [AdministeredUser]? {
    let page = try await users(after: userID, limit: 500)
    return page.isEmpty ? nil : page
  }
}
