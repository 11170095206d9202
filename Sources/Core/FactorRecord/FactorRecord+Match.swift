import OTP

extension FactorRecord {
  /// Checks a code, and spends it if it is right.
  ///
  /// Timing: depends on whether the code is accepted, not on why it is rejected: a rejected one goes through a second
  /// scan.
  mutating func match(
    _ code: SubmittedCode, _ secret: FactorSecret, at unixTime: Int64, under policy: Policy
  ) throws(FactorRecordError) -> Answer {
    let answer: Answer
    do throws(OTPError) {
      answer =
        secret.isTimeBased
        ? try matchSteps(code, secret, at: unixTime, under: policy)
        : try matchCounters(code, secret, lookAhead: policy.lookAhead)
    } catch {
      answer = try Self.rejection(after: error)
    }
    if case .accepted(let acceptance) = answer { spend(acceptance.movingFactor) }
    return answer
  }

  /// If the clock is before the factor's t0, no code is right. Any other error is the server's failure.
  static func rejection(after error: OTPError) throws(FactorRecordError) -> Answer {
    guard error.code == .timeBeforeT0 else { throw FactorRecordError(.cryptographyFailed) }
    return .rejected(.early)
  }

  private func matchSteps(
    _ code: SubmittedCode, _ secret: FactorSecret, at unixTime: Int64, under policy: Policy
  ) throws(OTPError) -> Answer {
    let limit = policy.driftLimit
    let learned = max(-limit, min(limit, drift.learned))
    let time = Self.shifted(unixTime, by: drift.found &+ learned, secret.timeStep)

    func task(_ adjacentSteps: Int, after last: UInt64?) throws(OTPError) -> VerificationTask {
      try VerificationTask(
        code, digits: secret.digits, at: time, secret.timeStep, window: .adjacent(adjacentSteps), after: last)
    }
    // Whatever is wrong with the code, scan the widest window, which distinguishes a late or early code, spent or not,
    // from a wrong one. A failure of that scan must not undo the count of a code that is already known not to be right.
    let (right, wide) = (try task(policy.adjacentSteps, after: lastAccepted), try task(10, after: nil))
    let (result, other) = try secret.secret.withBytes { (bytes) throws(OTPError) in
      try right.run(withSecret: bytes, secret.algorithm, orElse: wide)
    }
    if case .accepted(let step, let offset) = result {
      let drift = Drift(found: drift.found, learned: max(-limit, min(limit, learned + offset)))
      return .accepted(Acceptance(movingFactor: step, drift: drift))
    }
    switch (result, other) {
    case (.replayed, _): return .rejected(.replayed)
    case (_, .accepted(_, let offset)?): return .rejected(offset < 0 ? .late : .early)
    default: return .rejected(.wrong)
    }
  }

  private func matchCounters(
    _ code: SubmittedCode, _ secret: FactorSecret, lookAhead: Int
  ) throws(OTPError) -> Answer {
    func verify(_ counter: UInt64, _ lookAhead: Int) throws(OTPError) -> Verification {
      let task = try VerificationTask(code, digits: secret.digits, counter: counter, lookAhead: lookAhead)
      return try secret.secret.withBytes { (bytes) throws(OTPError) in
        try task.run(withSecret: bytes, secret.algorithm, nil)
      }
    }
    if let next = nextCounter, case .accepted(let counter, _) = try verify(next, lookAhead) {
      return .accepted(Acceptance(movingFactor: counter))
    }
    // An earlier counter is never accepted; it is looked for only to distinguish a replay from a guess.
    guard let last = lastAccepted else { return .rejected(.wrong) }
    let past = min(last, Self.pastCounterCount)
    if case .accepted? = try? verify(last - past, Int(past)) { return .rejected(.replayed) }
    return .rejected(.wrong)
  }

  /// How many counters before the last accepted one are checked, to distinguish a replay from a guess.
  private static var pastCounterCount: UInt64 { 10 }

  /// The next expected counter; `nil` once the highest has been accepted.
  package var nextCounter: UInt64? {
    guard let lastAccepted else { return 0 }
    return lastAccepted < .max ? lastAccepted + 1 : nil
  }

  /// The time on a user's clock that is some steps ahead.
  static func shifted(_ unixTime: Int64, by drift: Int, _ timeStep: TimeStep) -> Int64 {
    let (seconds, multiplied) = timeStep.period.multipliedReportingOverflow(by: Int64(drift))
    let (time, added) = unixTime.addingReportingOverflow(seconds)
    return multiplied || added || time < timeStep.t0 ? unixTime : time
  }
}
