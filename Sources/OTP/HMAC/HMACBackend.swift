internal import COTPSupport

/// An implementation of HMAC.
///
/// The process chooses ``standard`` once: the fastest backend whose known-answer test agrees with ``evp``, or the one
/// that the environment variable `OTP_BACKEND` names. A caller can also ask for one where it makes an ``HMACKey``.
/// More may come.
public struct HMACBackend: Sendable, Hashable {
  /// The one switch: OpenSSL's HMAC, or midstates and the kernels of an instruction set.
  enum Kind: Sendable, Hashable {
    case evp
    case lanes(InstructionSet)
  }

  let kind: Kind

  /// OpenSSL's `EVP_MAC`: the reference, and the only backend that honours OpenSSL's providers. A process bound to
  /// FIPS 140 uses no other.
  public static var evp: HMACBackend { HMACBackend(kind: .evp) }
  /// Midstates kept per key and finished by OpenSSL's block transforms. They rest on functions that OpenSSL 3
  /// deprecates and bypass its providers; a build without those functions does not have this backend.
  public static var midstate: HMACBackend { lanes(.libcrypto) }
  /// Midstates kept per key and finished by this engine's own kernels, many codes at a time, with whatever this CPU
  /// computes a number of codes with the fastest. For a single code that is libcrypto's block transform if OpenSSL has
  /// its deprecated functions and there are no kernels for the CPU's own instructions for the hash, as for SHA-512. All
  /// of it bypasses OpenSSL's providers.
  public static var lanes: HMACBackend { lanes(.fastest) }
  /// The same with only the kernels of one instruction set, for comparisons.
  public static func lanes(_ set: InstructionSet) -> HMACBackend { HMACBackend(kind: .lanes(set)) }

  /// The name, as `OTP_BACKEND` and the tool spell it.
  public var name: String { unsafe String(cString: cName) }

  private var cName: UnsafePointer<CChar> {
    switch kind {
    case .evp: unsafe StaticString("evp").cString
    case .lanes(let set): unsafe otp_lane_set_backend_name(set.kernels)
    }
  }

  /// What the backend's known-answer test found. The test runs once, before the backend's first code.
  public var knownAnswerResult: KnownAnswerResult {
    switch kind {
    case .evp: KnownAnswerResult.evp
    case .lanes(let set): KnownAnswerResult.lanes(set)
    }
  }

  /// Whether the backend is there and has passed its known-answer test.
  public var isAvailable: Bool { knownAnswerResult == .passed }

  /// The backends that are there and have passed their known-answer tests.
  public static var available: [HMACBackend] { allCases.filter { $0.isAvailable } }

  /// The backends that this build and this CPU have, whether or not they pass: for tests, which must not pass over one
  /// that fails.
  public static var present: [HMACBackend] { allCases.filter { $0.knownAnswerResult != .absent } }

  /// The backend that serves where none is asked for.
  ///
  /// - Throws: `OTPError` with code `backendUnavailable` where `OTP_BACKEND` names none, or one that is not available:
  ///   an operator's word is never passed over. Also where no backend passes.
  public static var standard: HMACBackend {
    get throws(OTPError) { try chosen.get() }
  }

  /// The backend that was asked for, or the standard one.
  ///
  /// - Throws: `OTPError` with code `backendUnavailable`.
  static func usable(_ backend: HMACBackend?) throws(OTPError) -> HMACBackend {
    guard let backend else { return try standard }
    guard backend.isAvailable else { throw OTPError(.backendUnavailable) }
    return backend
  }

  /// The backends among which the process chooses, the most wanted first.
  static var byPreference: [HMACBackend] { [.lanes, .midstate, .evp] }

  private static let chosen: Result<HMACBackend, OTPError> = choose(named: BackendRequest.fromEnvironment())

  /// The backend for an operator's request: where there is none, the fastest that passes, and the reference last.
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
  /// The backends that the engine knows, also those that this build or this CPU does not have: the reference first.
  public static var allCases: [HMACBackend] { [.evp] + InstructionSet.table.map(HMACBackend.lanes(_:)) }
}

/// What an operator asks for by the environment variable `OTP_BACKEND`.
enum BackendRequest: Equatable {
  /// Unset or empty: the process chooses.
  case none
  case backend(HMACBackend)
  /// A name that no backend has.
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
  /// Whether a name is the backend's, in any mix of cases.
  fileprivate func isNamed(_ name: Span<UInt8>) -> Bool {
    unsafe name.equalsIgnoringASCIICase(UnsafeBufferPointer(cText: cName).span)
  }
}
