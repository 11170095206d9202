import Foundation
import MultiFactor
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

  init(_ error: KeyringError) {
    switch error.kind {
    case .cannotRead where error.systemError == ENOENT: self = .data("keyring.json beside the store is missing")
    case .cannotRead: self = .data("keyring.json beside the store cannot be read")
    case .cannotWrite: self = .data("keyring.json beside the store cannot be written")
    case .readableByOthers: self = .data("keyring.json beside the store can be read by others; see 'chmod 600'")
    case .randomnessUnavailable: self = .software("the random generator failed")
    case .cryptographyFailed: self = .software("the cryptographic library failed")
    case .boundToAnotherStore: self = .foreignStore
    default: self = .data("keyring.json beside the store is no keyring")
    }
  }

  init(_ error: ConfigurationError) {
    switch error.kind {
    case .emptyStore: self = .data("the store is empty, and keyring.json beside it belongs to another; restore it")
    case .foreignStore: self = .foreignStore
    // Its name, of which nothing was typed.
    default: self = .software("the multi-factor layer refuses: \(error)")
    }
  }

  private static let foreignStore = ToolError.data("the store and keyring.json beside it do not belong together")

  init(_ error: SQLiteFactorStoreError) {
    switch error.kind {
    case .missing: self = .data("the store is missing, and keyring.json beside it belongs to one; restore it")
    case .cannotOpen: self = .data("the store cannot be opened")
    case .notADatabase: self = .data("the file is no store of factors")
    case .olderVersion: self = .data("the store was written before the first release, and is not read")
    case .newerVersion: self = .data("the store was written by a newer version")
    case .corrupt: self = .data("the store is damaged")
    case .busy: self = .software("the store is busy")
    default: self = .software("the store failed")
    }
  }
}
