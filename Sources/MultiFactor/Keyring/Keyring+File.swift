import Foundation
import OTP

// The file: JSON, `{"format":"otp-keyring/1","active":"NAME","keys":[{"name":"NAME","key":"BASE64"}],"hashKey":"BASE64"}`.
extension Keyring {
  /// The keyring in a file.
  ///
  /// The file is read once: a running server goes on with the keys that it has read, whatever becomes of the file.
  ///
  /// - Parameters:
  ///   - path: The file, of 64 KiB at most, which neither the group nor others may read or write.
  ///   - createIfMissing: Whether to make a file with new random keys and mode 0600 where there is none. Of several
  ///     processes that do so at once, all get the same keyring. The file system must have hard links.
  /// - Throws: ``KeyringError`` with `cannotRead`, `cannotWrite`, `readableByOthers`, `malformed`, `invalidName`,
  ///   `invalidKey`, `duplicateName`, `unknownKey` (the active key is not among the keys), `randomnessUnavailable` or
  ///   `cryptographyFailed`.
  public convenience init(file path: String, createIfMissing: Bool = true) throws(KeyringError) {
    try self.init(file: path, createIfMissing: createIfMissing, random: .system)
  }

  /// The keyring in a file, with randomness from elsewhere.
  convenience init(file path: String, createIfMissing: Bool, random: SecureRandom) throws(KeyringError) {
    if createIfMissing, try KeyringDocument.read(path) == nil {
      try PrivateFile.create(path, KeyringDocument.new(random: random).serialized(), random: random)
    }
    // Read in any case: another process may have made it first.
    guard let file = try KeyringDocument.read(path) else { throw KeyringError(.cannotRead, systemError: ENOENT) }
    try self.init(file.document, random: random)
  }

  /// Adds a new random key to a keyring file and makes it the active one; the others stay, to open what they sealed.
  ///
  /// On one machine, that is all. Where several share one store, add a key (``addKey(toFile:)``), give all of them the
  /// file, and then make the key active (``activateKey(named:inFile:)``): so none meets what it cannot open.
  ///
  /// The file is replaced as a whole: whoever reads it finds the old keyring or the new one. Changes at one time, by
  /// any number of processes, follow one another; a file named as this one with `.lock` after it serves that.
  ///
  /// - Returns: The new key's name.
  /// - Throws: ``KeyringError`` as ``init(file:createIfMissing:)`` does, and with `tooLong` where the file would be of
  ///   more than 64 KiB.
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
    try KeyringDocument.update(path, random: .system) { (document) throws(KeyringError) in
      try document.addKey(random: .system)
    }
  }

  /// Makes a key of a keyring file the active one: the second half of ``rotate(file:)``.
  ///
  /// - Throws: ``KeyringError`` with `unknownKey`, and as ``init(file:createIfMissing:)`` does.
  public static func activateKey(named name: String, inFile path: String) throws(KeyringError) {
    try KeyringDocument.update(path, random: .system) { (document) throws(KeyringError) in
      guard document.keys.contains(where: { $0.name == name }) else { throw KeyringError(.unknownKey) }
      document.active = name
    }
  }

  /// Removes a key from a keyring file. What it sealed and was not sealed anew can never be opened again.
  ///
  /// - Throws: ``KeyringError`` with `keyIsActive`, `unknownKey`, and as ``init(file:createIfMissing:)`` does.
  public static func removeKey(named name: String, fromFile path: String) throws(KeyringError) {
    try KeyringDocument.update(path, random: .system) { (document) throws(KeyringError) in
      guard name != document.active else { throw KeyringError(.keyIsActive) }
      guard let index = document.keys.firstIndex(where: { $0.name == name }) else { throw KeyringError(.unknownKey) }
      document.keys.remove(at: index)
    }
  }
}

extension KeyringDocument {
  /// Adds a new key, not yet active.
  ///
  /// - Returns: Its name.
  fileprivate mutating func addKey(random: SecureRandom) throws(KeyringError) -> String {
    let key = try Keyring.Key.new(random: random)
    guard !keys.contains(where: { $0.name == key.name }) else { throw KeyringError(.duplicateName) }
    keys.append(key)
    return key.name
  }

  /// Reads a file; `nil` where there is none.
  fileprivate static func read(
    _ path: String
  ) throws(KeyringError) -> (document: KeyringDocument, contents: PrivateFile.Contents)? {
    guard let contents = try PrivateFile.read(path, maximumByteCount: maximumByteCount) else { return nil }
    return (try KeyringDocument(parsing: contents.bytes), contents)
  }

  /// Changes a file that is there.
  fileprivate static func update<R>(
    _ path: String, random: SecureRandom, _ change: (inout KeyringDocument) throws(KeyringError) -> R
  ) throws(KeyringError) -> R {
    let path = try PrivateFile.resolved(path)
    return try PrivateFile.withLock(on: path) { () throws(KeyringError) in
      guard let file = try read(path) else { throw KeyringError(.cannotRead, systemError: ENOENT) }
      var document = file.document
      let result = try change(&document)
      let bytes = document.serialized()
      guard bytes.byteCount <= maximumByteCount else { throw KeyringError(.tooLong) }
      try PrivateFile.replace(path, bytes, like: file.contents, random: random)
      return result
    }
  }
}
