// otp.h documents these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import COTP
@_spi(Diagnostics) internal import OTP

@c @implementation
public func otp_version() -> UnsafePointer<CChar>? { unsafe OTPEngine.staticVersion.cString }

@c @implementation
public func otp_self_test() -> otp_status {
  call { () throws(CallError) in
    _ = try engine { () throws(OTPError) in try OTPEngine.selfTest { _, _ in } }
  }
}

@c @implementation
public func otp_keep_libcrypto_at_exit() -> otp_status {
  OTPEngine.keepLibcryptoAtExit() ? OTP_OK : OTP_CRYPTOGRAPHY_FAILED
}

@c @implementation
public func otp_info(_ out: UnsafeMutablePointer<otp_library_info>?) -> otp_status {
  call { () throws(CallError) in
    let out = try unsafe required(out)
    let size = try unsafe out.writableSize()
    var info = otp_library_info()
    put(OTPEngine.version, into: &info.version)
    put(OTPEngine.openSSLVersion, into: &info.openssl)
    put(OTPEngine.cpuFeatures, into: &info.cpu_features)
    put(HMACBackend.InstructionSet.widest.name, into: &info.instruction_set)
    put((try? HMACBackend.standard)?.name ?? "", into: &info.backend)
    info.lanes = otp_known_answer(HMACBackend.lanes.knownAnswerResult)
    info.midstate = otp_known_answer(HMACBackend.midstate.knownAnswerResult)
    info.evp = otp_known_answer(HMACBackend.evp.knownAnswerResult)
    unsafe out.write(info, size: size)
  }
}

extension otp_known_answer {
  fileprivate init(_ result: KnownAnswerResult) {
    self =
      switch result {
      case .passed: OTP_KNOWN_ANSWER_PASSED
      case .failed: OTP_KNOWN_ANSWER_FAILED
      case .absent: OTP_KNOWN_ANSWER_ABSENT
      }
  }
}

/// Writes as much of a text as fits into a C array, and a NUL.
func put<Characters>(_ text: String, into array: inout Characters) {
  unsafe withUnsafeMutableBytes(of: &array) { array in
    let count = min(text.utf8.count, array.count - 1)
    for (index, byte) in zip(0..<count, text.utf8) { unsafe array[index] = byte }
    unsafe array[count] = 0
  }
}
