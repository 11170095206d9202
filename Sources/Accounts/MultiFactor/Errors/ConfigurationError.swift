/// What is wrong with a configuration, or with the configured store: it names the part, never its value.
public struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of an error.
  @nonexhaustive public enum Kind: String, Sendable {
    /// The text is not JSON, or a value has the wrong type.
    case malformed
    /// A part that the format does not define.
    case unknownKey
    /// A required part is missing.
    case missingKey
    /// A value outside its range.
    case outOfRange
    /// The same thing configured twice.
    case duplicate
    /// A part that needs another one, which is missing.
    case incomplete
    /// Neither the store nor the keyring has been used: create them together, once, with
    /// ``MultiFactorAuth/createStore(keyringFile:_:)`` or `otp store create`.
    case notCreated
    /// The store is empty, but the keyring has sealed for one: the store was lost, or its path is mistyped.
    case emptyStore
    /// The store is not the one that the keyring has sealed for, or another keyring has sealed for it.
    case foreignStore
    /// A copy into the store was interrupted before all documents were there: copy again to complete it.
    case incompleteCopy
    /// The destination of a copy is not empty, and does not hold just an interrupted copy of the same store.
    case storeNotEmpty
    /// The store changed while it was being copied: something still uses it.
    case storeInUse
  }

  /// What is wrong.
  public let kind: Kind
  /// The part, by its path: `mfa.providerConfigs[0].state`.
  public let part: String

  package init(_ kind: Kind, _ part: String) {
    self.kind = kind
    self.part = part
  }

  package static func outOfRange(_ part: String) -> ConfigurationError { ConfigurationError(.outOfRange, part) }

  /// The kind and the part.
  public var description: String { "\(kind.rawValue): \(part)" }
}
