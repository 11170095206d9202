// otp.h documents these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import COTP
internal import OTP

@c @implementation
public func otp_totp_verify(
  _ key: OpaquePointer?, _ code: UnsafePointer<CChar>?, _ code_len: Int, _ unix_time: Int64,
  _ params: UnsafePointer<otp_totp_params>?, _ window: UnsafePointer<otp_window>?,
  _ out: UnsafeMutablePointer<otp_match>?
) -> otp_status {
  unsafe verify(out) { () throws(CallError) in
    try unsafe PreparedKey.lend(key) { (key) throws(CallError) in
      guard let task = try unsafe totpTask(code, code_len, unix_time, params, window) else { return .rejected }
      return try engine { () throws(OTPError) in try task.run(with: key) }
    }
  }
}

@c @implementation
public func otp_totp_verify_secret(
  _ hash: otp_hash, _ secret: UnsafePointer<UInt8>?, _ secret_len: Int, _ code: UnsafePointer<CChar>?, _ code_len: Int,
  _ unix_time: Int64, _ params: UnsafePointer<otp_totp_params>?, _ window: UnsafePointer<otp_window>?,
  _ out: UnsafeMutablePointer<otp_match>?
) -> otp_status {
  unsafe verify(out) { () throws(CallError) in
    let algorithm = try HashAlgorithm(hash)
    let secret = try unsafe bytes(secret, secret_len)
    guard !secret.isEmpty else { throw CallError(OTP_EMPTY_SECRET) }
    guard let task = try unsafe totpTask(code, code_len, unix_time, params, window) else { return .rejected }
    return try engine { () throws(OTPError) in try unsafe task.run(withSecret: secret.span, algorithm) }
  }
}

@c @implementation
public func otp_hotp_verify(
  _ key: OpaquePointer?, _ code: UnsafePointer<CChar>?, _ code_len: Int, _ counter: UInt64, _ digits: UInt32,
  _ look_ahead: UInt32, _ out: UnsafeMutablePointer<otp_match>?
) -> otp_status {
  unsafe verify(out) { () throws(CallError) in
    try unsafe PreparedKey.lend(key) { (key) throws(CallError) in
      guard let task = try unsafe hotpTask(code, code_len, counter, digits, look_ahead) else { return .rejected }
      return try engine { () throws(OTPError) in try task.run(with: key) }
    }
  }
}

@c @implementation
public func otp_hotp_resynchronize(
  _ key: OpaquePointer?, _ codes: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, _ counter: UInt64,
  _ digits: UInt32, _ look_ahead: UInt32, _ out: UnsafeMutablePointer<otp_match>?
) -> otp_status {
  unsafe verify(out) { () throws(CallError) in
    try unsafe PreparedKey.lend(key) { (key) throws(CallError) in
      let codes = try unsafe required(codes)
      guard count == 2 || count == 3 else { throw CallError(OTP_INVALID_ARGUMENT) }
      let digits = try OTPCode.Digits(digits)
      let first = try unsafe typedCode(codes[0], digits)
      let second = try unsafe typedCode(codes[1], digits)
      let third = count == 3 ? try unsafe typedCode(codes[2], digits) : first
      return try engine { () throws(OTPError) in
        // A look-ahead out of range is the caller's mistake, whatever the codes are.
        guard let first, let second, let third else {
          try HOTP.check(lookAhead: Int(look_ahead))
          return .rejected
        }
        return try HOTP.resynchronize(
          first, second, count == 3 ? third : nil, digits: digits, counter: counter, lookAhead: Int(look_ahead),
          with: key)
      }
    }
  }
}

/// Runs a verification and writes its outcome. If it fails, it writes that nothing was accepted, so that a structure
/// that is reused does not still hold an earlier outcome.
@inline(__always)
private func verify(
  _ out: UnsafeMutablePointer<otp_match>?, _ body: () throws(CallError) -> Verification
) -> otp_status {
  call { () throws(CallError) in
    let out = try unsafe required(out)
    let size = try unsafe out.writableSize()
    do throws(CallError) {
      unsafe out.write(otp_match(try body()), size: size)
    } catch {
      unsafe out.write(otp_match(error.status), size: size)
      throw error
    }
  }
}

extension otp_match {
  /// An outcome. Its size is set when it is written.
  init(_ verification: Verification) {
    switch verification {
    case .accepted(let step, let offset):
      self.init(size: 0, result: OTP_ACCEPTED, status: OTP_OK, step: step, offset: Int64(offset))
    case .replayed: self.init(size: 0, result: OTP_REPLAYED, status: OTP_OK, step: 0, offset: 0)
    case .rejected: self.init(size: 0, result: OTP_REJECTED, status: OTP_OK, step: 0, offset: 0)
    }
  }

  /// The outcome of a verification that failed with an error.
  init(_ status: otp_status) { self.init(size: 0, result: OTP_REJECTED, status: status, step: 0, offset: 0) }
}

/// The task of a TOTP verification, or `nil` if the submitted text is not a code.
@inline(__always)
func totpTask(
  _ code: UnsafePointer<CChar>?, _ code_len: Int, _ unix_time: Int64, _ params: UnsafePointer<otp_totp_params>?,
  _ window: UnsafePointer<otp_window>?
) throws(CallError) -> VerificationTask? {
  let (digits, timeStep) = try unsafe totpParameters(params)
  let given = try unsafe window?.checked()
  guard given == nil || given?.has_after == 0 || given?.has_after == 1 else { throw CallError(OTP_INVALID_ARGUMENT) }
  let after = given.flatMap { $0.has_after == 1 ? $0.after : nil }
  let code = try unsafe typedCode(code, code_len, digits)
  return try engine { () throws(OTPError) in
    let window =
      if let given { try VerificationWindow(behind: Int(given.behind), ahead: Int(given.ahead)) } else {
        VerificationWindow.standard
      }
    guard let code else {
      // A time before t0 is the caller's mistake, whatever the code is.
      _ = try timeStep.number(at: unix_time)
      return nil
    }
    return try VerificationTask(code, digits: digits, at: unix_time, timeStep, window: window, after: after)
  }
}

/// The task of an HOTP verification, or `nil` if the submitted text is not a code.
@inline(__always)
func hotpTask(
  _ code: UnsafePointer<CChar>?, _ code_len: Int, _ counter: UInt64, _ digits: UInt32, _ look_ahead: UInt32
) throws(CallError) -> VerificationTask? {
  let digits = try OTPCode.Digits(digits)
  let code = try unsafe typedCode(code, code_len, digits)
  return try engine { () throws(OTPError) in
    guard let code else {
      try HOTP.check(lookAhead: Int(look_ahead))
      return nil
    }
    return try VerificationTask(code, digits: digits, counter: counter, lookAhead: Int(look_ahead))
  }
}

/// The submitted code, or `nil` if the text is not one.
@inline(__always)
private func typedCode(
  _ code: UnsafePointer<CChar>?, _ code_len: Int, _ digits: OTPCode.Digits
) throws(CallError) -> SubmittedCode? {
  let text = try unsafe bytes(code, code_len)
  return unsafe try? SubmittedCode(utf8: text.span, digits: digits)
}

/// The same for a text that ends with a NUL. At most one byte more than the code has digits is read.
private func typedCode(_ code: UnsafePointer<CChar>?, _ digits: OTPCode.Digits) throws(CallError) -> SubmittedCode? {
  guard let text = unsafe code else { throw CallError(OTP_INVALID_ARGUMENT) }
  return unsafe try? SubmittedCode(
    utf8: UnsafeBufferPointer(cText: text, atMost: digits.rawValue + 1).span, digits: digits)
}
