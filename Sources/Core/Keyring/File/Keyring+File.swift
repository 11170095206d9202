import OTP

extension Keyring {
  /// The keyring in a file, which is read only once: a running server keeps using the keys that it has read.
  ///
  /// - Parameter path: The file, of at most 64 KiB, which neither the group nor others may read or write; or a pipe,
  ///   such as `/dev/fd/3`, to which a key management service's program writes such a file, so that its keys are on no
  ///   disk.
  /// - Throws: ``KeyringError`` with `cannotRead`, `cannotWrite`, `readableByOthers`, `malformed`, `corrupt`,
  ///   `invalidName`, `invalidKey`, `duplicateName`, `unknownKey` (the active key is not among the keys),
  ///   `randomnessUnavailable` or `cryptographyFailed`.
  public convenience init(file path: String) throws(KeyringError) {
    let file = try KeyringDocument.read(path)
    // A pipe of a process has no path, and no store can be recorded in it.
    try self.init(file.document, file: file.contents.isPipe ? path : PrivateFile.resolved(path))
  }

  /// Records the store to seal for, also in the keyring's file, which is on disk when this returns.
  ///
  /// If several processes bind the same file at once, all get the same store.
  ///
  /// - Parameter id: The store's ID: 32 lower-case hexadecimal digits.
  /// - Returns: Whether it had none: true for only one of these processes.
  /// - Throws: `KeyringError` with `boundToAnotherStore` or `invalidName`, or, for a file, as ``rotate(file:)`` does.
  @discardableResult
  package func bind(toStore id: String) throws(KeyringError) -> Bool {
    guard KeyringDocument.isStoreID(id) else { throw KeyringError(.invalidName) }
    return try store.withLock { (store) throws(KeyringError) in
      var hadNone = store == nil
      if store == nil, let file {
        store = try KeyringDocument.update(file) { (document) throws(KeyringError) in
          hadNone = document.store == nil
          document.store = document.store ?? id
          return document.store
        }
      }
      store = store ?? id
      guard store == id else { throw KeyringError(.boundToAnotherStore) }
      return hadNone
    }
  }

  /// Creates a keyring file, with new random keys and mode 0600: once, together with a store, never at a server's
  /// start. New keys open nothing in an old store.
  ///
  /// - Parameter path: The new file, in an existing folder, on a file system that supports hard links.
  /// - Returns: The keyring.
  /// - Throws: ``KeyringError`` with `exists`, `cannotWrite`, `randomnessUnavailable` or `cryptographyFailed`.
  @discardableResult
  public static func create(file path: String) throws(KeyringError) -> Keyring {
    try create(file: path, random: .system)
  }

  /// The same, with a given source of randomness.
  package static func create(file path: String, random: SecureRandom) throws(KeyringError) -> Keyring {
    guard try PrivateFile.create(path, KeyringDocument.new(random: random).serialized(), random: random) else {
      throw KeyringError(.exists)
    }
    return try Keyring(file: path)
  }

  /// Copies a keyring file, such as to the folder of a copy of its store. A keyring that is already there must be
  /// identical, byte for byte.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - newPath: The path of the copy, which gets mode 0600, in an existing folder.
  /// - Returns: Whether a file was created.
  /// - Throws: ``KeyringError`` as ``init(file:)`` does, for either file, and with
  ///   `boundToAnotherStore` if another keyring is there.
  @discardableResult
  public static func copy(file path: String, to newPath: String) throws(KeyringError) -> Bool {
    let file = try KeyringDocument.read(path)
    let isNew = try PrivateFile.create(newPath, file.contents.bytes, random: .system)
    guard SecretBytes.equal(try KeyringDocument.read(newPath).contents.bytes, file.contents.bytes) else {
      throw KeyringError(.boundToAnotherStore)
    }
    return isNew
  }

  /// Adds a new random key to a keyring file and makes it the active one. The others remain, to open what they sealed.
  ///
  /// On a single machine, that is all. If several machines share a store, add a key (``addKey(toFile:)``), copy the
  /// file to all of them, and only then make the key active (``activateKey(named:inFile:)``), so that every machine can
  /// open what the others seal.
  ///
  /// The file is replaced as a whole: a reader finds the old keyring or the new one. Concurrent changes by any number
  /// of processes are made one after another, under a lock on the file with the same name followed by `.lock`.
  ///
  /// - Returns: The new key's name.
  /// - Throws: ``KeyringError`` as ``init(file:)`` does, and with `tooLong` if the file would have more
  ///   than 64 KiB.
  public static func rotate(file path: String) throws(KeyringError) -> String {
    try rotate(file: path, random: .system)
  }

  /// The same, with a given source of randomness.
  static func rotate(file path: String, random: SecureRandom) throws(KeyringError) -> String {
    try KeyringDocument.update(path, random: random) { (document) throws(KeyringError) in
      document.active = try document.addKey(random: random)
      return document.active
    }
  }

  /// Adds a new random key to a keyring file, for opening but not yet for sealing: the first half of ``rotate(file:)``.
  ///
  /// - Returns: The new key's name.
  /// - Throws: ``KeyringError`` as ``rotate(file:)`` does.
  public static func addKey(toFile path: String) throws(KeyringError) -> String {
    try KeyringDocument.update(path) { (document) throws(KeyringError) in try document.addKey(random: .system) }
  }

  /// Makes a key of a keyring file the active one: the second half of ``rotate(file:)``.
  ///
  /// - Throws: ``KeyringError`` with `unknownKey`, and as ``init(file:)`` does.
  public static func activateKey(named name: String, inFile path: String) throws(KeyringError) {
    try KeyringDocument.update(path) { (document) throws(KeyringError) in
      document.active = name
      _ = try document.split()
    }
  }

  /// Removes a key from a keyring file. What it sealed, and another key has not sealed again, can never be opened.
  ///
  /// - Throws: ``KeyringError`` with `keyIsActive`, `unknownKey`, and as ``init(file:)`` does.
  public static func removeKey(named name: String, fromFile path: String) throws(KeyringError) {
    try KeyringDocument.update(path) { (document) throws(KeyringError) in
      guard !name.hasBytes(of: document.active) else { throw KeyringError(.keyIsActive) }
      guard let index = document.keys.firstIndex(where: { $0.name.hasBytes(of: name) }) else {
        throw KeyringError(.unknownKey)
      }
      document.keys.remove(at: index)
    }
  }
}
