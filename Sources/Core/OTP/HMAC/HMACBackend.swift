internal import COTPSupport

/// An implementation of HMAC.
///
/// The process chooses ``standard`` once: the fastest backend whose known-answer test agrees with OpenSSL, or the one
/// that the environment variable `OTP_BACKEND` names. A caller can also choose one for each ``HMACKey``. Future
/// versions may add backends.
public struct HMACBackend: Sendable, Hashable {
  /// OpenSSL's HMAC, or midstates and the kernels of an instruction set.
  enum Kind: Sendable, Hashable {
    case evp
    case lanes(InstructionSet)
  }

  let kind: Kind

  private init(kind: Kind) { self.kind = kind }

  /// The backend with a ``number``.
  init(number: UInt32) {
    kind = number == UInt32(OTP_ONCE_EVP) ? .evp : .lanes(InstructionSet(otp_lane_set(rawValue: number)))
  }

  /// OpenSSL's `EVP_MAC`: the reference, and the only backend that honors OpenSSL's providers. A process bound to
  /// FIPS 140 must use this one.
  public static var evp: HMACBackend { HMACBackend(kind: .evp) }
  /// Midstates kept per key and finished by OpenSSL's block transforms. These are functions that OpenSSL 3 deprecates,
  /// and they bypass its providers; a build without them lacks this backend.
  public static var midstate: HMACBackend { lanes(.libcrypto) }
  /// Midstates kept per key and finished by this engine's own kernels, many codes at a time. A process that computes
  /// many codes finds out which are the fastest on this CPU for how many codes (<doc:Backends>). A single code uses
  /// libcrypto's block transform if OpenSSL has its deprecated functions and there is no kernel with special CPU
  /// instructions for the hash, as for SHA-512 on x86-64. This backend bypasses OpenSSL's providers.
  public static var lanes: HMACBackend { lanes(.fastest) }
  /// As ``lanes``, but with the kernels of only one instruction set, for comparisons.
  @_spi(Diagnostics) public static func lanes(_ set: InstructionSet) -> HMACBackend { HMACBackend(kind: .lanes(set)) }

  /// The name, as `OTP_BACKEND` and the tool spell it.
  public var name: String { unsafe String(cString: cName) }

  private var cName: UnsafePointer<CChar> {
    switch kind {
    case .evp: unsafe StaticString("evp").cString
    case .lanes(let set): unsafe otp_lane_set_backend_name(set.kernels)
    }
  }

  /// The number of the backend's known-answer test in `otp_once`: an instruction set's own, or OpenSSL's.
  var number: UInt32 {
    switch kind {
    case .evp: UInt32(OTP_ONCE_EVP)
    case .lanes(let set): set.kernels.rawValue
    }
  }

  /// The result of the backend's known-answer test, which runs once, before the backend's first code.
  public var knownAnswerResult: KnownAnswerResult { KnownAnswerResult.of(self) }

  /// Whether the backend is present and passes its known-answer test.
  public var isAvailable: Bool { knownAnswerResult == .passed }

  /// The backends that this build and this CPU have, whether or not they pass: for tests, which must not skip one that
  /// fails.
  @_spi(Diagnostics) public static var present: [HMACBackend] { allCases.filter { $0.knownAnswerResult != .absent } }

  /// The backend that is used by default.
  ///
  /// - Throws: `OTPError` with code `backendUnavailable` if `OTP_BACKEND` names an unknown or unavailable backend,
  ///   since an operator's choice is never ignored, or if no backend passes its test.
  public static var standard: HMACBackend {
    get throws(OTPError) {
      let answer = otp_once(UInt32(OTP_ONCE_BACKEND)) { _ in
        guard case .success(let backend) = HMACBackend.choose(named: .fromEnvironment()) else { return 1 }
        return 2 + Int32(backend.number)
      }
      guard answer != 1 else { throw OTPError(.backendUnavailable) }
      return HMACBackend(number: UInt32(answer - 2))
    }
  }

  /// The requested backend, or the standard one.
  ///
  /// - Throws: `OTPError` with code `backendUnavailable`.
  static func usable(_ backend: HMACBackend?) throws(OTPError) -> HMACBackend {
    guard let backend else { return try standard }
    guard backend.isAvailable else { throw OTPError(.backendUnavailable) }
    return backend
  }

  /// The backends among which the process chooses, in order of preference.
  static var byPreference: [HMACBackend] { [.lanes, .midstate, .evp] }

  /// The backend that an operator requests; without a request, the first by preference that passes.
  static func choose(
    named request: BackendRequest, where passes: (HMACBackend) -> Bool = { $0.isAvailable }
  ) -> Result<HMACBackend, OTPError> {
    let candidates: [HMACBackend] =
      switch request {
      case .none: byPreference
      case .backend(let backend): [backend]
      case .unknown: []
      }
    for candidate in candidates where passes(candidate) { return .success(candidate) }
    return .failure(OTPError(.backendUnavailable))
  }
}

extension HMACBackend: CaseIterable {
  /// The backends that the engine knows, including those that this build or this CPU lacks; the reference first.
  public static var allCases: [HMACBackend] { [.evp] + InstructionSet.table.map(HMACBackend.lanes(_:)) }
}

/// What an operator requests through the environment variable `OTP_BACKEND`.
enum BackendRequest: Equatable {
  /// Unset or empty: the process chooses.
  case none
  case backend(HMACBackend)
  /// A name of no backend.
  case unknown

  init(_ name: Span<UInt8>) {
    guard !name.isEmpty else {
      self = .none
      return
    }
    for backend in HMACBackend.allCases where backend.isNamed(name) {
      self = .backend(backend)
      return
    }
    self = .unknown
  }

  static func fromEnvironment() -> BackendRequest {
    guard let text = unsafe otp_environment_backend() else { return .none }
    return unsafe BackendRequest(UnsafeBufferPointer(cText: text).span)
  }
}

extension HMACBackend {
  /// Whether a name is the backend's, ignoring case.
  fileprivate func isNamed(_ name: Span<UInt8>) -> Bool {
    unsafe name.equalsIgnoringASCIICase(UnsafeBufferPointer(cText: cName).span)
  }
}
