// otp.h documents these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import COTP
internal import OTP

@c @implementation
public func otp_secret_generate(
  _ hash: otp_hash, _ out: UnsafeMutablePointer<UInt8>?, _ len: UnsafeMutablePointer<Int>?
) -> otp_status {
  call { () throws(CallError) in
    let algorithm = try HashAlgorithm(hash)
    let len = try unsafe required(len)
    let room = try unsafe room(out, len.pointee)
    // Checks first that there is room for the secret.
    _ = try unsafe room.place(of: algorithm.tagByteCount, telling: len)
    let secret = try engine { () throws(OTPError) in try OTPSecret.random(for: algorithm) }
    try secret.withBytes { (bytes) throws(CallError) in try unsafe room.put(bytes, telling: len) }
  }
}

@c @implementation
public func otp_base32_encode(
  _ input: UnsafePointer<UInt8>?, _ len: Int, _ flags: UInt32, _ out: UnsafeMutablePointer<CChar>?,
  _ out_len: UnsafeMutablePointer<Int>?
) -> otp_status {
  call { () throws(CallError) in
    guard flags & ~OTP_BASE32_PADDING == 0 else { throw CallError(OTP_INVALID_ARGUMENT) }
    let input = try unsafe bytes(input, len)
    let outLength = try unsafe required(out_len)
    let room = try unsafe room(out, outLength.pointee)
    let padding = flags & OTP_BASE32_PADDING != 0
    let count = Base32.encodedByteCount(of: input.count, padding: padding)
    let place = try unsafe room.place(of: count, terminator: 1, telling: outLength)
    if unsafe overlap(input.baseAddress, input.count, place.baseAddress, place.count) {
      let copy = unsafe SecretBytes(copying: input.span)
      copy.withBytes { input in _ = unsafe Base32.encode(input, padding: padding, into: place) }
    } else {
      _ = unsafe Base32.encode(input.span, padding: padding, into: place)
    }
    unsafe place[count] = 0
    unsafe outLength.pointee = count
  }
}

@c @implementation
public func otp_base32_decode(
  _ text: UnsafePointer<CChar>?, _ text_len: Int, _ flags: UInt32, _ out: UnsafeMutablePointer<UInt8>?,
  _ out_len: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<otp_error_info>?
) -> otp_status {
  call { () throws(CallError) in
    guard flags & ~OTP_BASE32_STRICT == 0 else { throw CallError(OTP_INVALID_ARGUMENT) }
    let text = try unsafe bytes(text, text_len)
    let outLength = try unsafe required(out_len)
    let room = try unsafe room(out, outLength.pointee)
    try unsafe checkApart(error, room, outLength)
    let decoded = try unsafe engine(error) { () throws(OTPError) in
      try unsafe Base32.decodeSecret(text.span, strict: flags & OTP_BASE32_STRICT != 0)
    }
    try decoded.withBytes { (bytes) throws(CallError) in try unsafe room.put(bytes, telling: outLength) }
  }
}
