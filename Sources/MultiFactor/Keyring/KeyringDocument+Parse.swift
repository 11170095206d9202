import OTP

extension KeyringDocument {
  /// Reads a file's bytes: JSON whose fields are these and no others, each once, in any order.
  ///
  /// - Throws: `KeyringError` with `malformed`, `invalidName`, `invalidKey`, `duplicateName`, or, where the active key is
  ///   not among the keys, `unknownKey`.
  init(parsing bytes: SecretBytes) throws(KeyringError) {
    var json = SecretJSON(bytes)
    var format: String?
    var active: String?
    var keys: [Keyring.Key]?
    var hashKey: HashKey?
    try json.readObject { (json, field) throws(KeyringError) in
      switch field {
      case "format" where format == nil: format = try json.readText()
      case "active" where active == nil: active = try json.readText()
      case "keys" where keys == nil:
        var read: [Keyring.Key] = []
        try json.readArray { (json) throws(KeyringError) in read.append(try Self.readKey(&json)) }
        keys = read
      case "hashKey" where hashKey == nil: hashKey = try HashKey(Self.readBase64(&json))
      default: throw KeyringError(.malformed)
      }
    }
    try json.finish()
    guard format == Self.format, let active, let keys, let hashKey else { throw KeyringError(.malformed) }
    guard Set(keys.map(\.name)).count == keys.count else { throw KeyringError(.duplicateName) }
    guard keys.contains(where: { $0.name == active }) else { throw KeyringError(.unknownKey) }
    self.init(active: active, keys: keys, hashKey: hashKey)
  }

  private static func readKey(_ json: inout SecretJSON) throws(KeyringError) -> Keyring.Key {
    var name: String?
    var key: SecretBytes?
    try json.readObject { (json, field) throws(KeyringError) in
      switch field {
      case "name" where name == nil: name = try json.readText()
      case "key" where key == nil: key = try readBase64(&json)
      default: throw KeyringError(.malformed)
      }
    }
    guard let name, let key else { throw KeyringError(.malformed) }
    return try Keyring.Key(name: name, bytes: key)
  }

  private static func readBase64(_ json: inout SecretJSON) throws(KeyringError) -> SecretBytes {
    guard let bytes = try json.readString().withBytes({ Base64.standard.decode($0) }) else {
      throw KeyringError(.malformed)
    }
    return bytes
  }
}
