internal import COTPSupport

/// A key in OpenSSL's `EVP_MAC`, the reference, which honors the process's providers. It is borrowed from the
/// ``PreparedKey`` that keeps it alive.
@unsafe package struct EVPKey {
  let pointer: OpaquePointer

  var algorithm: HashAlgorithm { unsafe HashAlgorithm(otp_evp_key_hash(pointer)) }

  init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

  /// Prepares a secret. ``destroy()`` releases it.
  init(_ secret: Span<UInt8>, _ algorithm: HashAlgorithm) throws(OTPError) {
    let created = unsafe secret.withUnsafeBufferPointer { secret in
      unsafe otp_evp_key_create(algorithm.kernelHash, secret.baseAddress, secret.count)
    }
    otp_wipe_stack(Int(OTP_LIBRARY_STACK_BYTES))
    guard let created = unsafe created else { throw OTPError(.cryptographyFailed) }
    unsafe pointer = created
  }

  func destroy() { unsafe otp_evp_key_destroy(pointer) }

  /// Writes the tag of a message of any length into memory of the tag's size.
  func writeTag(of message: Span<UInt8>, to tag: UnsafeMutableBufferPointer<UInt8>) throws(OTPError) {
    try unsafe withSession { (session) throws(OTPError) in
      let written = unsafe message.withUnsafeBufferPointer { message in
        unsafe otp_evp_tag(&session, message.baseAddress, message.count, tag.baseAddress, tag.count)
      }
      guard written == 1 else { throw OTPError(.cryptographyFailed) }
    }
  }

  /// Writes the truncated values of consecutive counters, one for each element of `output`.
  func writeTruncatedValues(from first: UInt64, to output: UnsafeMutableBufferPointer<UInt32>) throws(OTPError) {
    let tagByteCount = unsafe algorithm.tagByteCount
    try unsafe withSession { (session) throws(OTPError) in
      try unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(OTP_MAX_TAG_BYTES)) {
        (tag) throws(OTPError) in
        defer { unsafe otp_wipe_inline(tag.baseAddress, tag.count) }
        for index in output.indices {
          var message = (first &+ UInt64(index)).bigEndian
          let written = unsafe withUnsafeBytes(of: &message) { message in
            unsafe otp_evp_tag(&session, message.baseAddress, message.count, tag.baseAddress, tagByteCount)
          }
          guard written == 1 else { throw OTPError(.cryptographyFailed) }
          unsafe output[index] = otp_truncate(tag.baseAddress, tagByteCount)
        }
      }
    }
  }

  private func withSession(_ body: (inout otp_evp_session) throws(OTPError) -> Void) throws(OTPError) {
    var session = unsafe otp_evp_session()
    guard unsafe otp_evp_begin(pointer, &session) == 1 else { throw OTPError(.cryptographyFailed) }
    defer {
      unsafe otp_evp_end(&session)
      otp_wipe_stack(Int(OTP_LIBRARY_STACK_BYTES))
    }
    try unsafe body(&session)
  }
}
