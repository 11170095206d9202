import Foundation
import MultiFactor

// Errors of the multi-factor layer, as one line for standard error.
extension ToolError {
  init(_ error: AuthError) {
    switch (error.code, error.reason) {
    case (.internalError, .sealing): self = .data("the keyring cannot open the store's documents")
    case (.internalError, .store):
      self = error.storeError.map { ToolError($0, keyring: "the keyring") } ?? .software("the store failed")
    case (.internalError, .randomness): self = .software("the random generator failed")
    case (.internalError, _): self = .software("the cryptographic library failed")
    case (.userMismatch, _): self = .usage("the account must have 1 to 256 bytes and no control characters")
    case (.multiFactorInfoNotFound, _): self = .data("the account has no such factor")
    case (.maximumSecondFactorCountExceeded, _): self = .data("the account already has the maximum number of factors")
    case (.sessionExpired, _): self = .negative("the code came too late; start again")
    case (.userTokenExpired, _), (.requiresRecentLogin, _):
      self = .negative("the account's factors have changed in the meantime; start again")
    // Its name, of which nothing was typed.
    default: self = .software("the operation was refused: \(error.code)")
    }
  }

  /// - Parameter keyring: The keyring's name in the message.
  init(_ error: KeyringError, keyring: String) {
    switch error.kind {
    case .cannotRead where error.systemError == ENOENT: self = .data("\(keyring) is missing")
    case .cannotRead: self = .data("\(keyring) cannot be read")
    case .cannotWrite: self = .data("\(keyring) cannot be written")
    case .exists: self = .data("\(keyring) already exists")
    case .readableByOthers: self = .data("\(keyring) can be read by others; see 'chmod 600'")
    case .corrupt: self = .data("\(keyring) is damaged; restore it")
    case .randomnessUnavailable: self = .software("the random generator failed")
    case .cryptographyFailed: self = .software("the cryptographic library failed")
    case .boundToAnotherStore: self = .foreignStore(keyring)
    default: self = .data("\(keyring) is not a keyring")
    }
  }

  init(_ error: ConfigurationError, keyring: String) {
    switch error.kind {
    case .emptyStore: self = .data("the store is empty, but \(keyring) belongs to another one; restore it")
    case .foreignStore: self = .foreignStore(keyring)
    case .incompleteCopy: self = .data("the store's copy is not complete; run 'otp store copy' again")
    case .storeNotEmpty: self = .data("the store to copy to is not empty")
    case .storeInUse:
      self = .data("the store changed while it was being copied; stop everything that uses it, and copy again")
    // Its name, of which nothing was typed.
    default: self = .software("the operation was refused: \(error)")
    }
  }

  private static func foreignStore(_ keyring: String) -> ToolError {
    .data("the store and \(keyring) do not belong together")
  }

  init(_ error: FactorStoreError, keyring: String) {
    switch error.kind {
    case .missing: self = .data("the store is missing, but \(keyring) belongs to one; restore it")
    case .exists: self = .data("there already is a store")
    case .replaced: self = .data("the store was exchanged, emptied or moved while it was in use")
    case .severalNames:
      self = .data("the store has several names: remove its hard links, and mount its folder instead of the file")
    case .foreign: self = .data("the file, or the database's schema 'otp', is not a store of factors")
    case .olderVersion: self = .data("the store was written before the first release, and is not supported")
    case .newerVersion: self = .data("the store was written by a newer version")
    case .corrupt: self = .data("the store is damaged")
    case .invalidConfiguration: self = .usage("the store's URL is invalid")
    case .cannotOpen: self = .data("the store cannot be opened")
    case .unreachable: self = .software("the database server does not respond")
    case .untrusted: self = .data("the database server's certificate is missing or not trusted")
    case .authenticationFailed: self = .data("the database server refuses the role or its password")
    case .forbidden: self = .data("the role lacks a right in the database")
    case .readOnly: self = .software("the store is read-only")
    case .notDurable:
      self = .data(
        "the database server acknowledges changes before they are durable; see 'fsync', 'synchronous_commit'")
    case .full: self = .software("the disk is full")
    case .timeout: self = .software("the store is busy")
    case .outcomeUnknown: self = .software("the store failed, perhaps after the change was made")
    // The kind is a fixed word.
    default: self = .software("the store failed: \(error.kind.rawValue)")
    }
  }
}
