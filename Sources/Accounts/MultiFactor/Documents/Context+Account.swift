import Foundation
import Keyring

// Users' accounts.
extension Context {
  /// A user's account, at one moment.
  package func account(of userID: String) async throws(AuthError) -> Account {
    do {
      var account: Account = try await documents.read(.user(userID))
      if let date = documents.store.lossDate { account.spendAll(until: date, under: configuration) }
      return account
    } catch {
      throw events.error(for: error, userID)
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
    do { return try await apply(to: userID, rule) } catch { throw events.error(for: error, userID) }
  }

  /// The same, for an operation that reports its own end.
  ///
  /// - Throws: As ``Documents/change(_:_:)``.
  nonisolated(nonsending) func apply<R: Sendable>(
    to userID: String, _ rule: @escaping @Sendable (inout Account) throws(Refusal) -> R
  ) async throws -> R {
    defer { events.reportLoss(of: documents.store) }
    return try await documents.change(.user(userID)) {
      [store = documents.store, configuration] (account: inout Account) throws(Refusal) in
      if let date = store.lossDate { account.spendAll(until: date, under: configuration) }
      return try rule(&account)
    }
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
      if isRevocation.withLock({ $0 }) { await events.recordRevocation(of: userID) }
      return result
    } catch {
      if isRevocation.withLock({ $0 }) { await events.notifyOfRevocation(of: userID) }
      throw error
    }
  }
}
