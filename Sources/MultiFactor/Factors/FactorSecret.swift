import OTP

/// The secret of a factor with its parameters: what is sealed into a ``FactorRecord``.
struct FactorSecret: Sendable {
  let kind: FactorRecord.Kind
  let secret: OTPSecret
  let algorithm: HashAlgorithm
  let digits: OTPCode.Digits
  /// The length of a step in seconds, 1 or more; 30 for a factor by counter, which has none.
  let period: Int64
  /// The Unix time of step 0.
  let t0: Int64

  /// Nothing but the sealing changes between two factors with one secret.
  func sealed(by sealer: Sealer, userID: String, uid: String) throws(AuthError) -> [UInt8] {
    try sealer.seal(FactorSecretLayout.encode(self), for: .totpSecret, boundTo: [userID, uid])
  }

  /// Opens what ``sealed(by:userID:uid:)`` made for this user and factor.
  static func opened(
    _ sealed: [UInt8], by sealer: Sealer, userID: String, uid: String
  ) throws(AuthError) -> (secret: FactorSecret, isByActiveKey: Bool) {
    let opened = try sealer.open(sealed, for: .totpSecret, boundTo: [userID, uid])
    guard let secret = opened.bytes.withBytes({ bytes in FactorSecretLayout.decode(bytes) }) else {
      throw sealer.unreadable(.totpSecret, [userID, uid])
    }
    return (secret, opened.isByActiveKey)
  }
}

/// How a factor's secret lies in what is sealed: a version, the parameters at fixed places, then the secret's bytes.
enum FactorSecretLayout {
  static let version: UInt8 = 1
  /// Version, kind, algorithm, digits, then period and t0, 8 bytes each, big-endian.
  static let headerByteCount = 20

  private static let kinds: [FactorRecord.Kind] = [.totp, .hotp]
  private static let algorithms: [HashAlgorithm] = [.sha1, .sha256, .sha512]

  /// The bytes, in memory that is wiped.
  static func encode(_ secret: FactorSecret) -> SecretBytes {
    let bytes = SecretBytes(capacity: headerByteCount + secret.secret.byteCount)
    unsafe encode(secret, into: bytes.mutableBytes)
    return bytes
  }

  @unsafe private static func encode(_ secret: FactorSecret, into output: UnsafeMutableBufferPointer<UInt8>) {
    unsafe output[0] = version
    unsafe output[1] = UInt8(kinds.firstIndex(of: secret.kind) ?? 0)
    unsafe output[2] = UInt8(algorithms.firstIndex(of: secret.algorithm) ?? 0)
    unsafe output[3] = UInt8(secret.digits.rawValue)
    for index in 0..<8 {
      unsafe output[4 + index] = UInt8(truncatingIfNeeded: secret.period >> (56 - 8 * Int64(index)))
      unsafe output[12 + index] = UInt8(truncatingIfNeeded: secret.t0 >> (56 - 8 * Int64(index)))
    }
    secret.secret.withBytes { bytes in
      for index in bytes.indices { unsafe output[headerByteCount + index] = bytes[index] }
    }
  }

  /// The parameters, without the secret; `nil` where the bytes are not what ``encode(_:)`` makes.
  static func parameters(of bytes: Span<UInt8>) -> Parameters? {
    guard bytes.count > headerByteCount, bytes[0] == version, Int(bytes[1]) < kinds.count,
      Int(bytes[2]) < algorithms.count, let digits = OTPCode.Digits(rawValue: Int(bytes[3]))
    else { return nil }
    let period = integer(in: bytes, at: 4)
    guard let timeStep = try? TimeStep(period: period, t0: integer(in: bytes, at: 12)) else { return nil }
    return Parameters(
      kind: kinds[Int(bytes[1])], algorithm: algorithms[Int(bytes[2])], digits: digits, timeStep: timeStep)
  }

  /// All of it.
  static func decode(_ bytes: Span<UInt8>) -> FactorSecret? {
    guard let parameters = parameters(of: bytes),
      let secret = try? OTPSecret(bytes: bytes.extracting(headerByteCount..<bytes.count))
    else { return nil }
    return FactorSecret(
      kind: parameters.kind, secret: secret, algorithm: parameters.algorithm, digits: parameters.digits,
      period: parameters.timeStep.period, t0: parameters.timeStep.t0)
  }

  /// What can be said of a secret without it.
  struct Parameters {
    let kind: FactorRecord.Kind
    let algorithm: HashAlgorithm
    let digits: OTPCode.Digits
    let timeStep: TimeStep
  }

  private static func integer(in bytes: Span<UInt8>, at offset: Int) -> Int64 {
    var value: UInt64 = 0
    for index in offset..<offset + 8 { value = value << 8 | UInt64(bytes[index]) }
    return Int64(bitPattern: value)
  }
}
