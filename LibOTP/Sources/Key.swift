// otp.h documents these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import COTP
internal import OTP

/// An `otp_key *` points to a `PreparedKey`; C holds a reference to it.
extension PreparedKey {
  /// Lends the key behind a pointer from C, whose reference keeps it alive.
  ///
  /// - Throws: `OTP_INVALID_ARGUMENT` for NULL, or what `body` throws.
  @inline(__always)
  static func lend<R>(_ key: OpaquePointer?, _ body: (KeyMaterial) throws(CallError) -> R) throws(CallError) -> R {
    guard let key = unsafe key else { throw CallError(OTP_INVALID_ARGUMENT) }
    return try body(
      unsafe Unmanaged<PreparedKey>.fromOpaque(UnsafeRawPointer(key))._withUnsafeGuaranteedRef { $0.material })
  }

  /// Hands a new key to C.
  static func create(
    _ out: UnsafeMutablePointer<OpaquePointer?>?, _ make: () throws(CallError) -> PreparedKey
  ) -> otp_status {
    call { () throws(CallError) in
      let out = try unsafe required(out)
      do throws(CallError) {
        // Made before `out` is written, since the secret may be in the same memory.
        let key = try make()
        unsafe out.pointee = OpaquePointer(Unmanaged.passRetained(key).toOpaque())
      } catch {
        unsafe out.pointee = nil
        throw error
      }
    }
  }
}

@c @implementation
public func otp_key_create(
  _ hash: otp_hash, _ secret: UnsafePointer<UInt8>?, _ secret_len: Int, _ out: UnsafeMutablePointer<OpaquePointer?>?
) -> otp_status {
  unsafe otp_key_create_with_backend(OTP_BACKEND_STANDARD, hash, secret, secret_len, out)
}

@c @implementation
public func otp_key_create_with_backend(
  _ backend: otp_backend, _ hash: otp_hash, _ secret: UnsafePointer<UInt8>?, _ secret_len: Int,
  _ out: UnsafeMutablePointer<OpaquePointer?>?
) -> otp_status {
  unsafe PreparedKey.create(out) { () throws(CallError) in
    let backend = try HMACBackend.named(backend)
    let algorithm = try HashAlgorithm(hash)
    let secret = try unsafe bytes(secret, secret_len)
    return try engine { () throws(OTPError) in
      try unsafe PreparedKey.make(secret.span, algorithm, backend)
    }
  }
}

@c @implementation
public func otp_key_create_base32(
  _ hash: otp_hash, _ text: UnsafePointer<CChar>?, _ text_len: Int, _ out: UnsafeMutablePointer<OpaquePointer?>?
) -> otp_status {
  unsafe PreparedKey.create(out) { () throws(CallError) in
    let algorithm = try HashAlgorithm(hash)
    let text = try unsafe bytes(text, text_len)
    return try engine { () throws(OTPError) in
      try unsafe OTPSecret(base32UTF8: text.span).withBytes { (secret) throws(OTPError) in
        try PreparedKey.make(secret, algorithm, nil)
      }
    }
  }
}

@c @implementation
public func otp_key_destroy(_ key: OpaquePointer?) {
  guard let key = unsafe key else { return }
  unsafe Unmanaged<PreparedKey>.fromOpaque(UnsafeRawPointer(key)).release()
}

extension HMACBackend {
  /// The backend that C names, or `nil` for the standard one.
  fileprivate static func named(_ backend: otp_backend) throws(CallError) -> HMACBackend? {
    switch backend {
    case OTP_BACKEND_STANDARD: nil
    case OTP_BACKEND_EVP: .evp
    case OTP_BACKEND_MIDSTATE: .midstate
    case OTP_BACKEND_LANES: .lanes
    default: throw CallError(OTP_INVALID_ARGUMENT)
    }
  }
}
