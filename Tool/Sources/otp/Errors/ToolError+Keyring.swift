/// What a store and its keyring are called in error messages: by their paths, as far as these may be shown.
struct StoreNames {
  var store = "the store"
  var keyring = "the keyring"
}

extension KeyringError {
  /// The system's reason.
  fileprivate var reason: String? { systemError.map { unsafe String(cString: strerror($0)) } }
}

extension ToolError {
  init(_ error: KeyringError, _ names: StoreNames) {
    let keyring = names.keyring
    switch error.kind {
    case .cannotRead where error.systemError == ENOENT:
      self = .data("\(keyring) is missing, and only it opens \(names.store); restore it, or name it with --keyring")
    case .cannotRead: self = .data("\(keyring) cannot be read: \(error.reason ?? "it is neither a file nor a pipe")")
    case .cannotWrite: self = .data("\(keyring) cannot be written\(error.reason.map { ": \($0)" } ?? "")")
    case .exists: self = .data("\(keyring) already belongs to a store; nothing was created")
    case .readableByOthers: self = .data("\(keyring) can be read by others; see 'chmod 600'")
    case .corrupt: self = .data("\(keyring) is damaged; restore it")
    case .randomnessUnavailable: self = .software("the random generator failed")
    case .cryptographyFailed: self = .software("the cryptographic library failed")
    case .boundToAnotherStore: self = .foreignStore(names)
    default: self = .data("\(keyring) is not a keyring")
    }
  }

  static func foreignStore(_ names: StoreNames) -> ToolError {
    .data("\(names.store) and \(names.keyring) do not belong together; find the two that do")
  }
}
