import OTP

/// A sealed value, opened.
struct Opened: Sendable {
  /// What was sealed.
  let bytes: SecretBytes
  /// Whether the active key sealed it; where not, it is time to seal it anew.
  let isByActiveKey: Bool
}

extension Opened: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  var description: String { "Opened(redacted)" }
  var debugDescription: String { description }
  var customMirror: Mirror { Mirror(self, children: []) }
}

// A sealed value: version, the length of the key's name, the name, the nonce, the ciphertext, the tag.
extension Keyring {
  private static let version: UInt8 = 1
  private static let domain = "swift-otp sealed value"

  /// Seals bytes by the active key, for one purpose and one place.
  ///
  /// - Parameters:
  ///   - plaintext: The bytes, any number.
  ///   - purpose: What for.
  ///   - context: Where it belongs: the user, the factor. It opens with the same strings in the same order alone.
  /// - Throws: `KeyringError` with `randomnessUnavailable` or `cryptographyFailed`.
  ///
  /// Timing: depends on lengths alone.
  func seal(
    _ plaintext: Span<UInt8>, for purpose: SealPurpose, boundTo context: [String]
  ) throws(KeyringError) -> [UInt8] {
    let name = active.key.name
    let nonce = try random.bytes(XAES256GCM.nonceByteCount)
    let data = Self.associatedData(keyName: name, purpose, context)
    let headerCount = 2 + name.utf8.count + nonce.count
    let byteCount = headerCount + plaintext.count + XAES256GCM.tagByteCount
    var sealed: [UInt8] = []
    sealed.reserveCapacity(byteCount)
    sealed.append(Self.version)
    sealed.append(UInt8(truncatingIfNeeded: name.utf8.count))
    sealed.append(contentsOf: name.utf8)
    sealed.append(contentsOf: nonce)
    sealed.append(contentsOf: repeatElement(0, count: byteCount - headerCount))
    try unsafe sealed.withUnsafeMutableBufferPointer { (sealed) throws(KeyringError) in
      let output = unsafe UnsafeMutableBufferPointer(rebasing: sealed[headerCount...])
      try data.withBytes { (data) throws(KeyringError) in
        try unsafe active.cipher.seal(plaintext, nonce: nonce.span, authenticating: data, to: output)
      }
    }
    return sealed
  }

  /// Opens what ``seal(_:for:boundTo:)`` sealed, by whichever key it names.
  ///
  /// - Throws: `KeyringError` with `malformed`, `unknownKey`, `notAuthentic` or `cryptographyFailed`.
  ///
  /// Timing: depends on lengths and on the key's name alone.
  func open(
    _ sealed: Span<UInt8>, for purpose: SealPurpose, boundTo context: [String]
  ) throws(KeyringError) -> Opened {
    guard sealed.count >= 2, sealed[0] == Self.version else { throw KeyringError(.malformed) }
    let nameEnd = 2 + Int(sealed[1])
    let nonceEnd = nameEnd + XAES256GCM.nonceByteCount
    guard sealed.count >= nonceEnd + XAES256GCM.tagByteCount else { throw KeyringError(.malformed) }
    let sealer = try sealer(named: sealed.extracting(2..<nameEnd))
    let data = Self.associatedData(keyName: sealer.key.name, purpose, context)
    let bytes = try data.withBytes { (data) throws(KeyringError) in
      try sealer.cipher.open(
        sealed.extracting(nonceEnd..<sealed.count), nonce: sealed.extracting(nameEnd..<nonceEnd), authenticating: data)
    }
    return Opened(bytes: bytes, isByActiveKey: sealer.key.name == active.key.name)
  }

  /// Opens sealed bytes. See ``open(_:for:boundTo:)-(Span<UInt8>,_,_)``.
  func open(_ sealed: [UInt8], for purpose: SealPurpose, boundTo context: [String]) throws(KeyringError) -> Opened {
    try open(sealed.span, for: purpose, boundTo: context)
  }

  private func sealer(named name: Span<UInt8>) throws(KeyringError) -> Sealer {
    if Self.isEqual(active.key.name, name) { return active }
    for sealer in others where Self.isEqual(sealer.key.name, name) { return sealer }
    throw KeyringError(.unknownKey)
  }

  private static func isEqual(_ text: String, _ bytes: Span<UInt8>) -> Bool {
    let utf8 = text.utf8
    guard utf8.count == bytes.count else { return false }
    for (index, byte) in utf8.enumerated() where byte != bytes[index] { return false }
    return true
  }

  /// All that a sealed value is bound to, so that no two sets of it have the same bytes. Its version is in the domain's
  /// place: another version has another domain.
  private static func associatedData(keyName: String, _ purpose: SealPurpose, _ context: [String]) -> SecretBytes {
    var writer = ByteWriter()
    writer.append(domain)
    writer.append(version)
    writer.append(keyName)
    writer.append(purpose.rawValue)
    writer.append(length: context.count)
    for part in context { writer.append(part) }
    return writer.finish()
  }
}
