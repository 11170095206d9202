import OTP

/// Reads a key container package by package.
///
/// The elements for the transport key and the MAC key come first, as the schema requires. Signatures are not verified,
/// and are reported as such. An authentication code covers only one ciphertext, and the MAC key itself is not
/// authenticated: accounts, serial numbers and digits can have been changed, and secrets exchanged.
///
/// Source: RFC 6030. Algorithms: HOTP and TOTP; AES-CBC with a key that is pre-shared or derived from a password.
struct PSKCParser: SeedParser {
  private var xml: XMLReader
  private let protection: PSKCProtection
  private var isOpen = false
  private var hasPackages = false
  private(set) var hasSignature = false

  init(_ source: SeedSource, key: PSKCKey?) {
    xml = XMLReader(source)
    protection = PSKCProtection(key)
  }

  var line: Int { xml.line }

  mutating func next() throws(SeedRefusal) -> SeedRecord? {
    if !isOpen { try readRoot() }
    while let element = try xml.child() {
      switch element.name {
      case _ where element.space == .foreign: try xml.skip()
      case "EncryptionKey" where !hasPackages: try readEncryptionKey()
      case "MACMethod" where !hasPackages: try readMACMethod(element)
      case "KeyPackage":
        hasPackages = true
        if let record = try readPackage(element) { return record }
      case "Signature":
        hasSignature = true
        try xml.skip()
      case "Extensions": try xml.skip()
      default: throw xml.refusal(.record, .unsupported)
      }
    }
    try xml.end()
    return nil
  }

  private mutating func readRoot() throws(SeedRefusal) {
    isOpen = true
    let root = try xml.root()
    guard root.isCalled("KeyContainer"), root.space == .container else { throw xml.refusal(.file, .unsupported) }
    guard let version = root["Version"] else { throw xml.refusal(.file, .missing) }
    // A higher minor version only adds to the format (RFC 6030, section 1.2).
    guard version.utf8.starts(with: "1.".utf8) else { throw xml.refusal(.file, .unsupported) }
  }

  private mutating func readEncryptionKey() throws(SeedRefusal) {
    while let element = try xml.child() {
      guard element.isCalled("DerivedKey") else {
        // A key's name, or a certificate, whose key cannot open anything here.
        try xml.skip()
        continue
      }
      while let element = try xml.child() {
        guard element.isCalled("KeyDerivationMethod"), protection.derivation == nil else {
          try xml.skip()
          continue
        }
        switch element["Algorithm"] {
        case "http://www.rsasecurity.com/rsalabs/pkcs/schemas/pkcs-5v2-0#pbkdf2",
          "http://www.rsasecurity.com/rsalabs/pkcs/schemas/pkcs-5#pbkdf2",
          "http://www.w3.org/2009/xmlenc11#pbkdf2":
          protection.derivation = try readDerivation()
        default: throw xml.refusal(.derivation, .unsupported)
        }
      }
    }
  }

  private mutating func readDerivation() throws(SeedRefusal) -> KeyDerivation {
    var derivation = KeyDerivation()
    while let element = try xml.child() {
      guard element.isCalled("PBKDF2-params") else {
        try xml.skip()
        continue
      }
      while let element = try xml.child() {
        switch element.name {
        case "Salt":
          while let element = try xml.child() {
            guard element.isCalled("Specified") else { throw xml.refusal(.derivation, .unsupported) }
            try xml.readText()
            derivation.salt = try xml.text.base64(.derivation, line: line).copiedBytes()
          }
        case "IterationCount":
          derivation.iterationCount = try number(.derivation)
          guard (1...KeyDerivation.maximumIterationCount).contains(derivation.iterationCount) else {
            throw xml.refusal(.derivation, .outOfRange)
          }
        case "KeyLength": derivation.keyByteCount = try number(.derivation)
        case "PRF":
          // The schema has an attribute, but python-pskc writes the name as text.
          var fault: SeedRefusal?
          let text = try xml.readText(.derivation, noting: &fault)
          if let fault { throw fault }
          if let name = element["Algorithm"] ?? text { derivation.hash = try hash(name, .derivation) }
        default: throw xml.refusal(.derivation, .unsupported)
        }
      }
    }
    guard !derivation.salt.isEmpty, derivation.iterationCount > 0 else { throw xml.refusal(.derivation, .missing) }
    return derivation
  }

  private mutating func number<N: FixedWidthInteger>(_ field: SeedRefusal.Field) throws(SeedRefusal) -> N {
    try xml.readText()
    let line = line
    return try xml.text.withBytes { (text) throws(SeedRefusal) in try text.number(field, line: line) }
  }

  /// The hash function of the HMAC named by a URI's fragment.
  private func hash(_ name: String, _ field: SeedRefusal.Field) throws(SeedRefusal) -> HashAlgorithm {
    let name = String(decoding: name.utf8.drop { $0 != 0x23 }.dropFirst(), as: UTF8.self)
    guard name.utf8.starts(with: "hmac-".utf8), let hash = try? HashAlgorithm(name: name) else {
      throw xml.refusal(field, .unsupported)
    }
    return hash
  }

  private mutating func readMACMethod(_ element: XMLElement) throws(SeedRefusal) {
    guard protection.mac == nil else { throw xml.refusal(.mac, .duplicate) }
    guard let name = element["Algorithm"] else { throw xml.refusal(.mac, .missing) }
    let hash = try hash(name, .mac)
    var fault: SeedRefusal?
    while let element = try xml.child() {
      guard element.isCalled("MACKey") else {
        // A reference to a key that is not in the file.
        throw xml.refusal(.mac, .unsupported)
      }
      if let key = try xml.readEncrypted(.mac, noting: &fault) { protection.mac = (hash, key) }
    }
    if let fault { throw fault }
  }

  /// Reads a package; `nil` if it has no key.
  private mutating func readPackage(_ start: XMLElement) throws(SeedRefusal) -> SeedRecord? {
    var key: PSKCKeyElement?
    var device = PSKCDevice()
    while let element = try xml.child() {
      switch element.name {
      case _ where element.space == .foreign: try xml.skip()
      case "DeviceInfo": try device.read(&xml)
      case "Key":
        guard key == nil else { throw xml.refusal(.record, .duplicate) }
        var element = PSKCKeyElement(element)
        try element.read(&xml)
        key = element
      case "CryptoModuleInfo", "Extensions": try xml.skip()
      default: throw xml.refusal(.record, .unsupported)
      }
    }
    guard let key else { return nil }
    do throws(SeedRefusal) { return .seed(try key.seed(of: device, protection)) } catch { return .refused(error) }
  }
}
