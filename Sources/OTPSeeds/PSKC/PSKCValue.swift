import OTP

/// A value in a container: plain, or encrypted and authenticated.
struct PSKCValue {
  /// The value in the file, without white space.
  enum Content {
    case plain(SecretBytes)
    case encrypted(algorithm: String, ciphertext: SecretBytes)
  }

  let content: Content
  let mac: SecretBytes?
}

extension WipedText {
  /// The text without any white space.
  func withoutSpace() throws(SeedRefusal) -> SecretBytes {
    try withBytes { text in
      let result = SecretBytes(capacity: text.count)
      var count = 0
      for index in text.indices where !text[index].isWhiteSpace {
        unsafe result.mutableBytes[count] = text[index]
        count += 1
      }
      result.shrink(to: count)
      return result
    }
  }

  /// Decodes the text from base64 (`xs:base64Binary`).
  func base64(_ field: SeedRefusal.Field, line: Int) throws(SeedRefusal) -> SecretBytes {
    guard let bytes = try withoutSpace().withBytes({ Base64.standard.decode($0) }), bytes.byteCount > 0 else {
      throw SeedRefusal(line: line, field, .malformed)
    }
    return bytes
  }
}

extension XMLReader {
  /// Reads a data element. A fault in the value itself is recorded instead of thrown, so that the reader can continue.
  mutating func readValue(
    _ field: SeedRefusal.Field, noting fault: inout SeedRefusal?
  ) throws(SeedRefusal) -> PSKCValue? {
    var content: PSKCValue.Content?
    var mac: SecretBytes?
    while let element = try child() {
      switch element {
      case _ where element.isCalled("PlainValue") && content == nil:
        try readText()
        content = .plain(try text.withoutSpace())
      case _ where element.isCalled("EncryptedValue") && content == nil:
        content = try readEncrypted(field, noting: &fault)
      case _ where element.isCalled("ValueMAC") && mac == nil:
        try readText()
        do throws(SeedRefusal) { mac = try text.base64(.mac, line: line) } catch { fault = fault ?? error }
      default: throw refusal(field, .malformed)
      }
    }
    guard let content else {
      fault = fault ?? refusal(field, .missing)
      return nil
    }
    return PSKCValue(content: content, mac: mac)
  }

  /// Reads an element of XML Encryption's type `EncryptedDataType`.
  mutating func readEncrypted(
    _ field: SeedRefusal.Field, noting fault: inout SeedRefusal?
  ) throws(SeedRefusal) -> PSKCValue.Content? {
    var algorithm: String?
    var ciphertext: SecretBytes?
    while let element = try child() {
      if element.isCalled("EncryptionMethod"), algorithm == nil {
        algorithm = element["Algorithm"]
        try skip()
      } else if element.isCalled("CipherData"), ciphertext == nil {
        while let element = try child() {
          guard element.isCalled("CipherValue"), ciphertext == nil else { throw refusal(field, .unsupported) }
          try readText()
          do throws(SeedRefusal) { ciphertext = try text.base64(field, line: line) } catch { fault = fault ?? error }
        }
      } else {
        try skip()
      }
    }
    guard let algorithm else {
      fault = fault ?? refusal(.encryption, .missing)
      return nil
    }
    guard let ciphertext else {
      fault = fault ?? refusal(field, .missing)
      return nil
    }
    return .encrypted(algorithm: algorithm, ciphertext: ciphertext)
  }
}

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

  /// - Parameter field: What is blamed if the key does not open, as it is if its code is another one.
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
