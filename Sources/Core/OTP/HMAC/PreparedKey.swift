internal import COTPSupport

/// A prepared key in one allocation: its plan and, right behind it, its midstates, so that one that is in no cache is
/// waited for once; or `nil` and a pointer to OpenSSL's key. Wiped and released with the last reference.
///
/// An `otp_key *` of the C library points to one.
@safe package final class PreparedKey: ManagedBuffer<OpaquePointer?, UInt64> {
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
      let key = try unsafe EVPKey(secret, algorithm).pointer
      return unsafe allocate(nil, byteCount: MemoryLayout<OpaquePointer>.size) { memory in
        unsafe memory.storeBytes(of: key, as: OpaquePointer.self)
      }
    case .lanes(let set):
      let plan = try unsafe KeyMaterial.plan(set, algorithm)
      return unsafe allocate(plan, byteCount: KeyMaterial.midstatesByteCount(algorithm)) { memory in
        _ = unsafe KeyMaterial(secret, plan: plan, in: memory)
      }
    }
  }

  // Inlined, so that the compiler knows the class: in Embedded Swift 6.3 a class's metadata does not have its size.
  @inline(__always)
  private static func allocate(
    _ plan: OpaquePointer?, byteCount: Int, _ fill: (UnsafeMutableRawPointer) -> Void
  ) -> PreparedKey {
    let key = unsafe PreparedKey.create(minimumCapacity: byteCount >> 3) { buffer in
      unsafe buffer.withUnsafeMutablePointerToElements { unsafe fill(UnsafeMutableRawPointer($0)) }
      return unsafe plan
    }
    return unsafe unsafeDowncast(key, to: PreparedKey.self)
  }

  deinit { material.destroy() }

  /// Prefetches the key behind a C pointer into the cache. Nothing is read.
  @inline(__always)
  package static func prefetch(_ key: OpaquePointer?) {
    guard let object = unsafe UnsafeRawPointer(key) else { return }
    // Every Swift object begins with 16 bytes of its own; the plan and the midstates follow: 72 bytes, or 136.
    unsafe otp_prefetch(object + 16)
    unsafe otp_prefetch(object + 80)
  }

  /// The key, borrowed: the caller must keep this object alive.
  package var material: KeyMaterial {
    unsafe withUnsafeMutablePointers { plan, memory in
      unsafe KeyMaterial(plan: plan.pointee, memory: UnsafeMutableRawPointer(memory))
    }
  }
}
