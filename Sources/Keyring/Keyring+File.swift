import Foundation
import OTP

extension Keyring {
  /// The keyring in a file.
  ///
  /// The file is read once: a running server goes on with the keys that it has read, whatever becomes of the file.
  ///
  /// - Parameters:
  ///   - path: The file, of 64 KiB at most, which neither the group nor others may read or write.
  ///   - createIfMissing: Whether to make a file with new random keys and mode 0600 if there is none: when a store is
  ///     set up, and never again, since new keys open nothing of an old store. Of several processes that do so at once,
  ///     all get the same keyring. The file system must have hard links.
  /// - Throws: ``KeyringError`` with `cannotRead`, `cannotWrite`, `readableByOthers`, `malformed`, `invalidName`,
  ///   `invalidKey`, `duplicateName`, `unknownKey` (the active key is not among the keys), `randomnessUnavailable` or
  ///   `cryptographyFailed`.
  public convenience init(file path: String, createIfMissing: Bool = false) throws(KeyringError) {
    try self.init(file: path, createIfMissing: createIfMissing, random: .system)
  }

  /// The keyring in a file, with randomness from elsewhere.
  package convenience init(file path: String, createIfMissing: Bool, random: SecureRandom) throws(KeyringError) {
    if createIfMissing, try KeyringDocument.read(path) == nil {
      try PrivateFile.create(path, KeyringDocument.new(random: random).serialized(), random: random)
    }
    // Read in any case: another process may have made it first.
    guard let file = try KeyringDocument.read(path) else { throw KeyringError(.cannotRead, systemError: ENOENT) }
    try self.init(file.document, file: PrivateFile.resolved(path), random: random)
  }

  /// Copies a keyring's file to another place, such as beside a copy of its store. A keyring that is there already must
  /// be the same one, to the byte.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - newPath: Where the copy is made, with mode 0600, in a folder that is there.
  /// - Returns: Whether a file was made.
  /// - Throws: ``KeyringError`` as ``init(file:createIfMissing:)`` does, of either file, and with
  ///   `boundToAnotherStore` if another keyring is there.
  @discardableResult
  public static func copy(file path: String, to newPath: String) throws(KeyringError) -> Bool {
    guard let file = try KeyringDocument.read(path) else { throw KeyringError(.cannotRead, systemError: ENOENT) }
    let isThere = try KeyringDocument.read(newPath) != nil
    if !isThere { try PrivateFile.create(newPath, file.contents.bytes, random: .system) }
    // Read in any case: another process may have made it first.
    guard let copy = try KeyringDocument.read(newPath), SecretBytes.equal(copy.contents.bytes, file.contents.bytes)
    else { throw KeyringError(.boundToAnotherStore) }
    return !isThere
  }

  /// Adds a new random key to a keyring file and makes it the active one; the others stay, to open what they sealed.
  ///
  /// On one machine, that is all. If several share one store, add a key (``addKey(toFile:)``), give all of them the
  /// file, and then make the key active (``activateKey(named:inFile:)``): so none meets what it cannot open.
  ///
  /// The file is replaced as a whole: a reader finds the old keyring or the new one. Changes at one time, by any number
  /// of processes, follow one another; a file named as this one with `.lock` after it serves that.
  ///
  /// - Returns: The new key's name.
  /// - Throws: ``KeyringError`` as ``init(file:createIfMissing:)`` does, and with `tooLong` if the file would be of more
  ///   than 64 KiB.
  public static func rotate(file path: String) throws(KeyringError) -> String {
    try rotate(file: path, random: .system)
  }

  /// Rotates with randomness from elsewhere.
  static func rotate(file path: String, random: SecureRandom) throws(KeyringError) -> String {
    try KeyringDocument.update(path, random: random) { (document) throws(KeyringError) in
      document.active = try document.addKey(random: random)
      return document.active
    }
  }

  /// Adds a new random key to a keyring file, to open with, not yet to seal with: the first half of ``rotate(file:)``.
  ///
  /// - Returns: The new key's name.
  /// - Throws: ``KeyringError`` as ``rotate(file:)`` does.
  public static func addKey(toFile path: String) throws(KeyringError) -> String {
    try KeyringDocument.update(path) { (document) throws(KeyringError) in try document.addKey(random: .system) }
  }

  /// Makes a key of a keyring file the active one: the second half of ``rotate(file:)``.
  ///
  /// - Throws: ``KeyringError`` with `unknownKey`, and as ``init(file:createIfMissing:)`` does.
  public static func activateKey(named name: String, inFile path: String) throws(KeyringError) {
    try KeyringDocument.update(path) { (document) throws(KeyringError) in
      document.active = name
      _ = try document.split()
    }
  }

  /// Removes a key from a keyring file. What it sealed and was not sealed again can never be opened.
  ///
  /// - Throws: ``KeyringError`` with `keyIsActive`, `unknownKey`, and as ``init(file:createIfMissing:)`` does.
  public static func removeKey(named name: String, fromFile path: String) throws(KeyringError) {
    try KeyringDocument.update(path) { (document) throws(KeyringError) in
      guard name != document.active else { throw KeyringError(.keyIsActive) }
      guard let index = document.keys.firstIndex(where: { $0.name == name }) else { throw KeyringError(.unknownKey) }
      document.keys.remove(at: index)
    }
  }
}
