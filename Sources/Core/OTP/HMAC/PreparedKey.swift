internal import COTPSupport

/// A prepared key in one allocation: what computes with it and, unless that is OpenSSL's, the key's midstates, aligned
/// to fill as few cache lines as possible. Wiped and released with the last reference.
///
/// An `otp_key *` of the C library points to one.
@safe package final class PreparedKey: ManagedBuffer<KeyMaterial, UInt64> {
  // Any thread may use one: it is never written to once made, except by the sessions of an `EVPKey`, which lock it.

  /// Prepares a secret of 1 byte or more.
  ///
  /// - Throws: `OTPError` with code `emptySecret`, `backendUnavailable` or `cryptographyFailed`.
  package static func make(
    _ secret: Span<UInt8>, _ algorithm: HashAlgorithm, _ backend: HMACBackend?
  ) throws(OTPError) -> PreparedKey {
    try make(secret, algorithm, unchecked: HMACBackend.usable(backend))
  }

  /// The same, without requiring that the backend has passed its known-answer test: for that test itself.
  static func make(
    _ secret: Span<UInt8>, _ algorithm: HashAlgorithm, unchecked backend: HMACBackend
  ) throws(OTPError) -> PreparedKey {
    guard !secret.isEmpty else { throw OTPError(.emptySecret) }
    switch backend.kind {
    case .evp:
      let material = unsafe KeyMaterial(try EVPKey(secret, algorithm))
      return unsafe allocate(midstatesByteCount: 0) { _ in material }
    case .lanes(let set):
      let plan = try unsafe KeyMaterial.plan(set, algorithm)
      return unsafe allocate(midstatesByteCount: KeyMaterial.midstatesByteCount(algorithm)) { memory in
        unsafe KeyMaterial(secret, plan: plan, in: memory)
      }
    }
  }

  // Inlined, so that the compiler knows the class: in Embedded Swift 6.3 a class's metadata does not have its size.
  @inline(__always)
  private static func allocate(
    midstatesByteCount: Int, _ prepare: (UnsafeMutableRawPointer) -> KeyMaterial
  ) -> PreparedKey {
    // The memory is aligned to words of 8 bytes. Add what aligning the midstates can skip.
    let byteCount = midstatesByteCount + (midstatesByteCount > 0 ? Int(OTP_MIDSTATES_ALIGNMENT) - 8 : 0)
    let key = PreparedKey.create(minimumCapacity: byteCount >> 3) { buffer in
      unsafe buffer.withUnsafeMutablePointerToElements { elements in
        unsafe prepare(
          UnsafeMutableRawPointer(elements).alignedUp(toMultipleOf: Int(OTP_MIDSTATES_ALIGNMENT)))
      }
    }
    return unsafe unsafeDowncast(key, to: PreparedKey.self)
  }

  deinit { header.destroy() }

  /// Prefetches the key behind a C pointer into the cache: the object and its midstates. Nothing is read.
  @inline(__always)
  package static func prefetch(_ key: OpaquePointer?) {
    guard let object = unsafe UnsafeRawPointer(key) else { return }
    // Every Swift object begins with 16 bytes of its own; the header follows.
    let midstates = unsafe object + 16 + MemoryLayout<KeyMaterial>.stride
    unsafe otp_prefetch(object)
    unsafe otp_prefetch(midstates.alignedUp(toMultipleOf: Int(OTP_MIDSTATES_ALIGNMENT)))
  }

  /// The key, borrowed: the caller must keep this object alive.
  package var material: KeyMaterial { header }
}
