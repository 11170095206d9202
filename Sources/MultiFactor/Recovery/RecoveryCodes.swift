/// Recovery codes, at the one moment at which they can be seen.
public struct RecoveryCodes: Sendable {
  /// How many there are.
  public static let count = 10

  /// The codes, to be shown and written down: 80 bits each, as four groups of four base32 characters.
  public let codes: [String]

  /// New ones.
  static func random(by sealer: Sealer) throws(AuthError) -> RecoveryCodes {
    var codes: [String] = []
    while codes.count < count {
      let code = try sealer.randomRecoveryCode()
      if !codes.contains(code) { codes.append(code) }
    }
    return RecoveryCodes(codes: codes)
  }

  /// What the store keeps of them.
  func hashes(of userID: String, by sealer: Sealer) throws(AuthError) -> [[UInt8]] {
    var hashes: [[UInt8]] = []
    for code in codes {
      hashes.append(try sealer.hash(RecoveryCodeText.bytes(code), for: .recoveryCode, boundTo: [userID]))
    }
    return hashes
  }
}

extension RecoveryCodes: Redacted {}
