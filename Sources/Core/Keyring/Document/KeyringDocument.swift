import OTP

/// The contents of a keyring file: JSON, `{"format":"otp-keyring/1","active":"NAME","store":"ID",
/// "keys":[{"name":"NAME","key":"BASE64"}],"hashKey":"BASE64","sha256":"CHECKSUM"}`, with `store` once it is bound.
struct KeyringDocument: Sendable {
  static let format = "otp-keyring/1"
  /// The largest file that is read, in bytes.
  static let maximumByteCount = 65_536

  /// The name of the key that seals.
  var active: String
  /// All keys, in the order in which they were added.
  var keys: [Keyring.Key]
  /// The hash key: 32 bytes.
  let hashKey: SecretBytes
  /// The ID of the store that the keys seal for.
  var store: String?

  /// - Throws: `KeyringError` with `duplicateName`, `unknownKey` (the active key is not among the keys), `invalidKey`
  ///   (the hash key) or `invalidName` (the store's ID).
  init(active: String, keys: [Keyring.Key], hashKey: SecretBytes, store: String? = nil) throws(KeyringError) {
    for (index, key) in keys.enumerated() where keys[..<index].contains(where: { $0.name.hasBytes(of: key.name) }) {
      throw KeyringError(.duplicateName)
    }
    guard hashKey.byteCount == Keyring.Key.byteCount else { throw KeyringError(.invalidKey) }
    guard store.map(Self.isStoreID) ?? true else { throw KeyringError(.invalidName) }
    (self.active, self.keys, self.hashKey, self.store) = (active, keys, hashKey, store)
    _ = try split()
  }

  /// A document with one new key and a new hash key.
  static func new(random: SecureRandom) throws(KeyringError) -> KeyringDocument {
    let key = try Keyring.Key.new(random: random)
    return try KeyringDocument(active: key.name, keys: [key], hashKey: random.secretBytes(Keyring.Key.byteCount))
  }

  /// Whether a text is 32 lower-case hexadecimal digits.
  static func isStoreID(_ text: String) -> Bool { text.utf8.count == 32 && text.utf8.areLowerHexadecimal }

  /// The active key and the others.
  func split() throws(KeyringError) -> (active: Keyring.Key, others: [Keyring.Key]) {
    guard let key = keys.first(where: { $0.name.hasBytes(of: active) }) else { throw KeyringError(.unknownKey) }
    return (key, keys.filter { !$0.name.hasBytes(of: active) })
  }

  /// Adds a new key, not yet active, and returns its name.
  mutating func addKey(random: SecureRandom) throws(KeyringError) -> String {
    let key = try Keyring.Key.new(random: random)
    guard !keys.contains(where: { $0.name.hasBytes(of: key.name) }) else { throw KeyringError(.duplicateName) }
    keys.append(key)
    return key.name
  }
}

// MARK: The file's bytes.
extension KeyringDocument {
  /// Reads JSON that has only the fields of the format, each at most once, in any order except for the checksum.
  ///
  /// - Throws: `KeyringError` with `malformed`, `corrupt`, `invalidName`, `invalidKey`, `duplicateName`, `unknownKey`
  ///   or `cryptographyFailed`.
  init(parsing bytes: SecretBytes) throws(KeyringError) {
    try KeyringChecksum.check(bytes)
    guard let file = try? JSONText(bytes).value, var fields = JSONFields(file),
      let format = fields.take("format")?.string, format.hasBytes(of: Self.format),
      let active = fields.take("active")?.string, let keys = fields.take("keys")?.elements,
      let hashKey = fields.take("hashKey")?.base64, fields.take(KeyringChecksum.field)?.string != nil
    else { throw KeyringError(.malformed) }
    let store = fields.take("store")
    guard store == nil || store?.string != nil, fields.areAllTaken else { throw KeyringError(.malformed) }
    var read: [Keyring.Key] = []
    for key in keys { read.append(try Self.key(key)) }
    try self.init(active: active, keys: read, hashKey: hashKey, store: store?.string)
  }

  private static func key(_ value: JSONValue) throws(KeyringError) -> Keyring.Key {
    guard var fields = JSONFields(value), let name = fields.take("name")?.string, let key = fields.take("key")?.base64,
      fields.areAllTaken
    else { throw KeyringError(.malformed) }
    return try Keyring.Key(name: name, bytes: key)
  }

  /// The file's bytes.
  ///
  /// - Throws: `KeyringError` with `cryptographyFailed`.
  func serialized() throws(KeyringError) -> SecretBytes {
    var file = ByteWriter(capacity: 1024)
    file.append(text: #"{"format":"\#(Self.format)","active":"\#(active)","#)
    if let store { file.append(text: #""store":"\#(store)","#) }
    file.append(text: #""keys":["#)
    for (index, key) in keys.enumerated() {
      file.append(text: index == 0 ? "\n" : ",\n")
      file.append(text: #"{"name":"\#(key.name)","key":""#)
      file.append(base64: key.bytes)
      file.append(text: #""}"#)
    }
    file.append(text: "],\n\"hashKey\":\"")
    file.append(base64: hashKey)
    file.append(text: "\",\n")
    for byte in try file.withBytes(KeyringChecksum.end(of:)) { file.append(byte) }
    return file.finish()
  }

  /// Reads a file.
  static func read(
    _ path: String
  ) throws(KeyringError) -> (document: KeyringDocument, contents: PrivateFile.Contents) {
    guard let contents = try PrivateFile.read(path, maximumByteCount: maximumByteCount) else {
      throw KeyringError(.cannotRead, systemError: PrivateFile.noSuchFile)
    }
    return (try KeyringDocument(parsing: contents.bytes), contents)
  }
}

extension Sequence<UInt8> {
  /// Whether all are lower-case hexadecimal digits.
  var areLowerHexadecimal: Bool {
    allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 }
  }
}

extension JSONValue {
  fileprivate var base64: SecretBytes? { utf8?.withBytes { text in Base64.standard.decode(text) } }
}

extension ByteWriter {
  /// Writes a text without its length.
  fileprivate mutating func append(text: String) {
    for byte in text.utf8 { append(byte) }
  }

  /// Writes the base64 of bytes, without its length.
  fileprivate mutating func append(base64 bytes: SecretBytes) {
    let count = Base64.standard.encodedByteCount(of: bytes.byteCount)
    bytes.withBytes { bytes in unsafe Base64.standard.encode(bytes, into: reserve(count)) }
  }
}
