internal import COTPSupport

/// The engine's version, its self-test, and what it found on this machine.
public enum OTPEngine {
  /// The engine's semantic version.
  public static var version: String { unsafe String(cString: staticVersion.utf8Start) }

  /// The same, in static memory.
  package static var staticVersion: StaticString { "0.1.0" }

  /// The version text of the loaded libcrypto, such as `OpenSSL 3.0.19 27 Jan 2026`.
  public static var openSSLVersion: String { unsafe String(cString: otp_openssl_version()) }

  /// Runs the known-answer tests now instead of before the first code, reports their results, and finds out which
  /// kernels are the fastest here (<doc:Backends>), which otherwise happens after some thousands of codes. Call it when
  /// a server starts, and log what it reports.
  ///
  /// A backend that fails is never used; the process falls back to the next one. Each test runs once per process: a
  /// later call reports the same results again.
  ///
  /// ```swift
  /// let backend = try OTPEngine.selfTest { backend, result in
  ///   if result == .failed {
  ///     logger.critical("HMAC backend \(backend.name) fails its known-answer test")
  ///   }
  /// }
  /// logger.info("HMAC backend \(backend.name)")
  /// ```
  ///
  /// - Parameter report: Called with each backend that the process may choose, in order of preference, and its result.
  /// - Returns: The backend that is used by default.
  /// - Throws: `OTPError` with code `backendUnavailable`, as ``HMACBackend/standard`` does.
  public static func selfTest(
    report: (_ backend: HMACBackend, _ result: KnownAnswerResult) -> Void
  ) throws(OTPError) -> HMACBackend {
    for backend in HMACBackend.byPreference { report(backend, backend.knownAnswerResult) }
    let backend = try HMACBackend.standard
    if backend == .lanes { for algorithm in HashAlgorithm.allCases { otp_lanes_measure(algorithm.kernelHash) } }
    return backend
  }

  /// Asks libcrypto not to release its memory as the process exits. Call it at the start of `main`, before anything
  /// uses libcrypto. The engine never does so unasked, since libcrypto belongs to the whole process.
  ///
  /// Otherwise libcrypto's handler at `exit`, which takes no locks, frees what belongs to threads that may be ending at
  /// the same time, such as those of the concurrency runtime, and the process can die by a signal after its work is
  /// done. The system takes the memory back anyway.
  ///
  /// - Returns: `false` if libcrypto was already in use: it may then still release its memory.
  @discardableResult
  public static func keepLibcryptoAtExit() -> Bool { otp_keep_libcrypto() == 1 }

  /// The CPU features that matter to HMAC, such as `avx2,sha_ni`.
  public static var cpuFeatures: String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { text in
      unsafe text.initialize(repeating: 0)
      guard let start = text.baseAddress else { return "" }
      _ = unsafe otp_cpu_features(start, text.count)
      return unsafe String(cString: start)
    }
  }
}
