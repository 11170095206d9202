internal import COTPSupport
import OTP

/// Writes keys as a key container. Each secret and counter is encrypted by AES-256-CBC and authenticated by
/// HMAC-SHA-256.
///
/// ```swift
/// let writer = try PSKCWriter(.password(password))
/// file.write(writer.beginning)
/// for seed in seeds { file.write(try writer.keyPackage(encrypting: seed)) }
/// file.write(writer.end)
/// ```
///
/// Serial numbers, accounts, issuers and names are not encrypted, and nothing authenticates them.
///
/// Source: RFC 6030, section 6.
public struct PSKCWriter: Sendable {
  /// The rounds of PBKDF2 with HMAC-SHA-256 that derive a key from a password.
  ///
  /// Source: OWASP, Password Storage Cheat Sheet.
  public static var iterationCount: Int { 600_000 }

  /// The text before the first package.
  public let beginning: String
  /// The text after the last package.
  public var end: String { "</KeyContainer>\n" }

  private let key: SecretBytes
  private let macKey: HMACKey

  /// Creates a writer that encrypts with a key or a password.
  ///
  /// - Parameter key: A key of 32 bytes, or a password of 1 byte or more; see ``iterationCount``.
  /// - Throws: ``SeedRefusal`` with field `encryption` for a key of another size; with reason `cryptographyFailed` if
  ///   libcrypto or its random generator fails.
  public init(_ key: PSKCKey) throws(SeedRefusal) {
    let header: String
    switch key {
    case .preShared(let secret):
      guard secret.byteCount == 32 else { throw SeedRefusal(line: 0, .encryption, .mismatched) }
      self.key = secret.withBytes { SecretBytes(copying: $0) }
      header = "<ds:KeyName>Pre-shared-key</ds:KeyName>"
    case .password(let password):
      let salt = try Self.random(16)
      let derivation = KeyDerivation(
        salt: salt.copiedBytes(), iterationCount: UInt32(Self.iterationCount), keyByteCount: 32, hash: .sha256)
      guard let made = derivation.key(of: password, byteCount: 32) else { throw Self.failure }
      self.key = made
      header = """
        <xenc11:DerivedKey><xenc11:KeyDerivationMethod \
        Algorithm="http://www.rsasecurity.com/rsalabs/pkcs/schemas/pkcs-5v2-0#pbkdf2"><pkcs5:PBKDF2-params>\
        <Salt xmlns=""><Specified>\(salt.base64)</Specified></Salt>\
        <IterationCount xmlns="">\(Self.iterationCount)</IterationCount><KeyLength xmlns="">32</KeyLength>\
        <PRF xmlns="" Algorithm="http://www.w3.org/2001/04/xmldsig-more#hmac-sha256"/></pkcs5:PBKDF2-params>\
        </xenc11:KeyDerivationMethod></xenc11:DerivedKey>
        """
    }
    let macBytes = try Self.random(32)
    guard let secret = macBytes.withBytes({ try? OTPSecret(bytes: $0) }),
      let macKey = try? HMACKey(secret, algorithm: .sha256)
    else { throw Self.failure }
    self.macKey = macKey
    beginning = """
      <?xml version="1.0" encoding="UTF-8"?>
      <KeyContainer Version="1.0" xmlns="urn:ietf:params:xml:ns:keyprov:pskc" \
      xmlns:ds="http://www.w3.org/2000/09/xmldsig#" xmlns:xenc="http://www.w3.org/2001/04/xmlenc#" \
      xmlns:xenc11="http://www.w3.org/2009/xmlenc11#" \
      xmlns:pkcs5="http://www.rsasecurity.com/rsalabs/pkcs/schemas/pkcs-5v2-0#">
      <EncryptionKey>\(header)</EncryptionKey>
      <MACMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#hmac-sha256"><MACKey>\
      \(try Self.encrypted(macBytes, key: self.key).xml)</MACKey></MACMethod>

      """
  }

