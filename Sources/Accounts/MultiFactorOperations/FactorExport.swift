import FactorRecord
import Foundation
import MultiFactor
import OTP

/// A factor with its secret, for another system. External factors have no secret here and are not exported.
///
/// Its description and mirror are redacted.
public struct FactorExport: Sendable {
  /// TOTP or HOTP, with the properties that only that kind has.
  @frozen public enum Kind: Sendable, Hashable {
    /// TOTP.
    ///
    /// - `period`: The length of a step in seconds.
    /// - `t0`: The Unix time of step 0.
    /// - `drift`: The number of steps by which the user's clock is ahead, as found by resynchronization and learned
    ///   from accepted codes; negative if it is behind.
    /// - `lastAcceptedStep`: The last accepted step; `nil` if there is none. The other system must not accept this step
    ///   or an earlier one.
    case totp(period: Int64, t0: Int64, drift: Int, lastAcceptedStep: UInt64?)
    /// HOTP; `counter` is that of the next code, `nil` once the last possible counter has been accepted.
    case hotp(counter: UInt64?)
  }

  /// TOTP or HOTP.
  public let kind: Kind
  /// The shared secret.
  public let secret: OTPSecret
  /// The hash function.
  public let algorithm: HashAlgorithm
  /// The number of digits in a code.
  public let digits: OTPCode.Digits
  /// The factor's unique ID.
  public let uid: String
  /// The user's name for the factor.
  public let displayName: String?
  /// How many attempts have failed since the last success.
  public let failures: Int
  /// The date of its enrollment.
  public let enrollmentDate: Date

  /// Exports a factor; `nil` for an external one.
  init?(_ factor: Factor) {
    guard let record = factor.record, let secret = record.secret else { return nil }
    kind =
      secret.isTimeBased
      ? .totp(
        period: secret.timeStep.period, t0: secret.timeStep.t0, drift: record.driftSteps,
        lastAcceptedStep: record.lastAccepted)
      : .hotp(counter: record.nextCounter)
    self.secret = secret.secret
    algorithm = secret.algorithm
    digits = secret.digits
    uid = factor.uid
    displayName = factor.displayName
    failures = record.failures
    enrollmentDate = factor.enrollmentDate
  }
}

extension FactorExport: Redacted {}
