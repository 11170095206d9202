// Functions that the proofs are about, in the form in which their IR is read: compiled together with the engine's
// sources, since most of what they call is internal.

/// A code as `SubmittedCode` keeps it. It matches a truncated value of 0.
private struct Code {
  var digits = OTPCode.Digits.six
  var number: UInt32 = 0
}

/// What `MatchScan` keeps.
private struct Scan {
  var multiples: (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
  var complement: UInt32 = 0
  var takesLatest = false
  var hasLive: UInt64 = 0
  var hasSpent: UInt64 = 0
  var liveIndex: UInt64 = 0

  var asMatchScan: MatchScan { unsafe unsafeBitCast(self, to: MatchScan.self) }
}

@_cdecl("proof_step")
func step(period: Int64, t0: Int64, unixTime: Int64, output: UnsafeMutablePointer<UInt64>) -> Bool {
  guard let timeStep = try? TimeStep(period: period, t0: t0), let number = try? timeStep.number(at: unixTime),
    let rest = try? timeStep.secondsRemaining(at: unixTime)
  else { return false }
  unsafe output[0] = number
  unsafe output[1] = UInt64(bitPattern: rest)
  return true
}

/// `FactorRecord` is here with this one function of it.
@_cdecl("proof_shifted")
func shifted(unixTime: Int64, drift: Int, period: Int64, t0: Int64, output: UnsafeMutablePointer<Int64>) -> Bool {
  guard let timeStep = try? TimeStep(period: period, t0: t0) else { return false }
  unsafe output[0] = FactorRecord.shifted(unixTime, by: drift, timeStep)
  return true
}

@_cdecl("proof_window")
func window(behind: Int, ahead: Int, current: UInt64, output: UnsafeMutablePointer<UInt64>) -> Bool {
  guard let window = try? VerificationWindow(behind: behind, ahead: ahead) else { return false }
  let steps = window.steps(around: current)
  unsafe output[0] = steps.lowerBound
  unsafe output[1] = steps.upperBound
  return true
}

/// Verifies at a time that is a step, counted from the earliest time, with a match at one index only.
@_cdecl("proof_totp")
func totp(
  behind: Int, ahead: Int, unixTime: Int64, hasLast: Bool, last: UInt64, index: Int,
  output: UnsafeMutablePointer<UInt64>
) -> Bool {
  let code = unsafe unsafeBitCast(Code(), to: SubmittedCode.self)
  guard let timeStep = try? TimeStep(period: 1, t0: .min),
    let window = try? VerificationWindow(behind: behind, ahead: ahead),
    let task = try? VerificationTask(
      code, digits: .six, at: unixTime, timeStep, window: window, after: hasLast ? last : nil)
  else { return false }
  unsafe write(task, index, to: output)
  return true
}

@_cdecl("proof_hotp")
func hotp(counter: UInt64, lookAhead: Int, index: Int, output: UnsafeMutablePointer<UInt64>) -> Bool {
  let code = unsafe unsafeBitCast(Code(), to: SubmittedCode.self)
  guard let task = try? VerificationTask(code, digits: .six, counter: counter, lookAhead: lookAhead) else {
    return false
  }
  unsafe write(task, index, to: output)
  return true
}

/// The first counter, how many, whether the latest is taken, and the outcome.
@inline(__always)
private func write(_ task: VerificationTask, _ index: Int, to output: UnsafeMutablePointer<UInt64>) {
  var scan = task.newScan
  unsafe output[0] = task.first
  unsafe output[1] = UInt64(task.count)
  unsafe output[2] = unsafe unsafeBitCast(scan, to: Scan.self).takesLatest ? 1 : 0
  task.compare(0, at: index, into: &scan)
  switch task.verification(of: scan) {
  case .accepted(let movingFactor, let offset):
    unsafe output[3] = 2
    unsafe output[4] = movingFactor
    unsafe output[5] = UInt64(bitPattern: Int64(offset))
  case .replayed: unsafe output[3] = 1
  case .rejected: unsafe output[3] = 0
  }
}

@_cdecl("proof_record")
func record(
  hasLive: UInt64, hasSpent: UInt64, liveIndex: UInt64, takesLatest: Bool, match: UInt64, index: Int, isLive: Bool,
  output: UnsafeMutablePointer<UInt64>
) {
  var scan = Scan(takesLatest: takesLatest, hasLive: hasLive, hasSpent: hasSpent, liveIndex: liveIndex).asMatchScan
  scan.record(unsafe unsafeBitCast(match, to: Mask.self), at: index, isLive: isLive)
  let after = unsafe unsafeBitCast(scan, to: Scan.self)
  unsafe output[0] = after.hasLive
  unsafe output[1] = after.hasSpent
  unsafe output[2] = after.liveIndex
}

@_cdecl("proof_outcome")
func outcome(hasLive: UInt64, hasSpent: UInt64, liveIndex: UInt64, output: UnsafeMutablePointer<UInt64>) {
  switch Scan(hasLive: hasLive, hasSpent: hasSpent, liveIndex: liveIndex).asMatchScan.outcome {
  case .live(let index):
    unsafe output[0] = 2
    unsafe output[1] = UInt64(bitPattern: Int64(index))
  case .spent: unsafe output[0] = 1
  case .none: unsafe output[0] = 0
  }
}

@_cdecl("proof_decode")
func decode(text: UnsafePointer<UInt8>, isStrict: Bool, output: UnsafeMutablePointer<UInt8>) -> Bool {
  let characters = unsafe Base32Group.load(Span(_unsafeStart: text, count: 8), at: 0)
  guard let group = Base32Group(characters: characters, strict: isStrict) else { return false }
  unsafe group.writeBytes(to: UnsafeMutableBufferPointer(start: output, count: 5), at: 0)
  return true
}

@_cdecl("proof_encode")
func encode(bytes: UnsafePointer<UInt8>, output: UnsafeMutablePointer<UInt8>) {
  let group = unsafe Base32Group(bytes: Span(_unsafeStart: bytes, count: 5), at: 0)
  unsafe group.writeCharacters(to: UnsafeMutableBufferPointer(start: output, count: 8), at: 0)
}
