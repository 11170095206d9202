/// What a keyring could not do: never a key, a path, or what a file or a sealed value holds.
public struct KeyringError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of an error.
  @nonexhaustive public enum Kind: String, Sendable {
    /// The keyring file is not there, is no regular file, or cannot be read.
    case cannotRead
    /// The keyring file cannot be created or replaced.
    case cannotWrite
    /// The group or others may read or write the keyring file.
    case readableByOthers
    /// The file, the sealed value or the token is not in its format.
    case malformed
    /// The keyring has no key of this name: it was removed, or never was in it.
    case unknownKey
    /// The sealed value was changed, or was sealed for something else, or with another key of the same name.
    case notAuthentic
    /// The random generator failed; there is no fallback.
    case randomnessUnavailable
    /// The cryptographic library failed.
    case cryptographyFailed
    /// A key's name is not 1...32 characters of `A`-`Z`, `a`-`z`, `0`-`9`, `.`, `_` and `-`, or the ID of a store is not 32
    /// hexadecimal digits in lower case.
    case invalidName
    /// A key is not 32 bytes long.
    case invalidKey
    /// Two keys have one name.
    case duplicateName
    /// The active key cannot be removed: rotate first.
    case keyIsActive
    /// A token, or a keyring file, would be longer than its reader takes.
    case tooLong
    /// The keyring has sealed for another store than the one that it is to be used with.
    case boundToAnotherStore
  }

  /// What is wrong.
  public let kind: Kind
  /// The system's error number, with `cannotRead` and `cannotWrite` where the system gave one.
  public let systemError: Int32?

  package init(_ kind: Kind, systemError: Int32? = nil) {
    self.kind = kind
    self.systemError = systemError
  }

  /// The kind, and the system's error number where there is one.
  public var description: String {
    if let systemError { "\(kind.rawValue) (errno \(systemError))" } else { kind.rawValue }
  }
}
