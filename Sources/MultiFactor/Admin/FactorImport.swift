import Foundation
import OTP

/// A factor that a user has already, to be added by an administrator.
public struct FactorImport: Sendable {
  private let content: Factor.Content
  private let lastAccepted: UInt64?
  private let displayName: String?

  /// A secret whose codes go by time, as another system has it.
  ///
  /// - Parameters:
  ///   - secret: The shared secret, of any length; see `OTPSecret.isWeak`.
  ///   - algorithm: The hash function.
  ///   - digits: How many digits a code has.
  ///   - period: The length of a step in seconds, 1 or more.
  ///   - t0: The Unix time of step 0.
  ///   - lastAcceptedStep: The step that the other system accepted last, if it knows, so that its code is not accepted
  ///     here once more.
  ///   - displayName: What the user calls it.
  /// - Throws: `OTPError` with code `invalidPeriod`.
  public static func totp(
    secret: OTPSecret, algorithm: HashAlgorithm = .sha1, digits: OTPCode.Digits = .six, period: Int64 = 30,
    t0: Int64 = 0, lastAcceptedStep: UInt64? = nil, displayName: String? = nil
  ) throws(OTPError) -> FactorImport {
    let secret = FactorSecret(
      kind: .totp, secret: secret, algorithm: algorithm, digits: digits, timeStep: try TimeStep(period: period, t0: t0))
    return FactorImport(content: .secret(secret), lastAccepted: lastAcceptedStep, displayName: displayName)
  }

  /// A hardware token, whose secret its maker has set.
  ///
  /// - Parameters:
  ///   - secret: The shared secret.
  ///   - counter: The counter of the next code.
  ///   - algorithm: The hash function.
  ///   - digits: How many digits a code has.
  ///   - displayName: What the user calls it.
  public static func hotp(
    secret: OTPSecret, counter: UInt64 = 0, algorithm: HashAlgorithm = .sha1, digits: OTPCode.Digits = .six,
    displayName: String? = nil
  ) -> FactorImport {
    let secret = FactorSecret(
      kind: .hotp, secret: secret, algorithm: algorithm, digits: digits, timeStep: .standard)
    return FactorImport(
      content: .secret(secret), lastAccepted: counter == 0 ? nil : counter - 1, displayName: displayName)
  }

  /// What a key URI describes.
  ///
  /// - Parameters:
  ///   - uri: The URI. One for codes by counter says which counter comes next.
  ///   - lastAcceptedStep: The step of codes by time that the other system accepted last, if it knows.
  ///   - displayName: What the user calls it.
  /// - Throws: `OTPError` where its period is not one.
  public static func uri(
    _ uri: OTPAuthURI, lastAcceptedStep: UInt64? = nil, displayName: String? = nil
  ) throws(OTPError) -> FactorImport {
    switch uri.kind {
    case .totp(let period):
      try totp(
        secret: uri.secret, algorithm: uri.algorithm, digits: uri.digits, period: period,
        lastAcceptedStep: lastAcceptedStep, displayName: displayName)
    case .hotp(let counter):
      hotp(
        secret: uri.secret, counter: counter, algorithm: uri.algorithm, digits: uri.digits, displayName: displayName)
    }
  }

  /// A phone number that is known to be the user's, in E.164.
  ///
  /// - Throws: ``AuthError`` with code `missingPhoneNumber` or `invalidPhoneNumber`.
  public static func phone(number: String, displayName: String? = nil) throws(AuthError) -> FactorImport {
    FactorImport(content: .phone(try PhoneNumber(number)), lastAccepted: nil, displayName: displayName)
  }

  /// The factor, under a name.
  func factor(_ uid: String, at now: Date) -> Factor {
    Factor(
      uid: uid, content: content, displayName: displayName.map(Factor.keptName), enrollmentDate: now,
      lastAccepted: lastAccepted)
  }
}

extension FactorImport: Redacted {}
