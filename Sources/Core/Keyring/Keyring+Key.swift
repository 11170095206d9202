import OTP

extension Keyring {
  /// A named AES-256 key. Its memory is wiped when the last copy is released, and it is redacted.
  public struct Key: Sendable {
    /// The key's name. It is stored in clear in front of everything that the key seals.
    public let name: String
    let bytes: SecretBytes

    static var byteCount: Int { XAES256GCM.keyByteCount }

    /// A key that is kept elsewhere than in a keyring file.
    ///
    /// - Parameters:
    ///   - name: 1...32 characters of `A`-`Z`, `a`-`z`, `0`-`9`, `.`, `_` and `-`, never used for another key.
    ///   - secret: 32 random bytes.
    /// - Throws: ``KeyringError`` with `invalidName` or `invalidKey`.
    public init(name: String, secret: OTPSecret) throws(KeyringError) {
      try self.init(name: name, bytes: secret.withBytes { SecretBytes(copying: $0) })
    }

    init(name: String, bytes: SecretBytes) throws(KeyringError) {
      guard Self.isName(name) else { throw KeyringError(.invalidName) }
      guard bytes.byteCount == Self.byteCount else { throw KeyringError(.invalidKey) }
      self.name = name
      self.bytes = bytes
    }

    /// Whether a text can be a key's name.
    static func isName(_ text: String) -> Bool {
      1...32 ~= text.utf8.count
        && text.utf8.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
          case UInt8(ascii: "0")...UInt8(ascii: "9"): true
          case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
          default: false
          }
        }
    }

    /// A new key with a random name.
    static func new(random: SecureRandom) throws(KeyringError) -> Key {
      let name = try random.hexName(byteCount: 8)
      return try Key(name: "key-\(name)", bytes: random.secretBytes(byteCount))
    }
  }
}

extension Keyring.Key: Redacted {
  /// The key's name, but nothing of the key.
  package var redactedDescription: String { "Key(\(name), redacted)" }
}
