/// Why a keyring operation failed. It never contains a key, a path, or the contents of a file or a sealed value.
public struct KeyringError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of an error.
  @nonexhaustive public enum Kind: String, Sendable {
    /// The keyring file does not exist, is neither a regular file nor a pipe, or cannot be read.
    case cannotRead
    /// There already is a file, or something else, in the place of a new keyring file.
    case exists
    /// The keyring file cannot be created or replaced.
    case cannotWrite
    /// The group or others may read or write the keyring file.
    case readableByOthers
    /// The file, the sealed value or the token does not have the right format.
    case malformed
    /// The keyring file was damaged, or changed by hand: its checksum is wrong.
    case corrupt
    /// The keyring has no key with this name: it was removed, or was never there.
    case unknownKey
    /// The sealed value was changed, was sealed for something else, or was sealed with another key of the same name.
    case notAuthentic
    /// The random generator failed; there is no fallback.
    case randomnessUnavailable
    /// The cryptographic library failed.
    case cryptographyFailed
    /// A key's name is not 1...32 characters of `A`-`Z`, `a`-`z`, `0`-`9`, `.`, `_` and `-`, or the ID of a store is
    /// not 32 lower-case hexadecimal digits.
    case invalidName
    /// A key is not 32 bytes long.
    case invalidKey
    /// Two keys have the same name.
    case duplicateName
    /// The active key cannot be removed: rotate first.
    case keyIsActive
    /// A token or a keyring file would be longer than its reader accepts.
    case tooLong
    /// The keyring has sealed for a different store.
    case boundToAnotherStore
  }

  /// What is wrong.
  public let kind: Kind
  /// The system's error number, for `cannotRead` and `cannotWrite`, if there is one.
  public let systemError: Int32?

  package init(_ kind: Kind, systemError: Int32? = nil) {
    self.kind = kind
    self.systemError = systemError
  }

  /// The source of the error, its kind, and the system's error number if there is one.
  public var description: String {
    "keyring: \(kind.rawValue)" + (systemError.map { " (errno \($0))" } ?? "")
  }
}
