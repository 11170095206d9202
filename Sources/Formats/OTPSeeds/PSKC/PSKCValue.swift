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
