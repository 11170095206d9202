internal import COTPSupport

/// A key as its inner and outer midstates.
@safe final class MidstateKey: @unchecked Sendable {
  // Sendable because nothing writes after `init`.
  private let midstates: UnsafeMutablePointer<otp_midstates>
  private let engine: MidstateEngine

  init(_ secret: OTPSecret, engine: MidstateEngine) throws(OTPError) {
    unsafe midstates = .allocate(capacity: 1)
    unsafe midstates.initialize(to: otp_midstates())
    self.engine = engine
    try unsafe secret.withBytes { [midstates] (secret) throws(OTPError) in try unsafe engine.prepare(secret, midstates)
    }
  }

  deinit {
    unsafe otp_wipe(midstates, MemoryLayout<otp_midstates>.size)
    unsafe midstates.deallocate()
  }

  @unsafe var material: KeyMaterial { unsafe .midstates(engine, UnsafePointer(midstates)) }
}

/// Lends the material of a key that is used once: midstates on the stack, wiped afterwards. Nothing is allocated.
func withTemporaryMidstates<R>(
  of secret: Span<UInt8>, engine: MidstateEngine, _ body: (KeyMaterial) throws(OTPError) -> R
) throws(OTPError) -> R {
  try unsafe withUnsafeTemporaryAllocation(of: otp_midstates.self, capacity: 1) { (midstates) throws(OTPError) in
    guard let base = midstates.baseAddress else { throw OTPError(.cryptographyFailed) }
    unsafe base.initialize(to: otp_midstates())
    defer { unsafe otp_wipe_inline(base, MemoryLayout<otp_midstates>.size) }
    try unsafe engine.prepare(secret, base)
    return try unsafe body(.midstates(engine, UnsafePointer(base)))
  }
}
