internal import COTPSupport

/// A prepared key, borrowed from the ``PreparedKey`` that keeps it alive, and the switch between the two ways to
/// compute with it.
///
/// It owns nothing, so copying it costs nothing.
@safe package enum KeyMaterial: @unchecked Sendable {
  // Sendable because it is never written to once made, except by the sessions of an `EVPKey`, which lock it.
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

  /// Writes the tag of a message of any length into memory of the tag's size.
  func writeTag(of message: Span<UInt8>, to tag: UnsafeMutableBufferPointer<UInt8>) throws(OTPError) {
    switch self {
    case .evp(let handle): try unsafe handle.writeTag(of: message, to: tag)
    case .lanes(let key):
      unsafe message.withUnsafeBufferPointer { message in
        unsafe otp_lanes_message_tag(key.plan, key.midstates, message.baseAddress, message.count, tag.baseAddress)
      }
    }
  }

  /// Writes the truncated HMAC values of consecutive counters (RFC 4226, section 5.3), one for each element of
  /// `output`. Counters wrap from 2^64-1 to 0.
  ///
  /// Timing: depends only on the number of counters.
  func writeTruncatedValues(from first: UInt64, to output: UnsafeMutableBufferPointer<UInt32>) throws(OTPError) {
    switch self {
    case .evp(let handle): try unsafe handle.writeTruncatedValues(from: first, to: output)
    case .lanes(let key):
      unsafe otp_lanes_key_values(key.plan, key.midstates, first, output.count, output.baseAddress)
    }
  }

  /// How many values are computed at a time. They are kept on the stack and wiped.
  private static var scanCapacity: Int { 128 }

  /// Passes the truncated values of `count` consecutive counters to `body`, in order, with their index.
  ///
  /// Every value is computed, whatever `body` does with the ones before it. Nothing is allocated on the heap except,
  /// with the backend `evp`, by OpenSSL.
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

  /// Lends the material of a secret that is used once. Its midstates are on the stack and wiped afterwards; only the
  /// backend `evp` allocates memory.
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
