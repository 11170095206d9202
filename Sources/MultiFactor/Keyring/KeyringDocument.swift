import OTP

/// What a keyring file holds.
struct KeyringDocument: Sendable {
  static let format = "otp-keyring/1"
  /// The largest file that is read, in bytes.
  static let maximumByteCount = 65_536

  /// The name of the key that seals.
  var active: String
  /// All keys, in the order in which they were added.
  var keys: [Keyring.Key]
  /// The hash key: 32 bytes.
  let hashKey: HashKey

  /// The hash key of a document, of the right length.
  struct HashKey: Sendable {
    let secret: OTPSecret

    init(_ bytes: SecretBytes) throws(KeyringError) {
      guard bytes.byteCount == Keyring.Key.byteCount, let secret = try? bytes.withBytes({ try OTPSecret(bytes: $0) })
      else { throw KeyringError(.invalidKey) }
      self.secret = secret
    }
  }

  /// A document with one new key and a new hash key.
  static func new(random: SecureRandom) throws(KeyringError) -> KeyringDocument {
    let key = try Keyring.Key.new(random: random)
    let hashKey = try HashKey(random.secretBytes(Keyring.Key.byteCount))
    return KeyringDocument(active: key.name, keys: [key], hashKey: hashKey)
  }

  /// The file's bytes.
  func serialized() -> SecretBytes {
    var text = ByteWriter(capacity: 1024)
    text.append(text: #"{"format":"\#(Self.format)","active":"\#(active)","keys":["#)
    for (index, key) in keys.enumerated() {
      text.append(text: index == 0 ? "\n" : ",\n")
      text.append(text: #"{"name":"\#(key.name)","key":""#)
      text.append(base64: key.bytes)
      text.append(text: #""}"#)
    }
    text.append(text: "],\n\"hashKey\":\"")
    text.append(base64: hashKey.secret.withBytes { SecretBytes(copying: $0) })
    text.append(text: "\"}\n")
    return text.finish()
  }
}

extension ByteWriter {
  /// Writes a text as it is, without its length.
  fileprivate mutating func append(text: String) {
    for byte in text.utf8 { append(byte) }
  }

  /// Writes the base64 of bytes, without its length.
  fileprivate mutating func append(base64 bytes: SecretBytes) {
    let text = SecretBytes(capacity: Base64.standard.encodedByteCount(of: bytes.byteCount))
    bytes.withBytes { bytes in unsafe Base64.standard.encode(bytes, to: text.mutableBytes) }
    text.withBytes { text in
      for index in text.indices { append(text[index]) }
    }
  }
}
