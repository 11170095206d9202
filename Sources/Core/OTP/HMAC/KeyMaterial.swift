internal import COTPSupport

/// A prepared key, borrowed from the ``PreparedKey`` that keeps it alive, and the switch between the two ways to
/// compute with it: OpenSSL's key, or midstates and the plan whose kernels compute with them.
///
/// It owns nothing, so copying it costs nothing. Plans are in static memory.
@safe package struct KeyMaterial: @unchecked Sendable {
  // Sendable because it is never written to once made, except by the sessions of an `EVPKey`, which lock it.

  /// The plan; `nil` for OpenSSL's key.
  private let plan: OpaquePointer?
  /// The midstates, or the pointer to OpenSSL's key.
  private let memory: UnsafeMutableRawPointer

  init(plan: OpaquePointer?, memory: UnsafeMutableRawPointer) {
    unsafe self.plan = plan
    unsafe self.memory = memory
  }

  /// Prepares a secret for a plan.
  ///
  /// - Parameter memory: ``midstatesByteCount(_:)`` bytes, aligned for a word, that the caller keeps and wipes.
  init(_ secret: Span<UInt8>, plan: OpaquePointer, in memory: UnsafeMutableRawPointer) {
    unsafe secret.withUnsafeBufferPointer { secret in
      unsafe otp_lanes_prepare(
        plan, secret.baseAddress, secret.count, memory.assumingMemoryBound(to: otp_midstates.self))
    }
    unsafe self.init(plan: plan, memory: memory)
  }

  /// The plan of an instruction set.
  ///
  /// - Throws: `OTPError` with code `backendUnavailable` if this build or CPU lacks the set.
  static func plan(_ set: HMACBackend.InstructionSet, _ algorithm: HashAlgorithm) throws(OTPError) -> OpaquePointer {
    guard let plan = unsafe otp_lanes_plan(set.kernels, algorithm.kernelHash) else {
      throw OTPError(.backendUnavailable)
    }
    return unsafe plan
  }

  /// The size of an algorithm's two midstates, of eight words each.
  static func midstatesByteCount(_ algorithm: HashAlgorithm) -> Int { algorithm.blockByteCount }

  /// The plan and the midstates; `nil` for OpenSSL's key.
  @inline(__always)
  var lanes: (plan: OpaquePointer, midstates: UnsafePointer<otp_midstates>)? {
    guard let plan = unsafe plan else { return nil }
    return unsafe (plan, UnsafePointer(memory.assumingMemoryBound(to: otp_midstates.self)))
  }

  private var evp: EVPKey { unsafe EVPKey(memory.load(as: OpaquePointer.self)) }

  /// Releases OpenSSL's key, or wipes the midstates.
  func destroy() {
    if unsafe plan == nil {
      unsafe evp.destroy()
    } else {
      unsafe otp_wipe(memory, KeyMaterial.midstatesByteCount(algorithm))
    }
  }

  var algorithm: HashAlgorithm {
    if let plan = unsafe plan { unsafe HashAlgorithm(otp_lane_plan_hash(plan)) } else { unsafe evp.algorithm }
  }

  var backend: HMACBackend {
    guard let plan = unsafe plan else { return .evp }
    return unsafe .lanes(HMACBackend.InstructionSet(otp_lane_plan_set(plan)))
  }

  /// Writes the tag of a message of any length into memory of the tag's size.
  package func writeTag(of message: Span<UInt8>, to tag: UnsafeMutableBufferPointer<UInt8>) throws(OTPError) {
    guard let (plan, midstates) = unsafe lanes else { return try unsafe evp.writeTag(of: message, to: tag) }
    unsafe message.withUnsafeBufferPointer { message in
      unsafe otp_lanes_message_tag(plan, midstates, message.baseAddress, message.count, tag.baseAddress)
    }
  }

  /// Writes the truncated HMAC values of consecutive counters (RFC 4226, section 5.3), one for each element of
  /// `output`. Counters wrap from 2^64-1 to 0.
  ///
  /// Timing: depends only on the number of counters.
  func writeTruncatedValues(from first: UInt64, to output: UnsafeMutableBufferPointer<UInt32>) throws(OTPError) {
    guard let (plan, midstates) = unsafe lanes else {
      return try unsafe evp.writeTruncatedValues(from: first, to: output)
    }
    unsafe otp_lanes_count_codes(plan, output.count)
    unsafe otp_lanes_key_values(plan, midstates, first, output.count, output.baseAddress)
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

  /// Lends the material of a secret that is used once. Its midstates are on the stack and wiped afterward; only the
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
    let plan = try unsafe KeyMaterial.plan(set, algorithm)
    return try unsafe withUnsafeTemporaryAllocation(of: otp_midstates.self, capacity: 1) { (memory) throws(OTPError) in
      guard let midstates = memory.baseAddress else { throw OTPError(.cryptographyFailed) }
      defer { unsafe otp_wipe_inline(midstates, KeyMaterial.midstatesByteCount(algorithm)) }
      return try unsafe body(KeyMaterial(secret, plan: plan, in: midstates))
    }
  }
}
