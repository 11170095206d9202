/// A secret made ready for HMAC (RFC 2104) with one hash function.
///
/// Making one ready costs as much as a few codes; keep it for as long as codes are made or verified with the secret.
/// It holds material as secret as the secret itself: it is wiped when the last copy is released, and redacted.
/// Any number of threads may use one at once.
@safe public struct HMACKey: Sendable {
  /// The hash function.
  public let algorithm: HashAlgorithm
  /// The implementation that the key was made ready for.
  public let backend: HMACBackend

  private let owner: Owner
  /// The key as its owner lends it. Whoever computes with it keeps the ``HMACKey`` alive.
  let material: KeyMaterial

  /// What is wiped and released with the last copy.
  private enum Owner {
    case evp(EVPKey)
    case midstates(MidstateKey)
  }

  /// Makes a secret of any length ready.
  ///
  /// - Parameters:
  ///   - secret: The bytes as they are: never stretched to the algorithm's size. More than a block are hashed first.
  ///   - algorithm: The hash function.
  ///   - backend: The implementation; `nil` takes ``HMACBackend/standard``.
  /// - Throws: `OTPError` with code `backendUnavailable` or `cryptographyFailed`.
  ///
  /// Timing: depends on the secret's length, the algorithm and the backend.
  public init(_ secret: OTPSecret, algorithm: HashAlgorithm, backend: HMACBackend? = nil) throws(OTPError) {
    let backend = if let backend { backend } else { try HMACBackend.standard }
    guard backend.isAvailable else { throw OTPError(.backendUnavailable) }
    try self.init(unchecked: backend, secret, algorithm: algorithm)
  }

  /// The same without asking whether the backend has passed its known-answer test: for that test.
  init(unchecked backend: HMACBackend, _ secret: OTPSecret, algorithm: HashAlgorithm) throws(OTPError) {
    self.algorithm = algorithm
    self.backend = backend
    if let engine = try MidstateEngine(backend.kind, algorithm: algorithm) {
      let key = try MidstateKey(secret, engine: engine)
      owner = .midstates(key)
      unsafe material = key.material
    } else {
      let key = try unsafe EVPKey(EVPHandle(secret, algorithm: algorithm))
      owner = .evp(key)
      unsafe material = key.material
    }
  }

  /// The HMAC tag of a message of any length: 20, 32 or 64 bytes.
  ///
  /// - Throws: `OTPError` with code `cryptographyFailed`, with the `evp` backend alone.
  ///
  /// Timing: depends on the message's length alone.
  public func tag(for message: Span<UInt8>) throws(OTPError) -> [UInt8] {
    let tag = SecretBytes(capacity: algorithm.tagByteCount)
    try unsafe withMaterial { (material) throws(OTPError) in
      try unsafe material.writeTag(of: message, to: tag.mutableBytes)
    }
    return tag.copiedBytes()
  }

  /// Lends the material, and keeps its owner alive for so long.
  func withMaterial<R>(_ body: (KeyMaterial) throws(OTPError) -> R) throws(OTPError) -> R {
    defer { withExtendedLifetime(owner) {} }
    return try unsafe body(material)
  }

  /// Lends the material of a secret that is used once. Only the backend `evp` allocates memory.
  ///
  /// - Throws: `OTPError` with code `emptySecret`, `backendUnavailable` or `cryptographyFailed`, or what `body` throws.
  static func withTemporaryMaterial<R>(
    of secret: Span<UInt8>, _ algorithm: HashAlgorithm, _ backend: HMACBackend?,
    _ body: (KeyMaterial) throws(OTPError) -> R
  ) throws(OTPError) -> R {
    let backend = if let backend { backend } else { try HMACBackend.standard }
    guard backend.isAvailable else { throw OTPError(.backendUnavailable) }
    if let engine = try MidstateEngine(backend.kind, algorithm: algorithm) {
      return try unsafe withTemporaryMidstates(of: secret, engine: engine, body)
    }
    return try unsafe HMACKey(OTPSecret(bytes: secret), algorithm: algorithm, backend: backend).withMaterial(body)
  }

  /// The code of one counter, for a verifier that nobody keeps.
  package func code(of counter: UInt64, digits: OTPCode.Digits) throws(OTPError) -> OTPCode {
    OTPCode(truncatedValue: try truncatedValue(of: counter), digits: digits)
  }

  /// The truncated value of one counter (RFC 4226, section 5.3).
  func truncatedValue(of counter: UInt64) throws(OTPError) -> UInt32 {
    var result: UInt32 = 0
    try unsafe withMaterial { (material) throws(OTPError) in
      try unsafe material.scanTruncatedValues(from: counter, count: 1) { _, value in result = value }
    }
    return result
  }
}

extension HMACKey: Redacted {
  package var redactedDescription: String { "HMACKey(redacted)" }

  /// A text that shows nothing of the key.
  public var description: String { redactedDescription }
}
