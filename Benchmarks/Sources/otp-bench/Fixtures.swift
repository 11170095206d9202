import OTP

/// The inputs of all rows.
enum Fixtures {
  /// Where times and counters begin: not at 0, since small numbers are short.
  static let firstStep: UInt64 = 56_666_666
  /// A guessed code, which is wrong in all but about one of 100,000 verifications.
  static let guess = "123456"

  /// A secret of the algorithm's own size, different for each `index`.
  static func secret(for algorithm: HashAlgorithm, _ index: Int = 0) -> [UInt8] {
    (0..<algorithm.tagByteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ index &* 7 &+ 11) &+ UInt8(index >> 8) }
  }

  /// A time in the step, in seconds.
  static func time(ofStep step: UInt64) -> Int64 { Int64(step) * 30 + 7 }

  /// The six-digit codes that the reference backend gives for this many counters.
  static func codes(_ secret: [UInt8], _ algorithm: HashAlgorithm, from first: UInt64, count: Int) throws -> [OTPCode] {
    try HOTP(secret: OTPSecret(bytes: secret), algorithm: algorithm, backend: .evp)
      .codes(counters: first...first + UInt64(count) - 1)
  }

  /// The code for one counter.
  static func code(_ secret: [UInt8], _ algorithm: HashAlgorithm, _ counter: UInt64) throws -> String {
    try codes(secret, algorithm, from: counter, count: 1)[0].description
  }
}
