import Foundation
import MultiFactor
import MultiFactorPostgreSQL
import MultiFactorSQLite

// What the multi-factor layer throws, as the one line that standard error gets.
extension ToolError {
  init(_ error: AuthError) {
    switch (error.code, error.reason) {
    case (.internalError, .sealing): self = .data("the keyring does not open what the store holds")
    case (.internalError, .store): self = .software("the store failed")
    case (.internalError, .randomness): self = .software("the random generator failed")
    case (.internalError, _): self = .software("the cryptographic library failed")
    case (.userMismatch, _): self = .usage("the account's name must have 1 to 256 bytes and no control characters")
    case (.multiFactorInfoNotFound, _): self = .data("the account has no such factor")
    case (.maximumSecondFactorCountExceeded, _): self = .data("the account has as many factors as it can have")
    case (.sessionExpired, _): self = .negative("the code came too late; begin again")
    case (.userTokenExpired, _), (.requiresRecentLogin, _):
      self = .negative("the account's factors have changed meanwhile; begin again")
    // Its name, of which nothing was typed.
    default: self = .software("the multi-factor layer refuses: \(error.code)")
    }
  }

  /// - Parameter keyring: What the keyring is called.
  init(_ error: KeyringError, keyring: String) {
    switch error.kind {
    case .cannotRead where error.systemError == ENOENT: self = .data("\(keyring) is missing")
    case .cannotRead: self = .data("\(keyring) cannot be read")
    case .cannotWrite: self = .data("\(keyring) cannot be written")
    case .readableByOthers: self = .data("\(keyring) can be read by others; see 'chmod 600'")
    case .randomnessUnavailable: self = .software("the random generator failed")
    case .cryptographyFailed: self = .software("the cryptographic library failed")
    case .boundToAnotherStore: self = .foreignStore(keyring)
    default: self = .data("\(keyring) is no keyring")
    }
  }

  init(_ error: ConfigurationError, keyring: String) {
    switch error.kind {
    case .emptyStore: self = .data("the store is empty, and \(keyring) belongs to another; restore it")
    case .foreignStore: self = .foreignStore(keyring)
    case .incompleteCopy: self = .data("the store is a copy that is not complete; 'otp store copy' goes on with it")
    case .storeNotEmpty: self = .data("the store to copy to is not empty")
    case .storeInUse: self = .data("the store has changed while it was copied; stop what uses it, and copy again")
    // Its name, of which nothing was typed.
    default: self = .software("the multi-factor layer refuses: \(error)")
    }
  }

  private static func foreignStore(_ keyring: String) -> ToolError {
    .data("the store and \(keyring) do not belong together")
  }

  init(_ error: SQLiteFactorStoreError, keyring: String) {
    switch error.kind {
    case .missing: self = .data("the store is missing, and \(keyring) belongs to one; restore it")
    case .cannotOpen: self = .data("the store cannot be opened")
    case .notADatabase: self = .data("the file is no store of factors")
    case .olderVersion: self = .data("the store was written before the first release, and is not read")
    case .newerVersion: self = .data("the store was written by a newer version")
    case .corrupt: self = .data("the store is damaged")
    case .busy: self = .software("the store is busy")
    default: self = .software("the store failed")
    }
  }

  init(_ error: PostgreSQLFactorStoreError) {
    switch error.kind {
    case .invalidURL: self = .usage("the store's URL is not one that it can be used by")
    case .missing: self = .data("there is no store, or no such database")
    case .foreign: self = .data("the database's schema 'otp' is no store of factors")
    case .newerVersion: self = .data("the store was written by a newer version")
    case .corrupt: self = .data("the store is damaged")
    case .authenticationFailed: self = .data("the database server refuses the role or its password")
    case .forbidden: self = .data("the role lacks a right in the database")
    case .untrusted: self = .data("the database server's certificate is not to be trusted, or it has none")
    case .notDurable: self = .data("the database server answers before a change is durable; see 'synchronous_commit'")
    case .readOnly: self = .software("the database server can only be read")
    case .unreachable: self = .software("the database server does not answer")
    // Its name, which is the tool's own.
    default: self = .software("the database server failed: \(error.kind.rawValue)")
    }
  }
}
