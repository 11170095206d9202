import OTP

// Records of any values, what they say, and their rules, in the form in which their IR is read: compiled together with
// FactorRecord's sources.

typealias Numbers = UnsafeMutablePointer<UInt64>

@_silgen_name("proof_new")
func new(
  isRecovery: Bool, isTimeBased: Bool, _ secret: (Int, Int), _ timeStep: (Int64, Int64), isPending: Bool,
  last: UInt64?, hasAccepted: Bool, _ drift: (Int, Int), _ failures: UInt64, _ acceptances: UInt64, latest: Int64?,
  loss: Int64?, array: Int, origin: (Int, Int, Int, Int)
) -> FactorRecord {
  let secret = FactorSecret(
    isTimeBased: isTimeBased, secret: unsafe unsafeBitCast(secret, to: OTPSecret.self),
    timeStep: unsafe unsafeBitCast(timeStep, to: TimeStep.self))
  let codes = unsafe unsafeBitCast(array, to: [RecoveryCode].self)
  var record = FactorRecord(
    isRecovery ? .recoveryCodes(codes) : .secret(secret), isPending: isPending, enrollmentMilliseconds: 0,
    lastAccepted: last)
  record.hasAccepted = hasAccepted
  record.drift = Drift(found: drift.0, learned: drift.1)
  record.attempts = Attempts(failures: failures, acceptances: acceptances, latest: latest)
  record.lossTime = loss
  record.spentSecrets = unsafe unsafeBitCast(array, to: [SpentSecret].self)
  record.origin = unsafe unsafeBitCast(origin, to: FactorRecord.Origin?.self)
  return record
}

@_silgen_name("proof_policy")
func policy(
  _ adjacentSteps: Int, _ driftLimit: Int, _ lookAhead: Int, failuresUntilLock: Int, firstDelayedFailure: Int,
  initial: Int64, lock: Int64?
) -> FactorRecord.Policy {
  let limit = unsafe unsafeBitCast((failuresUntilLock, firstDelayedFailure, initial, lock), to: AttemptLimit.self)
  return FactorRecord.Policy(checked: adjacentSteps, driftLimit, 0, lookAhead, 0, limit)
}

@_silgen_name("proof_says")
func says(_ record: FactorRecord, _ output: Numbers) {
  unsafe output[0] = record.isPending ? 1 : 0
  unsafe output[1] = record.lastAccepted == nil ? 0 : 1
  unsafe output[2] = record.lastAccepted ?? 0
  unsafe output[3] = record.hasAccepted ? 1 : 0
  unsafe output[4] = record.attempts.failures
  unsafe output[5] = record.attempts.acceptances
  unsafe output[6] = record.attempts.latest == nil ? 0 : 1
  unsafe output[7] = UInt64(bitPattern: record.attempts.latest ?? 0)
}

/// Reads an answer: 0 accepted, 1 enrolled, 2 rejected, 3 wait, 4 locked, 5 an error; and its number.
@inline(__always)
private func write(_ output: Numbers, _ answer: () throws(FactorRecordError) -> FactorRecord.Answer?) {
  unsafe (output[0], output[1]) = (5, 0)
  guard let answer = try? answer() else { return }
  switch answer {
  case .accepted(let acceptance): unsafe (output[0], output[1]) = (0, acceptance.movingFactor)
  case .enrolled(let acceptance): unsafe (output[0], output[1]) = (1, acceptance.movingFactor)
  case .rejected(let reason): unsafe (output[0], output[1]) = (2, UInt64(reason.rawValue))
  case .wait(let time): unsafe (output[0], output[1]) = (3, UInt64(bitPattern: time.unixTime))
  case .locked(let time): unsafe (output[0], output[1]) = (4, UInt64(bitPattern: time?.unixTime ?? .min))
  }
}

@_silgen_name("proof_refusal")
func refusal(_ record: FactorRecord, _ now: Int64, _ policy: FactorRecord.Policy, _ output: Numbers) {
  unsafe write(output) { () throws(FactorRecordError) in record.refusal(now: now, under: policy.attempts) }
}

@_silgen_name("proof_delay")
func delay(_ record: FactorRecord, _ policy: FactorRecord.Policy, _ output: Numbers) {
  let delay = policy.attempts.delay(afterFailures: record.attempts.failures)
  unsafe (output[0], output[1]) = (delay == nil ? 0 : 1, UInt64(bitPattern: delay ?? 0))
}

@_silgen_name("proof_loss_end")
func lossEnd(_ record: FactorRecord, _ unixTime: Int64, _ policy: FactorRecord.Policy, _ output: Numbers) {
  let end = record.lossEnd(at: unixTime, under: policy)
  unsafe (output[0], output[1]) = (end == nil ? 0 : 1, UInt64(bitPattern: end ?? 0))
}

@_silgen_name("proof_attempt")
func attempt(
  _ record: inout FactorRecord, confirms: Bool, _ typed: Span<UInt8>, _ clock: FactorRecord.Clock,
  _ policy: FactorRecord.Policy, _ output: Numbers
) {
  unsafe write(output) { () throws(FactorRecordError) in
    confirms
      ? try record.confirm(typedUTF8: typed, at: clock, under: policy)
      : try record.verify(typedUTF8: typed, at: clock, under: policy)
  }
}

/// And what the last step is whose code can have been accepted.
@_silgen_name("proof_spend")
func spend(_ record: inout FactorRecord, _ unixTime: Int64, _ policy: FactorRecord.Policy, _ output: Numbers) {
  let last = record.lastStep(at: unixTime, under: policy)
  unsafe (output[0], output[1]) = (last == nil ? 0 : 1, last ?? 0)
  record.spendSteps(until: unixTime, under: policy)
}

@_silgen_name("proof_unlock")
func unlock(_ record: inout FactorRecord, _ unixTime: Int64, _ output: Numbers) {
  unsafe output[0] = (try? record.unlock(at: unixTime)) == nil ? 0 : 1
}

@_silgen_name("proof_replace")
func replace(_ record: inout FactorRecord, _ new: FactorRecord, _ evenIfActive: Bool, _ output: Numbers) {
  unsafe output[0] = (try? record.replace(with: new, evenIfActive: evenIfActive)) == nil ? 0 : 1
}
