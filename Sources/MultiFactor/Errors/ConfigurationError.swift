/// What is wrong with a configuration, or with what was configured: it names the part, never its value.
public struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of an error.
  @nonexhaustive public enum Kind: String, Sendable {
    /// The text is not JSON, or a value has another type than its part.
    case malformed
    /// A part that the format does not define.
    case unknownKey
    /// A required part is missing.
    case missingKey
    /// A value outside its range.
    case outOfRange
    /// The same thing configured twice.
    case duplicate
    /// A part that needs another one that is not there.
    case incomplete
    /// The store is empty, and the keyring has sealed for one: the store was lost, or its path is mistyped.
    case emptyStore
    /// The store is another one than the keyring has sealed for, or was sealed for by another keyring.
    case foreignStore
    /// Documents were being copied into the store, and not all of them are there: copy again, which goes on.
    case incompleteCopy
    /// The store to copy to holds something, other than what a broken copy of the same store has left there.
    case storeNotEmpty
    /// The store has changed while it was copied: something still uses it.
    case storeInUse
  }

  /// What is wrong.
  public let kind: Kind
  /// The part, by its path: `mfa.providerConfigs[0].state`.
  public let part: String

  init(_ kind: Kind, _ part: String) {
    self.kind = kind
    self.part = part
  }

  static func outOfRange(_ part: String) -> ConfigurationError { ConfigurationError(.outOfRange, part) }

  /// The kind and the part.
  public var description: String { "\(kind.rawValue): \(part)" }
}
