internal import COTPSupport

/// A key in OpenSSL's `EVP_MAC`: the reference backend, which honours the process's providers.
@safe final class EVPKey: @unchecked Sendable {
  // Sendable because a use takes the kept context by an atomic flag, or a duplicate of its own.
  private let handle: EVPHandle

  /// Takes over what a handle refers to.
  init(_ handle: EVPHandle) { unsafe self.handle = handle }

  deinit { unsafe otp_evp_key_destroy(handle.key) }

  @unsafe var material: KeyMaterial { unsafe .evp(handle) }
}

/// A key that an ``EVPKey`` keeps alive.
@unsafe struct EVPHandle {
  fileprivate let key: OpaquePointer
  fileprivate let tagByteCount: Int

  /// Makes a secret ready. The caller makes an ``EVPKey`` of the handle, which releases it.
  ///
  /// Not in that class's initializer: Embedded Swift 6.3 does not release an object whose initializer throws.
  init(_ secret: OTPSecret, algorithm: HashAlgorithm) throws(OTPError) {
    let created = unsafe secret.withBytes { bytes in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe otp_evp_key_create(algorithm.kernelHash, bytes.baseAddress, bytes.count)
      }
    }
    otp_wipe_stack(Int(OTP_LIBRARY_STACK_BYTES))
    guard let created = unsafe created else { throw OTPError(.cryptographyFailed) }
    unsafe key = created
    unsafe tagByteCount = algorithm.tagByteCount
  }

  func writeTag(of message: Span<UInt8>, to tag: UnsafeMutableBufferPointer<UInt8>) throws(OTPError) {
    try unsafe withSession { (session) throws(OTPError) in
      let written = unsafe message.withUnsafeBufferPointer { message in
        unsafe otp_evp_tag(
          &session, message.baseAddress, message.count, tag.baseAddress, tag.count)
      }
      guard written == 1 else { throw OTPError(.cryptographyFailed) }
    }
  }

  func writeTruncatedValues(from first: UInt64, to output: UnsafeMutableBufferPointer<UInt32>) throws(OTPError) {
    try unsafe withSession { (session) throws(OTPError) in
      try unsafe withTemporaryTag { (tag) throws(OTPError) in
        for index in output.indices {
          var message = (first &+ UInt64(index)).bigEndian
          let written = unsafe withUnsafeBytes(of: &message) { message in
            unsafe otp_evp_tag(
              &session, message.baseAddress, message.count,
              tag.baseAddress, tagByteCount)
          }
          guard written == 1 else { throw OTPError(.cryptographyFailed) }
          unsafe output[index] = DynamicTruncation.truncate(UnsafeBufferPointer(tag), byteCount: tagByteCount)
        }
      }
    }
  }

  private func withSession(_ body: (inout otp_evp_session) throws(OTPError) -> Void) throws(OTPError) {
    var session = unsafe otp_evp_session()
    guard unsafe otp_evp_begin(key, &session) == 1 else { throw OTPError(.cryptographyFailed) }
    defer {
      unsafe otp_evp_end(&session)
      otp_wipe_stack(Int(OTP_LIBRARY_STACK_BYTES))
    }
    try unsafe body(&session)
  }
}
