import OTP
import Testing

/// Every backend that this build has. Codes must not depend on the backend.
let backends = HMACBackend.allCases.filter { $0.knownAnswerResult != .absent }

/// Every backend with every hash function.
let implementations = backends.flatMap { backend in
  HashAlgorithm.allCases.map { Implementation(backend: backend, algorithm: $0) }
}

struct Implementation: Sendable, CustomTestStringConvertible {
  let backend: HMACBackend
  let algorithm: HashAlgorithm

  var testDescription: String { "\(algorithm.name) on \(backend.name)" }
}

extension OTPSecret {
  /// The 20 bytes of RFC 4226, Appendix D: the secret of most tests.
  static var rfc: OTPSecret { get throws { try OTPSecret(bytes: Array("12345678901234567890".utf8)) } }

  /// The seed of RFC 6238, Appendix B, as long as the algorithm's tag.
  static func rfc(for algorithm: HashAlgorithm) throws -> OTPSecret {
    try OTPSecret(bytes: (0..<algorithm.tagByteCount).map { 0x30 + UInt8(($0 + 1) % 10) })
  }

  var bytes: [UInt8] { withBytes { bytes in bytes.indices.map { bytes[$0] } } }
}

/// The error that a closure throws; `nil` if it throws none.
func failure<R>(of work: () throws(OTPError) -> R) -> OTPError? {
  do throws(OTPError) {
    _ = try work()
    return nil
  } catch {
    return error
  }
}

extension String {
  /// The bytes that hexadecimal digits spell. For literals in tests: other characters are ignored.
  var hexBytes: [UInt8] {
    let digits = compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}

extension Collection<UInt8> {
  var hexText: String { map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined() }
}

extension UInt64 {
  /// The counter as HOTP's message (RFC 4226, section 5.1).
  var message: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> UInt64(56 - 8 * $0)) } }
}
