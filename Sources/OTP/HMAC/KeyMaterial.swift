internal import COTPSupport

/// A prepared key, lent by its owner, who keeps it alive, and the one switch between the two ways to compute with it.
///
/// It owns nothing, so that a verifier copies it at no cost.
@safe package enum KeyMaterial: @unchecked Sendable {
  // Sendable because nothing of it is written after it was made, but by an `EVPKey`'s sessions, which lock it.
  case evp(EVPKey)
  case lanes(LanesKey)

  var algorithm: HashAlgorithm {
    switch self {
    case .evp(let handle): unsafe handle.algorithm
    case .lanes(let key): unsafe key.algorithm
    }
  }

  var backend: HMACBackend {
    switch self {
    case .evp: .evp
    case .lanes(let key): unsafe .lanes(key.set)
    }
  }

  /// Writes the tag of a message of any length: as many bytes as the algorithm's tag has.
  func writeTag(of message: Span<UInt8>, to tag: UnsafeMutableBufferPointer<UInt8>) throws(OTPError) {
    switch self {
    case .evp(let handle): try unsafe handle.writeTag(of: message, to: tag)
    case .lanes(let key):
      unsafe message.withUnsafeBufferPointer { message in
        unsafe otp_lanes_message_tag(key.plan, key.midstates, message.baseAddress, message.count, tag.baseAddress)
      }
    }
  }

  /// Writes the truncated HMAC values of consecutive counters (RFC 4226, section 5.3), one for each place of `output`.
  /// After 2^64-1 comes 0.
  ///
  /// Timing: depends only on the number of counters.
  func writeTruncatedValues(from first: UInt64, to output: UnsafeMutableBufferPointer<UInt32>) throws(OTPError) {
    switch self {
    case .evp(let handle): try unsafe handle.writeTruncatedValues(from: first, to: output)
    case .lanes(let key):
      unsafe otp_lanes_key_values(key.plan, key.midstates, first, output.count, output.baseAddress)
    }
  }

  /// How many values are worked out at a time. They wait on the stack and are wiped.
  private static var scanCapacity: Int { 128 }

  /// Hands the truncated values of `count` consecutive counters to `body`, in order, with their place.
  ///
  /// Every value is computed, whatever `body` makes of the ones before it. Nothing is allocated on the heap but what
  /// OpenSSL allocates itself, with the backend `evp`.
  ///
  /// Timing: depends only on `count`, if `body` takes a constant time.
  @inline(__always)
  func scanTruncatedValues(
    from first: UInt64, count: Int, _ body: (_ index: Int, _ value: UInt32) -> Void
  ) throws(OTPError) {
    let capacity = min(count, KeyMaterial.scanCapacity)
    try unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: capacity) { (values) throws(OTPError) in
      defer { unsafe otp_wipe_inline(values.baseAddress, values.count * MemoryLayout<UInt32>.stride) }
      var done = 0
      while done < count {
        let part = unsafe UnsafeMutableBufferPointer(rebasing: values[..<min(capacity, count - done)])
        try unsafe writeTruncatedValues(from: first &+ UInt64(done), to: part)
        for index in part.indices { unsafe body(done + index, part[index]) }
        done += part.count
      }
    }
  }

  /// The truncated value of one counter (RFC 4226, section 5.3).
  func truncatedValue(of counter: UInt64) throws(OTPError) -> UInt32 {
    var result: UInt32 = 0
    try scanTruncatedValues(from: counter, count: 1) { _, value in result = value }
    return result
  }

  /// The code of one counter.
  package func code(of counter: UInt64, digits: OTPCode.Digits) throws(OTPError) -> OTPCode {
    OTPCode(truncatedValue: try truncatedValue(of: counter), digits: digits)
  }

  /// Lends the material of a secret that is used once: midstates on the stack, wiped afterwards. Only the backend `evp`
  /// allocates memory.
  ///
  /// - Throws: `OTPError` with code `emptySecret`, `backendUnavailable` or `cryptographyFailed`, or what `body` throws.
  static func withTemporary<R>(
    of secret: Span<UInt8>, _ algorithm: HashAlgorithm, _ backend: HMACBackend?,
    _ body: (KeyMaterial) throws(OTPError) -> R
  ) throws(OTPError) -> R {
    guard !secret.isEmpty else { throw OTPError(.emptySecret) }
    let backend = try HMACBackend.usable(backend)
    guard case .lanes(let set) = backend.kind else {
      return try HMACKey(PreparedKey.make(secret, algorithm, unchecked: backend)).withMaterial(body)
    }
    let plan = try unsafe LanesKey.plan(set, algorithm)
    return try unsafe withUnsafeTemporaryAllocation(of: otp_midstates.self, capacity: 1) { (memory) throws(OTPError) in
      guard let midstates = memory.baseAddress else { throw OTPError(.cryptographyFailed) }
      defer { unsafe otp_wipe_inline(midstates, LanesKey.midstatesByteCount(algorithm)) }
      return try unsafe body(.lanes(LanesKey(secret, plan: plan, in: midstates)))
    }
  }
}
