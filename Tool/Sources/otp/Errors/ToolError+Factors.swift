// Errors of the multi-factor layer, as one line for standard error.
extension ToolError {
  init(_ error: AuthError) {
    switch (error.code, error.reason) {
    case (.internalError, .sealing): self = .data("the keyring cannot open the store's documents")
    case (.internalError, .store):
      self = error.storeError.map { ToolError($0, StoreNames()) } ?? .software("the store failed")
    case (.internalError, .randomness): self = .software("the random generator failed")
    case (.internalError, .clock): self = .software("this machine's clock is before 2000 or after 2199")
    case (.internalError, _): self = .software("the cryptographic library failed")
    case (.userMismatch, _): self = .usage("the account must have 1 to 256 bytes and no control characters")
    case (.multiFactorInfoNotFound, _): self = .data("the account has no such factor")
    case (.maximumSecondFactorCountExceeded, _): self = .data("the account already has the maximum number of factors")
    case (.sessionExpired, _): self = .negative("the code came too late; start again")
    case (.userTokenExpired, _), (.requiresRecentLogin, _):
      self = .negative("the account's factors have changed in the meantime; start again")
    // The name of a code is a fixed word.
    default: self = .software("the operation was refused: \(error.code)")
    }
  }

  static var destinationNotEmpty: Self { .data("the store to copy to is not empty") }

  init(_ error: ConfigurationError, _ names: StoreNames) {
    switch error.kind {
    case .notCreated:
      self = .data(
        "\(names.store) is empty, and \(names.keyring) has no store yet; complete them by 'otp store create'")
    case .emptyStore:
      self = .data("\(names.store) is empty, but \(names.keyring) belongs to one that is not; restore it")
    case .foreignStore: self = .foreignStore(names)
    case .incompleteCopy: self = .data("\(names.store) is an incomplete copy; run 'otp store copy' again")
    case .storeNotEmpty: self = .destinationNotEmpty
    case .storeInUse:
      self = .data("the store changed while it was being copied; stop everything that uses it, and copy again")
    // The name of a code is a fixed word.
    default: self = .software("the operation was refused: \(error)")
    }
  }

  init(_ error: FactorStoreError, _ names: StoreNames) {
    let store = names.store
    switch error.kind {
    case .missing:
      self = .data("\(store) is missing, but \(names.keyring) belongs to one; restore it, or name it with --store")
    case .exists: self = .data("\(store) already exists; nothing was created")
    case .replaced: self = .data("\(store) was exchanged, emptied or moved while it was in use")
    case .severalNames:
      self = .data("\(store) has several names: remove its hard links, and mount its folder instead of the file")
    case .foreign: self = .data("\(store) is something else: the file, or the schema 'otp', is not a store of factors")
    case .olderVersion: self = .data("\(store) was written before the first release, and is not supported")
    case .newerVersion: self = .data("\(store) was written by a newer version")
    case .corrupt: self = .data("\(store) is damaged")
    case .invalidConfiguration: self = .usage("the store's URL is invalid")
    case .cannotOpen: self = .data("\(store) cannot be opened")
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
