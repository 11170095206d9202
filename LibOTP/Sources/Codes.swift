// otp.h documents these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import COTP
internal import OTP

@c @implementation
public func otp_hotp(
  _ key: OpaquePointer?, _ counter: UInt64, _ digits: UInt32, _ out: UnsafeMutablePointer<CChar>?
) -> otp_status {
  call { () throws(CallError) in
    let digits = try OTPCode.Digits(digits)
    try unsafe writeCode(key, counter, digits, to: out)
  }
}

@c @implementation
public func otp_totp(
  _ key: OpaquePointer?, _ unix_time: Int64, _ params: UnsafePointer<otp_totp_params>?,
  _ out: UnsafeMutablePointer<CChar>?
) -> otp_status {
  call { () throws(CallError) in
    let (digits, timeStep) = try unsafe totpParameters(params)
    let step = try engine { () throws(OTPError) in try timeStep.number(at: unix_time) }
    try unsafe writeCode(key, step, digits, to: out)
  }
}

@c @implementation
public func otp_code_read_typed(
  _ text: UnsafePointer<CChar>?, _ text_len: Int, _ digits: UInt32, _ out: UnsafeMutablePointer<CChar>?
) -> otp_status {
  call { () throws(CallError) in
    let text = try unsafe bytes(text, text_len)
    let digits = try OTPCode.Digits(digits)
    let out = try unsafe required(out)
    let code = try engine { () throws(OTPError) in try unsafe SubmittedCode(typedUTF8: text.span, digits: digits) }
    unsafe writeText(digits, to: out) { text in unsafe code.write(to: text) }
  }
}

/// Computes a code, and writes it with a NUL.
private func writeCode(
  _ key: OpaquePointer?, _ counter: UInt64, _ digits: OTPCode.Digits, to out: UnsafeMutablePointer<CChar>?
) throws(CallError) {
  let out = try unsafe required(out)
  try unsafe PreparedKey.lend(key) { (key) throws(CallError) in
    let code = try engine { () throws(OTPError) in try key.code(of: counter, digits: digits) }
    unsafe writeText(digits, to: out) { text in unsafe code.write(to: text) }
  }
}

/// Writes a code's digits with `write`, and a NUL after them.
private func writeText(
  _ digits: OTPCode.Digits, to out: UnsafeMutablePointer<CChar>, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Void
) {
  let text = unsafe UnsafeMutableRawPointer(out).assumingMemoryBound(to: UInt8.self)
  unsafe write(UnsafeMutableBufferPointer(start: text, count: digits.rawValue))
  unsafe text[digits.rawValue] = 0
}

/// The number of digits and the time step in the parameters, or the default ones for NULL.
@inline(__always)
func totpParameters(_ params: UnsafePointer<otp_totp_params>?) throws(CallError) -> (OTPCode.Digits, TimeStep) {
  guard let params = try unsafe params?.checked() else {
    return (.six, try engine { () throws(OTPError) in try TimeStep() })
  }
  return (
    try OTPCode.Digits(params.digits),
    try engine { () throws(OTPError) in try TimeStep(period: params.period, t0: params.t0) }
  )
}
