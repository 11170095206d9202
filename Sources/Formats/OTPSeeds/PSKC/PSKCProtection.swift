import OTP

/// Authenticates and decrypts a container's values.
final class PSKCProtection {
  private let key: PSKCKey?
  /// How the key is derived from a password, if the container says so.
  var derivation: KeyDerivation?
  /// The algorithm that authenticates values, and its encrypted key.
  var mac: (algorithm: HashAlgorithm, key: PSKCValue.Content)?
  /// The keys derived from the password, by size. They are kept so that a file cannot have the password stretched again
  /// for each of its values.
  private var derived: [Int: SecretBytes] = [:]
  private var macKey: HMACKey?

  /// Whether a key or a password was given.
  var hasKey: Bool { key != nil }

  init(_ key: PSKCKey?) { self.key = key }

  /// Decrypts a value; a plain one is returned as it is.
  ///
  /// An encrypted value is authenticated before it is decrypted. A wrong password, a changed value and wrong padding
  /// are refused for the same reason.
  func open(_ value: PSKCValue, _ field: SeedRefusal.Field, line: Int) throws(SeedRefusal) -> SecretBytes {
    switch value.content {
    case .plain(let text):
      // RFC 6030 does not say what the MAC of a plain value covers.
      guard value.mac == nil else { throw SeedRefusal(line: line, .mac, .unsupported) }
      return text
    case .encrypted(let algorithm, let ciphertext):
      let key = try transportKey(for: algorithm, line: line)
      guard let mac = value.mac else { throw SeedRefusal(line: line, .mac, .missing) }
      let authenticator = try authenticator(field, line: line)
      guard let tag = try? ciphertext.withBytes(authenticator.tag(for:)) else {
        throw SeedRefusal(line: line, .mac, .cryptographyFailed)
      }
      guard SecretBytes.equal(SecretBytes(copying: tag), mac),
        let plain = ciphertext.withBytes({ AESCBC.decrypt($0, key: key) })
      else { throw SeedRefusal(line: line, field, .notAuthentic) }
      return plain
    }
  }

  /// - Parameter field: What to name in the refusal if the key does not open, or its authentication code is wrong.
  private func authenticator(_ field: SeedRefusal.Field, line: Int) throws(SeedRefusal) -> HMACKey {
    if let macKey { return macKey }
    guard let mac, case .encrypted(let algorithm, let ciphertext) = mac.key else {
      throw SeedRefusal(line: line, .mac, .missing)
    }
    let key = try transportKey(for: algorithm, line: line)
    guard let bytes = ciphertext.withBytes({ AESCBC.decrypt($0, key: key) }),
      let secret = bytes.withBytes({ try? OTPSecret(bytes: $0) })
    else { throw SeedRefusal(line: line, field, .notAuthentic) }
    guard let made = try? HMACKey(secret, algorithm: mac.algorithm) else {
      throw SeedRefusal(line: line, .mac, .cryptographyFailed)
    }
    macKey = made
    return made
  }

  private func transportKey(for algorithm: String, line: Int) throws(SeedRefusal) -> SecretBytes {
    let byteCount: Int
    switch algorithm {
    case "http://www.w3.org/2001/04/xmlenc#aes128-cbc": byteCount = 16
    case "http://www.w3.org/2001/04/xmlenc#aes192-cbc": byteCount = 24
    case "http://www.w3.org/2001/04/xmlenc#aes256-cbc": byteCount = 32
    default: throw SeedRefusal(line: line, .encryption, .unsupported)
    }
    switch key {
    case .preShared(let secret)? where derivation == nil:
      guard secret.byteCount == byteCount else { throw SeedRefusal(line: line, .secret, .notAuthentic) }
      return secret.withBytes { SecretBytes(copying: $0) }
    case .password(let password)?:
      guard let derivation else { throw SeedRefusal(line: line, .encryption, .keyNeeded) }
      guard derivation.keyByteCount ?? byteCount == byteCount else {
        throw SeedRefusal(line: line, .derivation, .mismatched)
      }
      if let made = derived[byteCount] { return made }
      guard let made = derivation.key(of: password, byteCount: byteCount) else {
        throw SeedRefusal(line: line, .derivation, .cryptographyFailed)
      }
      derived[byteCount] = made
      return made
    default: throw SeedRefusal(line: line, .encryption, .keyNeeded)
    }
  }
}
