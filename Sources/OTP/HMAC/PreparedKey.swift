internal import COTPSupport

/// A prepared key in one allocation: OpenSSL's key, or a plan with the key's midstates behind it, where they fill as few
/// lines of the cache as they can. Wiped and released with the last reference.
///
/// It is what an `otp_key *` of the C library points to.
@safe package final class PreparedKey: ManagedBuffer<PreparedKeyHeader, UInt64> {
  // Any thread may use one: nothing is written after it was made, but by an `EVPKey`'s sessions, which lock it.

  /// Makes a secret of 1 byte or more ready.
  ///
  /// - Throws: `OTPError` with code `emptySecret`, `backendUnavailable` or `cryptographyFailed`.
  package static func make(
    _ secret: Span<UInt8>, _ algorithm: HashAlgorithm, _ backend: HMACBackend?
  ) throws(OTPError) -> PreparedKey {
    try make(secret, algorithm, unchecked: HMACBackend.usable(backend))
  }

  /// The same without asking whether the backend has passed its known-answer test: for that test.
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

  // Inlined, so that the compiler knows the class: Embedded Swift 6.3 has no sizes in a class's metadata.
  @inline(__always)
  private static func allocate(_ header: PreparedKeyHeader, midstatesByteCount: Int) -> PreparedKey {
    // Words of 8 bytes, to which the memory is aligned as it is; what is left out before the midstates comes on top.
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

  /// Fetches a key into the cache, by a pointer that C holds: its object, and its midstates behind that. Nothing is read.
  @inline(__always)
  package static func prefetch(_ key: OpaquePointer?) {
    guard let object = unsafe UnsafeRawPointer(key) else { return }
    // What every object of Swift's begins with, then the header.
    let midstates = unsafe object + 16 + MemoryLayout<PreparedKeyHeader>.stride
    unsafe otp_prefetch(object)
    unsafe otp_prefetch(midstates.alignedUp(toMultipleOf: Int(OTP_MIDSTATES_ALIGNMENT)))
  }

  /// The key as a loan: the borrower keeps this object alive.
  package var material: KeyMaterial {
    switch unsafe header {
    case .evp(let handle): unsafe .evp(handle)
    case .lanes(let plan): unsafe .lanes(LanesKey(plan: plan, in: midstates))
    }
  }
}

/// What is needed to compute with a prepared key, beside midstates.
@unsafe package enum PreparedKeyHeader {
  case evp(EVPKey)
  case lanes(plan: OpaquePointer)
}
