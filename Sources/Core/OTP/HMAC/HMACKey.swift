/// A secret prepared for HMAC (RFC 2104) with one hash function.
///
/// Preparing one costs as much as a few codes; keep it for as long as codes are made or verified with the secret.
/// It is as secret as the secret itself: it is wiped when the last copy is released, and redacted. Any number of
/// threads may use one at once.
@safe public struct HMACKey: @unchecked Sendable {
  // Sendable because threads can share a `PreparedKey`, although its superclass, `ManagedBuffer`, is not Sendable.

  /// What is wiped and released with the last copy.
  private let owner: PreparedKey
  /// The key, borrowed from its owner. Code that computes with it must keep this ``HMACKey`` alive.
  let material: KeyMaterial

  /// The hash function.
  public var algorithm: HashAlgorithm { material.algorithm }
  /// The implementation that the key was prepared for.
  public var backend: HMACBackend { material.backend }

  /// Prepares a secret of any length.
  ///
  /// - Parameters:
  ///   - secret: The secret, used as it is: never extended to the algorithm's size. A secret longer than a block is
  ///     hashed first.
  ///   - algorithm: The hash function.
  ///   - backend: The implementation; `nil` means ``HMACBackend/standard``.
  /// - Throws: `OTPError` with code `backendUnavailable` or `cryptographyFailed`.
  ///
  /// Timing: depends on the secret's length, the algorithm and the backend.
  public init(_ secret: OTPSecret, algorithm: HashAlgorithm, backend: HMACBackend? = nil) throws(OTPError) {
    try self.init(unchecked: HMACBackend.usable(backend), secret, algorithm: algorithm)
  }

  /// The same, without requiring that the backend has passed its known-answer test: for that test itself.
  init(unchecked backend: HMACBackend, _ secret: OTPSecret, algorithm: HashAlgorithm) throws(OTPError) {
    self.init(
      try secret.withBytes { (secret) throws(OTPError) in
        try PreparedKey.make(secret, algorithm, unchecked: backend)
      })
  }

  package init(_ owner: PreparedKey) {
    self.owner = owner
    material = owner.material
  }

  /// The HMAC tag of a message of any length: 20, 32 or 64 bytes.
  ///
  /// - Throws: `OTPError` with code `cryptographyFailed`, only with the `evp` backend.
  ///
  /// Timing: depends only on the message's length.
  public func tag(for message: Span<UInt8>) throws(OTPError) -> [UInt8] {
    let tag = SecretBytes(capacity: algorithm.tagByteCount)
    defer { withExtendedLifetime(owner) {} }
    try unsafe material.writeTag(of: message, to: tag.mutableBytes)
    return tag.copiedBytes()
  }

  /// Lends the material, and keeps its owner alive meanwhile.
  @inline(__always)
  package func withMaterial<R>(_ body: (KeyMaterial) throws(OTPError) -> R) throws(OTPError) -> R {
    defer { withExtendedLifetime(owner) {} }
    return try body(material)
  }

  /// The truncated value of one counter (RFC 4226, section 5.3).
  func truncatedValue(of counter: UInt64) throws(OTPError) -> UInt32 {
    try withMaterial { (material) throws(OTPError) in try material.truncatedValue(of: counter) }
  }
}

extension HMACKey: Redacted {
  package var redactedDescription: String { "HMACKey(redacted)" }

  /// A fixed text that reveals nothing of the key.
  public var description: String { redactedDescription }
}
