internal import COTPSupport

/// A prepared key in one allocation: OpenSSL's key, or a plan followed by the key's midstates, aligned to fill as few
/// cache lines as possible. Wiped and released with the last reference.
///
/// An `otp_key *` of the C library points to one.
@safe package final class PreparedKey: ManagedBuffer<PreparedKeyHeader, UInt64> {
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
      let handle = try unsafe EVPKey(secret, algorithm)
      return unsafe allocate(.evp(handle), midstatesByteCount: 0)
    case .lanes(let set):
      let plan = try unsafe LanesKey.plan(set, algorithm)
      let key = unsafe allocate(.lanes(plan: plan), midstatesByteCount: LanesKey.midstatesByteCount(algorithm))
      _ = unsafe LanesKey(secret, plan: plan, in: key.midstates)
      return key
    }
  }

  // Inlined, so that the compiler knows the class: in Embedded Swift 6.3 a class's metadata does not have its size.
  @inline(__always)
  private static func allocate(_ header: PreparedKeyHeader, midstatesByteCount: Int) -> PreparedKey {
    // The memory is aligned to words of 8 bytes. Add what aligning the midstates can skip.
    let byteCount = midstatesByteCount + (midstatesByteCount > 0 ? Int(OTP_MIDSTATES_ALIGNMENT) - 8 : 0)
    let key = unsafe PreparedKey.create(minimumCapacity: byteCount >> 3) { _ in unsafe header }
    return unsafe unsafeDowncast(key, to: PreparedKey.self)
  }

  deinit {
    switch unsafe header {
    case .evp(let handle): unsafe handle.destroy()
    case .lanes(let plan):
      unsafe otp_wipe(midstates, LanesKey.midstatesByteCount(HashAlgorithm(otp_lane_plan_hash(plan))))
    }
  }

  private var midstates: UnsafeMutableRawPointer {
    unsafe withUnsafeMutablePointerToElements { elements in
      unsafe UnsafeMutableRawPointer(elements).alignedUp(toMultipleOf: Int(OTP_MIDSTATES_ALIGNMENT))
    }
  }

  /// Prefetches the key behind a C pointer into the cache: the object and its midstates. Nothing is read.
  @inline(__always)
  package static func prefetch(_ key: OpaquePointer?) {
    guard let object = unsafe UnsafeRawPointer(key) else { return }
    // Every Swift object begins with 16 bytes of its own; the header follows.
    let midstates = unsafe object + 16 + MemoryLayout<PreparedKeyHeader>.stride
    unsafe otp_prefetch(object)
    unsafe otp_prefetch(midstates.alignedUp(toMultipleOf: Int(OTP_MIDSTATES_ALIGNMENT)))
  }

  /// The key, borrowed: the caller must keep this object alive.
  package var material: KeyMaterial {
    switch unsafe header {
    case .evp(let handle): unsafe .evp(handle)
    case .lanes(let plan): unsafe .lanes(LanesKey(plan: plan, in: midstates))
    }
  }
}

/// What is needed to compute with a prepared key, besides its midstates.
@unsafe package enum PreparedKeyHeader {
  case evp(EVPKey)
  case lanes(plan: OpaquePointer)
}
