import Keyring
import OTP

/// Newly generated recovery codes: they can be seen only now.
public struct RecoveryCodes: Sendable {
  /// How many there are.
  public static let count = 10

  /// The codes, to be shown with their numbers, starting at 1, and written down. Each has 120 bits, as six groups of
  /// four base32 characters.
  public let codes: [String]

  /// Generates new codes.
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

  /// The keyed hashes of the codes, as stored.
  ///
  /// A keyed hash is enough: SP 800-63B-4, section 3.1.2.2, requires a password hash only below 112 bits.
  func hashes(of userID: String, in context: Context) throws(AuthError) -> [Account.RecoveryCode] {
    var hashes: [Account.RecoveryCode] = []
    for (index, code) in codes.enumerated() {
      guard let bytes = try RecoveryCodeText.bytes(code) else { continue }
      let hash = try context.hash(bytes, for: .recoveryCodeHash, boundTo: [userID])
      hashes.append(Account.RecoveryCode(number: UInt8(index + 1), hash: hash))
    }
    return hashes
  }
}

extension RecoveryCodes: Redacted {}

/// Generates assertions for recovery codes. The SDK has none.
public enum RecoveryCodeMultiFactorGenerator {
  /// The claim that a recovery code stands in for a second factor.
  ///
  /// - Parameter recoveryCode: What the user typed, in any case, with or without hyphens and spaces.
  public static func assertionForSignIn(recoveryCode: String) -> MultiFactorAssertion {
    MultiFactorAssertion(content: .recoveryCode(recoveryCode))
  }
}
