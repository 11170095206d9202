import OTP

extension KeyringDocument {
  /// Changes an existing file, and writes it only if its bytes differ.
  static func update<R>(
    _ path: String, random: SecureRandom = .system, _ change: (inout KeyringDocument) throws(KeyringError) -> R
  ) throws(KeyringError) -> R {
    let path = try PrivateFile.resolved(path)
    return try PrivateFile.withLock(on: path) { () throws(KeyringError) in
      let file = try read(path)
      // Its keys were to be on no disk.
      guard !file.contents.isPipe else { throw KeyringError(.cannotWrite) }
      // Not before this, since the keyring may be damaged, and a file beside it the only other copy of its keys.
      PrivateFile.removeLeftovers(of: path, PrivateFile.NewFile.allCases, owner: file.contents.owner)
      var document = file.document
      let result = try change(&document)
      let bytes = try document.serialized()
      guard bytes.byteCount <= maximumByteCount else { throw KeyringError(.tooLong) }
      if !SecretBytes.equal(bytes, file.contents.bytes) {
        try PrivateFile.replace(path, bytes, like: file.contents, random: random)
      }
      return result
    }
  }
}
