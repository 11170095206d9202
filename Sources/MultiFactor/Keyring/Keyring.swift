import OTP

/// The keys by which factors' secrets and tokens are sealed, and by which codes and phone numbers are hashed.
///
/// Of the sealing keys, one is active: it seals. The others open what they sealed while they were active, until it is
/// sealed anew. The hash key is one and stays: a recovery code's hash cannot be made anew, since nobody but its owner
/// has the code. To lose it is to lose every recovery code; to replace it, regenerate them.
///
/// Values are sealed by XAES-256-GCM (AES-256-GCM with random nonces of 24 bytes), bound to their purpose, user and
/// factor, and hashed by HMAC-SHA-256.
///
/// Any number of threads may use one at once. Its keys are wiped when it is released, and it is redacted.
public final class Keyring: Sendable {
  /// A key, ready.
  struct Sealer: Sendable {
    let key: Key
    let cipher: XAES256GCM

    init(_ key: Key) throws(KeyringError) {
      self.key = key
      cipher = try XAES256GCM(key: key.bytes)
    }
  }

  let active: Sealer
  let others: [Sealer]
  let hashKey: HMACKey
  let random: SecureRandom

  /// A keyring from keys that are kept elsewhere, such as in a key management service.
  ///
  /// - Parameters:
  ///   - activeKey: The key that seals.
  ///   - otherKeys: Keys that open what they sealed before.
  ///   - hashKey: 32 random bytes, the same for as long as the store lives.
  /// - Throws: ``KeyringError`` with `duplicateName`, `invalidKey` or `cryptographyFailed`.
  public convenience init(
    activeKey: Key, otherKeys: [Key] = [], hashKey: OTPSecret
  ) throws(KeyringError) {
    try self.init(activeKey: activeKey, otherKeys: otherKeys, hashKey: hashKey, random: .system)
  }

  /// A keyring in memory, with new random keys: for tests and for trying things out. Nothing that it sealed can be
  /// opened when it is gone.
  ///
  /// - Throws: ``KeyringError`` with `randomnessUnavailable` or `cryptographyFailed`.
  public convenience init() throws(KeyringError) { try self.init(random: .system) }

  /// A keyring in memory whose randomness comes from elsewhere.
  convenience init(random: SecureRandom) throws(KeyringError) {
    try self.init(KeyringDocument.new(random: random), random: random)
  }

  convenience init(_ document: KeyringDocument, random: SecureRandom = .system) throws(KeyringError) {
    guard let activeKey = document.keys.first(where: { $0.name == document.active }) else {
      throw KeyringError(.unknownKey)
    }
    let otherKeys = document.keys.filter { $0.name != document.active }
    try self.init(activeKey: activeKey, otherKeys: otherKeys, hashKey: document.hashKey.secret, random: random)
  }

  init(activeKey: Key, otherKeys: [Key], hashKey: OTPSecret, random: SecureRandom) throws(KeyringError) {
    guard hashKey.byteCount == Key.byteCount else { throw KeyringError(.invalidKey) }
    guard Set([activeKey.name] + otherKeys.map(\.name)).count == otherKeys.count + 1 else {
      throw KeyringError(.duplicateName)
    }
    active = try Sealer(activeKey)
    others = try otherKeys.map { (key) throws(KeyringError) in try Sealer(key) }
    do throws(OTPError) {
      self.hashKey = try HMACKey(hashKey, algorithm: .sha256)
    } catch {
      throw KeyringError(.cryptographyFailed)
    }
    self.random = random
  }

  /// The name of the key that seals.
  public var activeKeyName: String { active.key.name }

  /// The names of all keys, the active one first.
  public var keyNames: [String] { [active.key.name] + others.map(\.key.name) }
}

extension Keyring: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A text that shows nothing of the keys.
  public var description: String { "Keyring(redacted)" }
  /// A text that shows nothing of the keys.
  public var debugDescription: String { description }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
