import Foundation
import OTP

/// A factor with its secret, as another system needs it. Phones have none, and are no such factors.
///
/// Neither description nor mirror shows anything of it.
public struct FactorExport: Sendable {
  /// What only codes by time, or only codes by counter, have.
  @frozen public enum Kind: Sendable, Hashable {
    /// Codes by time.
    ///
    /// - `period`: The length of a step in seconds.
    /// - `t0`: The Unix time of step 0.
    /// - `drift`: How many steps the user's clock is ahead, as far as codes have shown.
    /// - `lastAcceptedStep`: The step that was accepted last; `nil` for none. The other system must not accept it, nor
    ///   one before it.
    case totp(period: Int64, t0: Int64, drift: Int, lastAcceptedStep: UInt64?)
    /// Codes by counter; `nil` once the last one there is was accepted.
    case hotp(counter: UInt64?)
  }

  /// What kind of codes it has.
  public let kind: Kind
  /// The shared secret.
  public let secret: OTPSecret
  /// The hash function.
  public let algorithm: HashAlgorithm
  /// How many digits a code has.
  public let digits: OTPCode.Digits
  /// The factor's name.
  public let uid: String
  /// What the user calls it.
  public let displayName: String?
  /// When it was enrolled.
  public let enrollmentDate: Date

  /// A factor's secret; `nil` for a phone.
  init?(_ factor: Factor) {
    guard case .secret(let secret) = factor.content else { return nil }
    if secret.kind == .hotp {
      kind = .hotp(counter: factor.nextCounter)
    } else {
      kind = .totp(
        period: secret.timeStep.period, t0: secret.timeStep.t0, drift: factor.drift.found &+ factor.drift.learned,
        lastAcceptedStep: factor.lastAccepted)
    }
    self.secret = secret.secret
    algorithm = secret.algorithm
    digits = secret.digits
    uid = factor.uid
    displayName = factor.displayName
    enrollmentDate = factor.enrollmentDate
  }
}

extension FactorExport: Redacted {}
