/// An implementation of HMAC.
///
/// The process chooses ``standard`` once: the fastest backend whose known-answer test agrees with ``evp``, or the one
/// that the environment variable `OTP_BACKEND` names. A caller can also ask for one where it makes an ``HMACKey``.
/// More may come.
public struct HMACBackend: Sendable, Hashable {
  /// The implementations, the reference first, then each faster than the one before it.
  enum Kind: Sendable, Hashable, CaseIterable {
    case evp, midstate

    /// The name, as `OTP_BACKEND` and the tool spell it.
    var name: StaticString {
      switch self {
      case .evp: "evp"
      case .midstate: "midstate"
      }
    }
  }

  let kind: Kind

  /// OpenSSL's `EVP_MAC`: the reference. It honours OpenSSL's providers: the one for a process bound to FIPS 140.
  public static var evp: HMACBackend { HMACBackend(kind: .evp) }
  /// Midstates kept per key and finished by OpenSSL's block transforms. They rest on functions that OpenSSL 3
  /// deprecates and bypass its providers; a build without those functions does not have this backend.
  public static var midstate: HMACBackend { HMACBackend(kind: .midstate) }

  /// The name, as `OTP_BACKEND` and the tool spell it.
  public var name: String { unsafe String(cString: kind.name.utf8Start) }

  /// What the backend's known-answer test found. The test runs once, before the process's first code.
  public var knownAnswerResult: KnownAnswerResult {
    switch kind {
    case .evp: KnownAnswerResult.evp
    case .midstate: KnownAnswerResult.midstate
    }
  }

  /// Whether the backend is there and has passed its known-answer test.
  public var isAvailable: Bool { knownAnswerResult == .passed }

  /// The backends that are there and have passed their known-answer tests.
  public static var available: [HMACBackend] { allCases.filter { $0.isAvailable } }

  /// The backends that this build has, whether or not they pass: for tests, which must not pass over one that fails.
  public static var present: [HMACBackend] { allCases.filter { $0.knownAnswerResult != .absent } }

  /// The backend that serves where none is asked for.
  ///
  /// - Throws: `OTPError` with code `backendUnavailable` where `OTP_BACKEND` names none, or one that is not available:
  ///   an operator's word is never passed over. Also where no backend passes.
  public static var standard: HMACBackend {
    get throws(OTPError) { try chosen.get() }
  }

  private static let chosen: Result<HMACBackend, OTPError> = choose(named: BackendRequest.fromEnvironment())

  /// The backend for an operator's request.
  static func choose(named request: BackendRequest) -> Result<HMACBackend, OTPError> {
    let candidates: [HMACBackend]
    switch request {
    case .none: candidates = allCases.reversed()
    case .backend(let backend): candidates = [backend]
    case .unknown: candidates = []
    }
    for candidate in candidates where candidate.isAvailable { return .success(candidate) }
    return .failure(OTPError(.backendUnavailable))
  }
}

extension HMACBackend: CaseIterable {
  /// The backends that the engine knows, also those that this build or this machine does not have.
  public static var allCases: [HMACBackend] { Kind.allCases.map { HMACBackend(kind: $0) } }
}
