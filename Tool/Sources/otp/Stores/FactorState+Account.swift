extension FactorState {
  /// When it ends, for display.
  var until: String? { end.map(Timestamp.text) }

  init(_ factor: AdministeredFactor) {
    self.init(
      factor.isSpent ? "spent" : factor.isLocked ? "locked" : factor.isBlocked ? "waiting" : "active",
      until: factor.retryAfter.map(Timestamp.next), needsNewEnrollment: factor.needsNewEnrollment)
  }

  /// The recovery codes' state.
  init(_ refusal: FactorRecord.Answer, ofRecoveryCodesOf user: AdministeredUser) {
    self.init(refusal, needsNewEnrollment: user.needsNewRecoveryCodes)
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
