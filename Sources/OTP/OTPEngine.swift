internal import COTPKernels

/// What this engine is and what it found on this machine.
public enum OTPEngine {
  /// The engine's version, by the rules of semantic versioning.
  public static var version: String { "0.1.0" }

  /// The version text of the libcrypto that is loaded, such as `OpenSSL 3.0.19 27 Jan 2026`.
  public static var openSSLVersion: String { unsafe String(cString: otp_openssl_version()) }

  /// The CPU features that matter to an HMAC, such as `avx2,sha_ni`.
  public static var cpuFeatures: String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { text in
      unsafe text.initialize(repeating: 0)
      guard let start = text.baseAddress else { return "" }
      _ = unsafe otp_cpu_features(start, text.count)
      return unsafe String(cString: start)
    }
  }
}
