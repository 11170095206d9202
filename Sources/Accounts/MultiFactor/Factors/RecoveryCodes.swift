import FactorRecord
import OTP

/// Newly generated recovery codes: they can be seen only now.
public struct RecoveryCodes: Sendable {
  /// How many there are.
  public static let count = 10

  /// The codes, to be shown with their numbers, starting at 1, and written down. Each has 120 bits, as six groups of
  /// four base32 characters.
  public let codes: [String]

  /// Generates new codes, and their record.
  static func random(for userID: String, in context: Context) throws(AuthError) -> (RecoveryCodes, FactorRecord) {
    do {
      let (record, codes) = try FactorRecord.recoveryCodes(
        count: count, atMilliseconds: context.events.now().unixMilliseconds, random: context.random)
      return (RecoveryCodes(codes: codes), record)
    } catch {
      throw context.events.error(for: error, userID)
    }
  }
}

extension RecoveryCodes: Redacted {}

/// Generates assertions for recovery codes. The SDK has none.
public enum RecoveryCodeMultiFactorGenerator {
  /// The claim that a recovery code stands in for a second factor.
  ///
  /// - Parameter recoveryCode: What the user typed, in any case, with or without hyphens and spaces.
  public static func assertionForSignIn(recoveryCode: String) -> MultiFactorAssertion {
    MultiFactorAssertion(content: .codes([recoveryCode], count: 1...1, factor: RecoveryCodeMultiFactorID, .recovery))
  }
}
