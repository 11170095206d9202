import OTP

/// What a value is sealed or hashed for. A sealed value opens only for the same purpose, and a value has a different
/// hash for each purpose.
///
/// The name is part of what is authenticated: if you change it, what was sealed for it is lost.
package struct Purpose: Sendable, Hashable {
  /// The name, different from that of any other purpose.
  package let name: String

  /// A purpose with a name.
  package init(_ name: String) { self.name = name }
}

/// An opened value.
package struct Opened: Sendable, Redacted {
  /// What was sealed.
  package let bytes: SecretBytes
  /// Whether the active key sealed it. If not, seal it again.
  package let isByActiveKey: Bool

  package var redactedDescription: String { "Opened(redacted)" }
}

// A sealed value: version, the length of the key's name, the name, the nonce, the ciphertext, the tag.
extension Keyring {
  static var version: UInt8 { 1 }
  static var domain: String { "swift-otp sealed value" }
  /// The longest token that is read, in characters.
  private static var maximumTokenLength: Int { 4096 }

  /// Seals bytes with the active key, for one purpose and context.
  ///
  /// - Parameters:
  ///   - plaintext: The bytes, any number of them.
  ///   - purpose: What the value is for.
  ///   - context: What the value belongs to, such as the key of a document. It opens only with the same strings in the
  ///     same order.
  /// - Throws: `KeyringError` with `cryptographyFailed`.
  ///
  /// Timing: depends only on lengths.
  package func seal(
    _ plaintext: SecretBytes, for purpose: Purpose, boundTo context: [String]
  ) throws(KeyringError) -> [UInt8] {
    try seal(plaintext, for: purpose, after: 0) { writer in writer.append(context) }
  }

  /// The same for a context that a closure writes, with room for a prefix, which is not authenticated by itself.
  package func seal(
    _ plaintext: SecretBytes, for purpose: Purpose, after prefixByteCount: Int,
    boundTo context: (inout ByteWriter) -> Void
  ) throws(KeyringError) -> [UInt8] {
    let header = active.header
    let headerEnd = prefixByteCount + header.count
    let nonceEnd = headerEnd + XAES256GCM.nonceByteCount
    let byteCount = nonceEnd + plaintext.byteCount + XAES256GCM.tagByteCount
    var sealed = [UInt8](repeating: 0, count: byteCount)
    try unsafe sealed.withUnsafeMutableBufferPointer { (sealed) throws(KeyringError) in
      unsafe UnsafeMutableBufferPointer(rebasing: sealed[prefixByteCount...]).copy(header.span)
      let nonce = unsafe UnsafeMutableBufferPointer(rebasing: sealed[headerEnd..<nonceEnd])
      let output = unsafe UnsafeMutableBufferPointer(rebasing: sealed[nonceEnd...])
      try plaintext.withBytes { (plaintext) throws(KeyringError) in
        try active.withAssociatedData(purpose, context) { (data) throws(KeyringError) in
          try unsafe nonces.derive(to: nonce, for: plaintext, authenticating: data)
          try unsafe active.cipher.seal(plaintext, nonce: nonce.span, authenticating: data, to: output)
        }
      }
    }
    return sealed
  }

  /// Opens what ``seal(_:for:boundTo:)`` sealed, with the key that it names.
  ///
  /// - Throws: `KeyringError` with `malformed`, `unknownKey`, `notAuthentic` or `cryptographyFailed`.
  ///
  /// Timing: depends only on lengths and on the key's name.
  package func open(
    _ sealed: [UInt8], for purpose: Purpose, boundTo context: [String]
  ) throws(KeyringError) -> Opened {
    try open(sealed.span, for: purpose) { writer in writer.append(context) }
  }

  /// The same for a context that a closure writes.
  package func open(
    _ sealed: Span<UInt8>, for purpose: Purpose, boundTo context: (inout ByteWriter) -> Void
  ) throws(KeyringError) -> Opened {
    let headerEnd = try Self.headerEnd(of: sealed)
    let nonceEnd = headerEnd + XAES256GCM.nonceByteCount
    guard sealed.count >= nonceEnd + XAES256GCM.tagByteCount else { throw KeyringError(.malformed) }
    let header = sealed.extracting(0..<headerEnd)
    let isByActiveKey = Self.isEqual(active.header, header)
    guard let sealer = isByActiveKey ? active : others.first(where: { Self.isEqual($0.header, header) }) else {
      throw KeyringError(.unknownKey)
    }
    let bytes = try sealer.withAssociatedData(purpose, context) { (data) throws(KeyringError) in
      try sealer.cipher.open(
        sealed.extracting(nonceEnd..<sealed.count), nonce: sealed.extracting(headerEnd..<nonceEnd),
        authenticating: data)
    }
    return Opened(bytes: bytes, isByActiveKey: isByActiveKey)
  }

