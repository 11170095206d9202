import FactorRecord
import MultiFactor
import MultiFactorOperations

extension FactorState {
  init(_ factor: AdministeredFactor) {
    name = factor.isSpent ? "spent" : factor.isLocked ? "locked" : factor.isBlocked ? "waiting" : "active"
    until = factor.retryAfter.map(Timestamp.future)
    needs = Self.need(factor.needsNewEnrollment)
  }

  /// The recovery codes' state.
  init(_ refusal: FactorRecord.Answer, ofRecoveryCodesOf user: AdministeredUser) {
    self.init(refusal)
    needs = Self.need(user.needsNewRecoveryCodes)
  }

  /// That of recovery codes that the user must make again; `nil` if they need not.
  static func ofLostRecoveryCodes(of user: AdministeredUser) -> FactorState? {
    user.needsNewRecoveryCodes ? FactorState(.locked(until: nil), ofRecoveryCodesOf: user) : nil
  }
}
