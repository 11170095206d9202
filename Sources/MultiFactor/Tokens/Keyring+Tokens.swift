import OTP

extension Keyring {
  /// The longest token that is read, in characters.
  static let maximumTokenLength = 4096

  /// Seals a payload as a token: `A`-`Z`, `a`-`z`, `0`-`9`, `-` and `_` alone, so that it goes into a URL as it is.
  ///
  /// Whoever has the token can read its length and the sealing key's name, and nothing else.
  ///
  /// - Throws: `KeyringError` with `tooLong` where the token would have more than 4,096 characters,
  ///   `randomnessUnavailable` or `cryptographyFailed`.
  func sealToken(
    _ payload: SecretBytes, for purpose: SealPurpose, boundTo context: [String] = []
  ) throws(KeyringError) -> String {
    let sealed = try payload.withBytes { (bytes) throws(KeyringError) in
      try seal(bytes, for: purpose, boundTo: context)
    }
    let count = Base64.url.encodedByteCount(of: sealed.count)
    guard count <= Self.maximumTokenLength else { throw KeyringError(.tooLong) }
    return unsafe String(unsafeUninitializedCapacity: count) { output in
      unsafe Base64.url.encode(sealed.span, to: UnsafeMutableBufferPointer(rebasing: output[..<count]))
      return count
    }
  }

  /// Seals a payload that is no secret before it is sealed. See ``sealToken(_:for:boundTo:)-(SecretBytes,_,_)``.
  func sealToken(
    _ payload: [UInt8], for purpose: SealPurpose, boundTo context: [String] = []
  ) throws(KeyringError) -> String {
    try sealToken(SecretBytes(copying: payload.span), for: purpose, boundTo: context)
  }

  /// Opens a token that a keyring with the same keys sealed for the same purpose.
  ///
  /// - Throws: `KeyringError` with `malformed`, `unknownKey`, `notAuthentic` or `cryptographyFailed`.
  func openToken(
    _ text: String, for purpose: SealPurpose, boundTo context: [String] = []
  ) throws(KeyringError) -> SecretBytes {
    // Before anything looks at the text: it may be of any length.
    guard text.utf8.count <= Self.maximumTokenLength else { throw KeyringError(.malformed) }
    var text = text
    let decoded = text.withUTF8 { utf8 in unsafe Base64.url.decode(Span(_unsafeElements: utf8)) }
    guard let decoded else { throw KeyringError(.malformed) }
    return try decoded.withBytes { (sealed) throws(KeyringError) in
      try open(sealed, for: purpose, boundTo: context).bytes
    }
  }
}