  /// Seals a payload as a token of only `A`-`Z`, `a`-`z`, `0`-`9`, `-` and `_`, so that it fits into a URL as it is.
  ///
  /// A token reveals its length and the sealing key's name, and nothing else.
  ///
  /// - Throws: `KeyringError` with `tooLong` if the token would have more than 4,096 characters, and as
  ///   ``seal(_:for:boundTo:)`` does.
  package func sealToken(
    _ payload: SecretBytes, for purpose: Purpose, boundTo context: [String]
  ) throws(KeyringError) -> String {
    let sealed = try seal(payload, for: purpose, boundTo: context)
    let count = Base64.url.encodedByteCount(of: sealed.count)
    guard count <= Self.maximumTokenLength else { throw KeyringError(.tooLong) }
    return unsafe String(unsafeUninitializedCapacity: count) { output in
      unsafe Base64.url.encode(sealed.span, into: UnsafeMutableBufferPointer(rebasing: output[..<count]))
      return count
    }
  }

  /// Opens a token that a keyring with the same keys sealed for the same purpose and context.
  ///
  /// - Throws: `KeyringError` as ``open(_:for:boundTo:)`` does.
  package func openToken(
    _ text: String, for purpose: Purpose, boundTo context: [String]
  ) throws(KeyringError) -> SecretBytes {
    // Checked first, since the text may have any length.
    guard text.utf8.count <= Self.maximumTokenLength else { throw KeyringError(.malformed) }
    var text = text
    let decoded = text.withUTF8 { utf8 in unsafe Base64.url.decode(Span(_unsafeElements: utf8)) }
    guard let decoded else { throw KeyringError(.malformed) }
    return try decoded.withBytes { (sealed) throws(KeyringError) in
      try open(sealed, for: purpose) { writer in writer.append(context) }.bytes
    }
  }

  /// The name of the key that sealed a value, which is not opened.
  ///
  /// - Throws: `KeyringError` with `malformed`.
  package static func keyName(ofSealed sealed: Span<UInt8>) throws(KeyringError) -> String {
    let name = String(validUTF8: sealed.extracting(2..<(try headerEnd(of: sealed))))
    guard let name, Key.isName(name) else { throw KeyringError(.malformed) }
    return name
  }

  /// Whether the active key sealed a value.
  package func isByActiveKey(_ sealed: Span<UInt8>) -> Bool {
    let count = active.header.count
    return sealed.count >= count && Self.isEqual(active.header, sealed.extracting(0..<count))
  }

  /// Where the key's name ends.
  private static func headerEnd(of sealed: Span<UInt8>) throws(KeyringError) -> Int {
    guard sealed.count >= 2, sealed[0] == version, sealed.count >= 2 + Int(sealed[1]) else {
      throw KeyringError(.malformed)
    }
    return 2 + Int(sealed[1])
  }

  private static func isEqual(_ left: [UInt8], _ right: Span<UInt8>) -> Bool {
    left.count == right.count && left.indices.allSatisfy { index in left[index] == right[index] }
  }
}

extension Keyring.Sealer {
  /// Lends all that a sealed value is bound to, encoded so that different bindings never have the same bytes.
  fileprivate func withAssociatedData<R>(
    _ purpose: Purpose, _ context: (inout ByteWriter) -> Void, _ body: (Span<UInt8>) throws(KeyringError) -> R
  ) throws(KeyringError) -> R {
    try unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { (memory) throws(KeyringError) in
      var writer = unsafe ByteWriter(borrowing: memory)
      writer.append(raw: binding.span)
      writer.append(purpose.name)
      context(&writer)
      return try writer.withBytes(body)
    }
  }
}

extension ByteWriter {
  /// Writes what a value belongs to.
  mutating func append(_ texts: [String]) {
    append(length: texts.count)
    for text in texts { append(text) }
  }
}
