internal import COTPSupport

/// Lends stack memory for the longest tag, and wipes it afterwards.
func withTemporaryTag<E: Error>(
  _ body: (UnsafeMutableBufferPointer<UInt8>) throws(E) -> Void
) throws(E) {
  try unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(OTP_MAX_TAG_BYTES)) { (tag) throws(E) in
    defer { unsafe otp_wipe_inline(tag.baseAddress, tag.count) }
    try unsafe body(tag)
  }
}
