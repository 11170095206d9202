import OTP

/// The keys with which documents and tokens are sealed, and codes and phone numbers are hashed.
///
/// One of the sealing keys is active and seals. The others open what they sealed while they were active, until it is
/// sealed again. The hash key is never rotated, since what it has hashed is not kept: under another one, codes of text
/// messages that are still valid are refused, and messages are counted from zero.
///
/// Values are sealed with XAES-256-GCM (AES-256-GCM with nonces of 24 bytes), bound to their purpose and
/// context, and hashed with HMAC-SHA-256.
///
/// A keyring knows its store by the ID (``storeID``), so that another store in its place is detected.
///
/// Any number of threads may use one at once. Its keys are wiped when it is released, and it is redacted.
public final class Keyring: Sendable {
  /// A key that is ready for use.
  struct Sealer: Sendable {
    let name: String
    /// The first bytes of every value that it sealed: the version and the key's name.
    let header: [UInt8]
    /// The first bytes of what every value is authenticated with.
    let binding: [UInt8]
    let cipher: XAES256GCM

    init(_ key: Key) throws(KeyringError) {
      name = key.name
      let header = [Keyring.version, UInt8(truncatingIfNeeded: name.utf8.count)] + name.utf8
      self.header = header
      var writer = ByteWriter()
      writer.append(Keyring.domain)
      writer.append(raw: header.span)
      binding = writer.finish().copiedBytes()
      cipher = try XAES256GCM(key: key.bytes)
    }
  }

  let active: Sealer
  let others: [Sealer]
  let nonces: DerivedNonces
  let hashKey: HMACKey
  let store: Locked<String?>
  /// The file that the keys were read from, which also records the store.
  let file: String?

  /// A keyring from keys that are kept elsewhere, such as in a key management service.
  ///
  /// - Parameters:
  ///   - activeKey: The key that seals.
  ///   - otherKeys: Keys that open what they sealed before.
  ///   - hashKey: 32 random bytes, the same for the whole life of the store.
  ///   - storeID: The ``storeID`` of the store that the keys have sealed for, stored with them; `nil` if there is none
  ///     yet.
  /// - Throws: ``KeyringError`` with `duplicateName`, `invalidKey`, `invalidName` (the store's ID),
  ///   `randomnessUnavailable` or `cryptographyFailed`.
  public convenience init(
    activeKey: Key, otherKeys: [Key] = [], hashKey: OTPSecret, storeID: String? = nil
  ) throws(KeyringError) {
    let hashKey = hashKey.withBytes { bytes in SecretBytes(copying: bytes) }
    let document = try KeyringDocument(
      active: activeKey.name, keys: [activeKey] + otherKeys, hashKey: hashKey, store: storeID)
    try self.init(document, file: nil)
  }

  /// A keyring in memory with new random keys, for tests and experiments. What it seals cannot be opened after it is
  /// released.
  ///
  /// - Throws: ``KeyringError`` with `randomnessUnavailable` or `cryptographyFailed`.
  public convenience init() throws(KeyringError) { try self.init(random: .system) }

  /// The same, with a given source of randomness.
  package convenience init(random: SecureRandom) throws(KeyringError) {
    try self.init(KeyringDocument.new(random: random), file: nil, random: random)
  }

  /// The keyring in a file, with keys that only open and seal: the file is not changed.
  ///
  /// - Throws: ``KeyringError`` as `init(file:)` does.
  package static func reading(_ path: UnsafePointer<CChar>) throws(KeyringError) -> Keyring {
    guard let file = try unsafe PrivateFile.read(path, maximumByteCount: KeyringDocument.maximumByteCount) else {
      throw KeyringError(.cannotRead)
    }
    return Keyring(try Prepared(KeyringDocument(parsing: file.bytes), random: .system), file: nil)
  }

  /// Creates a keyring's file, as `create(file:)` does; false if something is there.
  package static func write(new path: UnsafePointer<CChar>) throws(KeyringError) -> Bool {
    let random = SecureRandom.system
    return try unsafe PrivateFile.create(path, KeyringDocument.new(random: random).serialized(), random: random)
  }

  /// A keyring of given keys that seals, and is used for no hash.
  package static func sealing(activeKey: Key, otherKeys: [Key]) throws(KeyringError) -> Keyring {
    let random = SecureRandom.system
    let document = try KeyringDocument(
      active: activeKey.name, keys: [activeKey] + otherKeys, hashKey: random.secretBytes(Key.byteCount))
    return Keyring(try Prepared(document, random: random), file: nil)
  }

  convenience init(
    _ document: KeyringDocument, file: String?, random: SecureRandom = .system
  ) throws(KeyringError) {
    self.init(try Prepared(document, random: random), file: file)
  }

  /// The part of a keyring whose creation can fail. A class's own initializer that throws leaks the object in Embedded
  /// Swift (6.3).
  private struct Prepared {
    let active: Sealer
    let others: [Sealer]
    let nonces: DerivedNonces
    let hashKey: HMACKey
    let store: String?

    init(_ document: KeyringDocument, random: SecureRandom) throws(KeyringError) {
      let (active, others) = try document.split()
      self.active = try Sealer(active)
      nonces = try DerivedNonces(for: self.active.cipher, random: random)
      self.others = try others.map { (key) throws(KeyringError) in try Sealer(key) }
      do throws(OTPError) {
        let secret = try document.hashKey.withBytes { (bytes) throws(OTPError) in try OTPSecret(bytes: bytes) }
        hashKey = try HMACKey(secret, algorithm: .sha256)
      } catch {
        throw KeyringError(.cryptographyFailed)
      }
      store = document.store
    }
  }

  private init(_ prepared: Prepared, file: String?) {
    (active, others) = (prepared.active, prepared.others)
    (nonces, hashKey) = (prepared.nonces, prepared.hashKey)
    store = Locked(prepared.store)
    self.file = file
  }

  /// The name of the key that seals.
  public var activeKeyName: String { active.name }

  /// The names of all keys, the active one first.
  public var keyNames: [String] { [active.name] + others.map { key in key.name } }

  /// The ID of the store that the keyring has sealed for: 32 hexadecimal digits, or `nil` until there is one.
  public var storeID: String? { store.withLock { store in store } }
}

extension Keyring: Redacted {
  package var redactedDescription: String { "Keyring(redacted)" }
}
