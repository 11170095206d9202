internal import COTPSupport

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
    for backend in HMACBackend.allCases where name.equalsIgnoringASCIICase(backend.kind.name) {
      self = .backend(backend)
      return
    }
    self = .unknown
  }

  static func fromEnvironment() -> BackendRequest {
    guard let text = unsafe otp_environment_backend() else { return .none }
    var count = 0
    while unsafe text[count] != 0 { count += 1 }
    let bytes = unsafe UnsafeRawBufferPointer(start: text, count: count)
    return unsafe BackendRequest(Span<UInt8>(_unsafeBytes: bytes))
  }
}
