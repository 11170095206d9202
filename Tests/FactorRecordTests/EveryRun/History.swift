import FactorRecord

/// What is promised of every run, whatever the rules say: both statements of them can have the same mistake.
struct History: Hashable {
  /// The latest step or counter of each secret that was accepted, and the step that was the user's at the latest loss.
  private var accepted = SIMD2(repeating: -1)
  private var lost = SIMD2(repeating: -1)

  /// Adds an action.
  ///
  /// - Returns: The promise that it breaks, if any.
  mutating func promise(
    brokenBy action: EveryRun.Action, _ answer: RecordRules.Verdict?, _ rules: RecordRules, _ old: FactorRecord,
    _ new: FactorRecord, at now: Int, policy: Int
  ) -> String? {
    switch answer {
    case .accepted(let code, _), .enrolled(let code, _):
      if new.failures != 0 { return "failures after a success" }
      if case .accepted = answer, old.isPending { return "an acceptance by a pending factor" }
      if case .accepted = answer, isRefused(old, at: now, policy) { return "an acceptance too early" }
      guard old.kind != .recoveryCodes else {
        return old.unusedRecoveryCodes.contains(code) && !new.unusedRecoveryCodes.contains(code)
          ? nil : "a second acceptance of a recovery code"
      }
      if code <= accepted[rules.secret] { return "a second acceptance of a code of one secret" }
      if code <= lost[rules.secret] { return "an acceptance of a step before a loss" }
      accepted[rules.secret] = code
    case .rejected(.wrong), .rejected(.late), .rejected(.early), .rejected(.replayed):
      if new.failures != old.failures + (old.isPending ? 0 : 1) { return "a failure that is not counted" }
    case .rejected, .wait, .locked, .refused:
      if new != old { return "a change without an attempt" }
    case nil:
      if case .spend = action {
        if new.failures != old.failures { return "a loss that changes the failures" }
        if old.kind == .totp { lost[rules.secret] = max(lost[rules.secret], now / rules.period + rules.found) }
      }
    }
    return nil
  }

  /// What the two policies ask for, in numbers: from which failure on there is a delay, of at least a second; which one
  /// locks, and for how many seconds.
  private static let limits: [(delay: Int, lock: Int, seconds: Int?)] = [(4, 10, 3600), (2, 5, nil)]

  /// Whether a record certainly takes no attempt: it is locked, or the shortest delay is not over.
  private func isRefused(_ record: FactorRecord, at now: Int, _ policy: Int) -> Bool {
    let limit = Self.limits[policy]
    guard record.failures >= limit.delay, record.failures < 100, let latest = record.lastAttemptTime else {
      return record.failures >= 100
    }
    guard let seconds = record.failures < limit.lock ? 1 : limit.seconds else { return true }
    return now < Int(latest) + seconds
  }
}

extension RecordRules.Verdict {
  /// - Parameter base: The counter that is 0 to the rules.
  init(_ answer: FactorRecord.Answer, _ base: UInt64 = 0) {
    self =
      switch answer {
      case .accepted(let what): .accepted(Int(what.movingFactor - base), drift: what.driftSteps)
      case .enrolled(let what): .enrolled(Int(what.movingFactor - base), drift: what.driftSteps)
      case .rejected(let reason): .rejected(reason)
      case .wait(let end): .wait(Int(end.unixTime))
      case .locked(let end): .locked(end.map { Int($0.unixTime) })
      }
  }

  var withoutDetails: Self {
    switch self {
    case .accepted: .accepted(0, drift: 0)
    case .enrolled: .enrolled(0, drift: 0)
    case .wait: .wait(0)
    case .locked(let end): .locked(end.map { _ in 0 })
    case .rejected, .refused: self
    }
  }

  /// Its name, without the details.
  var name: String {
    switch self {
    case .accepted: "accepted"
    case .enrolled: "enrolled"
    case .rejected(let reason): "\(reason)"
    case .wait: "wait"
    case .locked(let end): end == nil ? "locked for good" : "locked"
    case .refused: "refused"
    }
  }
}
