extension FactorState {
  init(_ factor: AdministeredFactor) {
    name = factor.isSpent ? "spent" : factor.isLocked ? "locked" : factor.isBlocked ? "waiting" : "active"
    end = factor.retryAfter.map(Timestamp.next)
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

extension Timestamp {
  /// The second in UTC in which something happened.
  static func past(_ date: Date) -> String { text(Int64(date.timeIntervalSince1970.rounded(.down))) }

  /// The first full second that is not before a time: waiting until then is long enough.
  static func next(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970.rounded(.up)) }
}
