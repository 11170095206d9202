/// A secret made ready for HMAC (RFC 2104) with one hash function.
///
/// Making one ready costs as much as a few codes; keep it for as long as codes are made or verified with the secret.
/// It holds material as secret as the secret itself: it is wiped when the last copy is released, and redacted.
/// Any number of threads may use one at once.
public struct HMACKey: Sendable {
  /// The hash function.
  public let algorithm: HashAlgorithm

  private let prepared: Prepared

  /// The key as its backend holds it.
  private enum Prepared {
    case evp(EVPKey)
    case midstate(MidstateKey)
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
    prepared =
      switch backend.kind {
      case .evp: .evp(try EVPKey(secret, algorithm: algorithm))
      case .midstate: .midstate(try MidstateKey(secret, algorithm: algorithm))
      }
  }

  /// The implementation that the key was made ready for.
  public var backend: HMACBackend {
    switch prepared {
    case .evp: .evp
    case .midstate: .midstate
    }
  }

  /// The HMAC tag of a message of any length: 20, 32 or 64 bytes.
  ///
  /// - Throws: `OTPError` with code `cryptographyFailed`, with the `evp` backend alone.
  ///
  /// Timing: depends on the message's length alone.
  public func tag(for message: Span<UInt8>) throws(OTPError) -> [UInt8] {
    let tag = SecretBytes(capacity: algorithm.tagByteCount)
    switch prepared {
    case .evp(let key): try unsafe key.writeTag(of: message, to: tag.mutableBytes)
    case .midstate(let key): unsafe key.writeTag(of: message, to: tag.mutableBytes)
    }
    return tag.copiedBytes()
  }

  /// The truncated HMAC values of consecutive counters (RFC 4226, section 5.3), from `first` on, one for each place of
  /// `output`. The last counter must not pass 2^64-1.
  ///
  /// Timing: depends on the number of counters alone.
  func writeTruncatedValues(from first: UInt64, to output: UnsafeMutableBufferPointer<UInt32>) throws(OTPError) {
    switch prepared {
    case .evp(let key): try unsafe key.writeTruncatedValues(from: first, to: output)
    case .midstate(let key): unsafe key.writeTruncatedValues(from: first, to: output)
    }
  }
}

extension HMACKey: Redacted {
  var redactedDescription: String { "HMACKey(redacted)" }

  /// A text that shows nothing of the key.
  public var description: String { redactedDescription }
}
