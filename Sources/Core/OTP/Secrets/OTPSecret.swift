internal import COTPSupport

/// A shared secret: the bytes that a server and an authenticator both hold (RFC 4226, section 4, R6).
///
/// Its memory is wiped when the last copy is released. It is redacted in descriptions, mirrors and dumps. Only
/// ``withBytes(_:)``, ``unwipedBytes()`` and ``base32String(padding:)`` reveal its bytes.
public struct OTPSecret: Sendable {
  let storage: SecretBytes

  /// A secret of 1 byte or more.
  ///
  /// - Throws: `OTPError` with code `emptySecret`.
  ///
  /// Timing: depends only on the number of bytes.
  public init(bytes: Span<UInt8>) throws(OTPError) {
    try self.init(SecretBytes(copying: bytes))
  }

  /// A secret of 1 byte or more. Wiping the collection is left to the caller.
  ///
  /// - Throws: `OTPError` with code `emptySecret`.
  ///
  /// Timing: depends on the number of bytes, and on the collection.
  @inlinable public init(bytes: some Collection<UInt8>) throws(OTPError) {
    self = try withSpan(of: bytes) { (bytes) throws(OTPError) in try OTPSecret(bytes: bytes) }
  }

  /// The secret that a base32 text encodes, as people type it and issuers write it.
  ///
  /// - Parameters:
  ///   - text: The text; ``Base32/decode(_:strict:)`` says what is accepted.
  ///   - strict: Accepts only what RFC 4648 allows.
  /// - Throws: `OTPError` with one of the codes for base32 and a position, or with code `emptySecret`.
  ///
  /// Timing: depends on the text's length and on where its separators and padding are, not on its symbols.
  @inlinable public init(base32 text: some StringProtocol, strict: Bool = false) throws(OTPError) {
    self = try withUTF8(of: text) { (text) throws(OTPError) in
      try OTPSecret(base32UTF8: text, strict: strict)
    }
  }

  /// The secret that a base32 text, given as bytes, encodes. See ``init(base32:strict:)``.
  public init(base32UTF8 text: Span<UInt8>, strict: Bool = false) throws(OTPError) {
    try self.init(Base32.decodeSecret(text, strict: strict))
  }

  /// A new secret from OpenSSL's private generator, as long as the algorithm's tag: 20, 32 or 64 bytes.
  ///
  /// - Throws: `OTPError` with code `randomnessUnavailable`; there is no fallback.
  ///
  /// Timing: OpenSSL's.
  ///
  /// Source: RFC 4226, section 4 (R6) and RFC 6238, section 3 (R5, R6).
  public static func random(for algorithm: HashAlgorithm = .sha1) throws(OTPError) -> OTPSecret {
    let bytes = SecretBytes(capacity: algorithm.tagByteCount)
    defer { otp_wipe_stack(Int(OTP_LIBRARY_STACK_BYTES)) }
    guard unsafe otp_random_private(bytes.mutableBytes.baseAddress, bytes.byteCount) == 1 else {
      throw OTPError(.randomnessUnavailable)
    }
    return try OTPSecret(bytes)
  }

  /// A secret in memory of its own, which nothing writes to any more.
  package init(_ storage: SecretBytes) throws(OTPError) {
    guard storage.byteCount > 0 else { throw OTPError(.emptySecret) }
    self.storage = storage
  }

  /// The number of bytes, 1 or more.
  public var byteCount: Int { storage.byteCount }

  /// Whether the secret is shorter than the 16 bytes that RFC 4226, section 4 (R6), requires.
  ///
  /// Such a secret can be imported, since some issuers have handed them out; this engine never generates one.
  public var isWeak: Bool { byteCount < 16 }

  /// Lends the bytes to a closure. Copies that the closure makes are not wiped.
  public func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
    try storage.withBytes(body)
  }

  /// A copy of the bytes, in memory that is not wiped, for an API that takes an array or a collection.
  ///
  /// Neither this array nor any copy of it is wiped when it is released: overwrite it once it is encrypted or stored.
  /// `OTPSecret(bytes:)` turns it back into the same secret.
  ///
  /// Timing: depends only on ``byteCount``.
  public func unwipedBytes() -> [UInt8] { storage.copiedBytes() }

  /// The secret itself, in base32, to show to the user during enrollment. The text is not wiped.
  ///
  /// - Parameter padding: Whether to pad the text with `=` to a multiple of 8 characters.
  ///
  /// Timing: depends only on ``byteCount``.
  public func base32String(padding: Bool = false) -> String {
    storage.withBytes { bytes in Base32.encode(bytes, padding: padding) }
  }
}

extension OTPSecret: Equatable {
  /// Whether two secrets have the same bytes.
  ///
  /// Timing: depends only on the two lengths.
  public static func == (left: OTPSecret, right: OTPSecret) -> Bool {
    SecretBytes.equal(left.storage, right.storage)
  }
}

extension OTPSecret: Redacted {
  package var redactedDescription: String { "OTPSecret(redacted)" }

  /// A fixed text that reveals nothing of the secret.
  public var description: String { redactedDescription }
}
