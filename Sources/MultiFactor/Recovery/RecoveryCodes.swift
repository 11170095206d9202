import Keyring
import OTP

/// Recovery codes, at the one moment at which they can be seen.
public struct RecoveryCodes: Sendable {
  /// How many there are.
  public static let count = 10

  /// The codes, to be shown and written down: 80 bits each, as four groups of four base32 characters.
  public let codes: [String]

  /// New ones.
  static func random(for userID: String, in context: Context) throws(AuthError) -> RecoveryCodes {
    var codes: [String] = []
    while codes.count < count {
      let bytes = try context.attempt(user: userID) { () throws(KeyringError) in
        try context.random.secretBytes(RecoveryCodeText.byteCount)
      }
      let code = RecoveryCodeText.written(bytes.copiedBytes())
      if !codes.contains(code) { codes.append(code) }
    }
    return RecoveryCodes(codes: codes)
  }

  /// What the store keeps of them.
  func hashes(of userID: String, in context: Context) throws(AuthError) -> [[UInt8]] {
    var hashes: [[UInt8]] = []
    for code in codes {
      guard let bytes = try RecoveryCodeText.bytes(code) else { continue }
      hashes.append(try context.hash(bytes, for: .recoveryCodeHash, boundTo: [userID]))
    }
    return hashes
  }
}

extension RecoveryCodes: Redacted {}

/// Makes assertions of recovery codes. The SDK has none.
public enum RecoveryCodeMultiFactorGenerator {
  /// The claim that a recovery code stands in for a second factor.
  ///
  /// - Parameter recoveryCode: What the user typed, in any case, with or without hyphens and spaces.
  public static func assertionForSignIn(recoveryCode: String) -> MultiFactorAssertion {
    MultiFactorAssertion(content: .recoveryCode(recoveryCode))
  }
}