  /// The `KeyPackage` element of one key and its device, with the secret and the counter encrypted.
  ///
  /// The last accepted step is left out, since the schema has no place for it: the receiver can accept a code that has
  /// been used.
  ///
  /// - Parameter seed: The key.
  /// - Throws: ``SeedRefusal`` for an HOTP key with a hash function other than SHA-1, the only one of `pskc:hotp` (RFC
  ///   4226); for a period or drift that does not fit the schema's 32-bit integers; with reason `cryptographyFailed` if
  ///   libcrypto fails.
  ///
  /// Timing: depends on the lengths of the values, and on OpenSSL's AES and HMAC.
  public func keyPackage(encrypting seed: Seed) throws(SeedRefusal) -> String {
    let (name, data) = try data(of: seed)
    let secret = seed.secret.withBytes { SecretBytes(copying: $0) }
    let id = seed.keyID ?? seed.serial ?? seed.account ?? "\(seed.line)"
    return """
      <KeyPackage>\(element("DeviceInfo", containing: element("SerialNo", seed.serial)))\
      <Key Id="\(escaped(id))" Algorithm="urn:ietf:params:xml:ns:keyprov:pskc:\(name)">\
      \(element("Issuer", seed.issuer))<AlgorithmParameters>\
      \(seed.algorithm == .sha1 ? "" : element("Suite", "HMAC-" + seed.algorithm.name))\
      <ResponseFormat Encoding="DECIMAL" Length="\(seed.digits.rawValue)"/></AlgorithmParameters>\
      \(element("FriendlyName", seed.displayName))<Data>\
      \(element("Secret", containing: try protected(secret)))\(data)</Data>\
      \(element("UserId", seed.account))</Key></KeyPackage>

      """
  }

  private func data(of seed: Seed) throws(SeedRefusal) -> (name: String, xml: String) {
    func plain(_ name: String, _ value: Int64) -> String {
      element(name, containing: element("PlainValue", "\(value)"))
    }
    switch seed.kind {
    case .hotp(let counter):
      guard seed.algorithm == .sha1 else { throw SeedRefusal(line: seed.line, .algorithm, .unsupported) }
      let bytes = SecretBytes(capacity: 8)
      for index in 0..<8 {
        unsafe bytes.mutableBytes[index] = UInt8(truncatingIfNeeded: counter >> (56 - 8 * UInt64(index)))
      }
      return ("hotp", element("Counter", containing: try protected(bytes)))
    case .totp(let period, let drift, _):
      guard Int32(exactly: period) != nil else { throw SeedRefusal(line: seed.line, .period, .outOfRange) }
      guard Int32(exactly: drift) != nil else { throw SeedRefusal(line: seed.line, .drift, .outOfRange) }
      return ("totp", plain("TimeInterval", period) + (drift == 0 ? "" : plain("TimeDrift", drift)))
    }
  }

  /// An encrypted value and its authentication code.
  private func protected(_ value: SecretBytes) throws(SeedRefusal) -> String {
    let (ciphertext, xml) = try Self.encrypted(value, key: key)
    guard let tag = ciphertext.withBytes({ try? macKey.tag(for: $0) }) else { throw Self.failure }
    return element("EncryptedValue", containing: xml) + element("ValueMAC", SecretBytes(copying: tag).base64)
  }

  private static func encrypted(
    _ value: SecretBytes, key: SecretBytes
  ) throws(SeedRefusal) -> (ciphertext: SecretBytes, xml: String) {
    guard let ciphertext = value.withBytes({ AESCBC.encrypt($0, key: key) }) else { throw failure }
    let xml = """
      <xenc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes256-cbc"/><xenc:CipherData>\
      <xenc:CipherValue>\(ciphertext.base64)</xenc:CipherValue></xenc:CipherData>
      """
    return (ciphertext, xml)
  }

  private static func random(_ count: Int) throws(SeedRefusal) -> SecretBytes {
    let bytes = SecretBytes(capacity: count)
    guard unsafe otp_random_private(bytes.mutableBytes.baseAddress, count) == 1 else { throw failure }
    return bytes
  }

  private static var failure: SeedRefusal { SeedRefusal(line: 0, .file, .cryptographyFailed) }

  private func element(_ name: String, _ text: String?) -> String {
    element(name, containing: text.map(escaped) ?? "")
  }

  /// An element; an empty string if it would be empty.
  private func element(_ name: String, containing xml: String) -> String {
    xml.isEmpty ? "" : "<\(name)>\(xml)</\(name)>"
  }

  /// The text without the characters that XML 1.0 forbids even escaped (section 2.2), and without other control
  /// characters, which no reader here accepts.
  private func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case _ where scalar.properties.generalCategory == .control, "\u{FFFE}", "\u{FFFF}": break
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}

extension PSKCWriter: Redacted {}

extension SecretBytes {
  /// The bytes in base64, with padding.
  fileprivate var base64: String {
    let text = SecretBytes(capacity: Base64.standard.encodedByteCount(of: byteCount))
    withBytes { bytes in unsafe Base64.standard.encode(bytes, into: text.mutableBytes) }
    return text.withBytes { String(validUTF8: $0) ?? "" }
  }
}
