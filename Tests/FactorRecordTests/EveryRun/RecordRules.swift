import FactorRecord

/// The rules of a record, stated a second time from its documentation, for codes that are known by their step or
/// counter. Of the product, this uses only the names of policies and reasons.
struct RecordRules: Hashable {
  /// What is typed: codes are known by the secret and the step or counter that they are of.
  enum Typed: Hashable {
    case code(Int, of: Int)
    case recoveryCode(Int)
    case wrong, malformed
  }

  enum Verdict: Hashable {
    case accepted(Int, drift: Int)
    case enrolled(Int, drift: Int)
    case rejected(FactorRecord.Reason)
    case wait(Int)
    case locked(Int?)
    /// An active factor is not replaced.
    case refused
  }

  typealias Policy = FactorRecord.Policy

  /// The counter with which a token begins.
  static let firstCounter = 12

  let kind: FactorRecord.Kind
  /// A step's length in seconds.
  var period = 30
  /// What is added to each counter, so that those of a token can be the highest: 0 here is this counter there.
  var base: UInt64 = 0
  /// Which of the secrets it has.
  var secret = 0
  var isPending = false
  /// When it was enrolled, in milliseconds, as all times here but the parameters, which are in seconds.
  var enrolled: Int
  /// The last step or counter that is spent, and whether an acceptance or a loss has spent it.
  var last: Int?
  var hasSpent = false
  var found = 0
  var learned = 0
  var failures = 0
  var acceptances = 0
  var latest: Int?
  var loss: Int?
  /// The recovery codes that were not used.
  var unused: [Int] = []
  /// The last step or counter that is spent of each former secret.
  var spent: [Int: Int] = [:]

  // MARK: What a host can do

  mutating func verify(_ typed: Typed, at now: Int, under policy: Policy) -> Verdict {
    if isPending { return .rejected(.pending) }
    if kind == .recoveryCodes, unused.isEmpty { return .rejected(.usedUp) }
    if typed == .malformed { return .rejected(.malformed) }
    if refusal(at: now, under: policy) == nil, let end = endOfLoss(at: now, under: policy) { return .wait(end) }
    return attempt(at: now, under: policy) { rules in rules.check(typed, at: now, under: policy) }
  }

  mutating func confirm(_ typed: Typed, at now: Int, under policy: Policy) -> Verdict {
    if !isPending { return .rejected(.confirmed) }
    if typed == .malformed { return .rejected(.malformed) }
    if let end = endOfLoss(at: now, under: policy) { return .wait(end) }
    let drift = (found, learned)
    let verdict = check(typed, at: now, under: policy)
    guard case .accepted(let code, _) = verdict else { return verdict }
    (found, learned) = drift
    isPending = false
    failures = 0
    enrolled = time(at: now)
    return .enrolled(code, drift: found + learned)
  }

  /// Consecutive codes from one step or counter on; `nil` for codes that are wrong.
  mutating func resynchronize(from first: Int?, count: Int, at now: Int, under policy: Policy) -> Verdict {
    if isPending { return .rejected(.pending) }
    if kind == .totp, policy.resynchronizationSteps == 0 { return .rejected(.disabled) }
    return attempt(at: now, under: policy) { rules in
      guard let first else { return .rejected(.wrong) }
      let last = first + count - 1
      guard rules.kind == .totp else {
        guard 0...policy.resynchronizationLookAhead ~= first - rules.next, last <= rules.highest else {
          return .rejected(.wrong)
        }
        return rules.accept(last)
      }
      let offset = last - now / rules.period
      let range = -policy.resynchronizationSteps...policy.resynchronizationSteps
      guard range ~= first - now / rules.period, range ~= offset else { return .rejected(.wrong) }
      guard first >= rules.next else { return .rejected(.replayed) }
      (rules.found, rules.learned) = (offset, 0)
      return rules.accept(last)
    }
  }

  mutating func spend(until now: Int, under policy: Policy) {
    guard kind == .totp else { return }
    (last, hasSpent) = (max(last ?? 0, lastStep(at: now, under: policy)), true)
    loss = max(loss ?? now, now)
  }

  mutating func unlock(at now: Int) {
    if failures < 100 { failures = 0 }
    if let latest, latest > now * 1000 { self.latest = nil }
  }

  /// Replaces it with a new enrollment of one of the secrets.
  ///
  /// - Returns: Whether it is: an active one only if that is asked for.
  mutating func replace(withSecret secret: Int, isPending: Bool, evenIfActive: Bool, at now: Int) -> Bool {
    guard self.isPending || evenIfActive else { return false }
    var new = RecordRules(
      kind: kind, period: period, base: base, secret: secret, isPending: isPending, enrolled: now * 1000)
    if kind == .hotp { new.last = Self.firstCounter - 1 }
    new.spent = spent
    if hasSpent, let last { new.spent[self.secret] = max(last, spent[self.secret] ?? last) }
    if let spent = new.spent[secret], new.last.map({ $0 < spent }) ?? true { (new.last, new.hasSpent) = (spent, true) }
    new.failures = failures == 100 && !isPending ? 0 : failures
    new.latest = latest
    self = new
    return true
  }

  /// What an attempt is refused with, if it must be.
  func refusal(at now: Int, under policy: Policy) -> Verdict? {
    guard let delay = delay(under: policy.attempts) else { return .locked(nil) }
    let end = (latest ?? time(at: now)) + delay
    guard delay > 0, time(at: now) < end else { return nil }
    return failures >= policy.attempts.failuresUntilLock ? .locked((end + 999) / 1000) : .wait((end + 999) / 1000)
  }

  // MARK: How

  /// The first step or counter that can be accepted.
  private var next: Int { (last ?? -1) + 1 }

  /// The highest counter that there is.
  private var highest: Int { Int(min(UInt64.max - base, UInt64(Int.max))) }

  /// The record's time, which does not run backward.
  private func time(at now: Int) -> Int { max(now * 1000, latest ?? now * 1000) }

  private func delay(under limit: AttemptLimit) -> Int? {
    func milliseconds(_ duration: Duration) -> Int { Int(duration / .milliseconds(1)) }
    let lock = limit.lockDuration.map(milliseconds)
    switch failures {
    case 100...: return nil
    case limit.failuresUntilLock...: return lock
    case ..<limit.firstDelayedFailure: return 0
    default:
      let doubled = (limit.firstDelayedFailure..<failures).reduce(milliseconds(limit.initialDelay)) { delay, _ in
        min(2 * delay, 86_400_000)
      }
      return min(doubled, lock ?? 86_400_000)
    }
  }

  /// Each attempt counts as a failure, until its code has been found right.
  private mutating func attempt(
    at now: Int, under policy: Policy, _ check: (inout RecordRules) -> Verdict
  ) -> Verdict {
    if let refusal = refusal(at: now, under: policy) { return refusal }
    latest = time(at: now)
    failures += 1
    let verdict = check(&self)
    if case .accepted = verdict {
      failures = 0
      acceptances += 1
    }
    return verdict
  }

  private mutating func check(_ typed: Typed, at now: Int, under policy: Policy) -> Verdict {
    switch (kind, typed) {
    case (.recoveryCodes, .recoveryCode(let number)):
      guard let index = unused.firstIndex(of: number) else { return .rejected(.replayed) }
      unused.remove(at: index)
      return .accepted(number, drift: 0)
    case (.hotp, .code(let counter, of: secret)):
      guard counter <= highest else { return .rejected(.wrong) }
      if 0...policy.lookAhead ~= counter - next { return accept(counter) }
      return .rejected(last.map { $0 - 10...$0 ~= counter } ?? false ? .replayed : .wrong)
    case (.totp, .code(let step, of: secret)):
      let learned = clamped(self.learned, policy.driftLimit)
      let offset = step - (now / period + found + learned)
      switch offset {
      case ..<(-10), 11...: return .rejected(.wrong)
      case ..<(-policy.adjacentSteps): return .rejected(.late)
      case (policy.adjacentSteps + 1)...: return .rejected(.early)
      case _ where step < next: return .rejected(.replayed)
      default:
        self.learned = clamped(learned + offset, policy.driftLimit)
        return accept(step)
      }
    default: return .rejected(.wrong)
    }
  }

  private mutating func accept(_ code: Int) -> Verdict {
    (last, hasSpent) = (code, true)
    return .accepted(code, drift: found + learned)
  }

  private func clamped(_ drift: Int, _ limit: Int) -> Int { max(-limit, min(limit, drift)) }

  /// The last step that can be accepted at a time, whatever drift was learned by then.
  private func lastStep(at now: Int, under policy: Policy) -> Int {
    now / period + found + policy.driftLimit + policy.adjacentSteps
  }

  /// When the app shows the first code that was not spent after a loss, within two hours of it.
  private func endOfLoss(at now: Int, under policy: Policy) -> Int? {
    guard let loss, now < loss + 7200, next > lastStep(at: loss, under: policy) else { return nil }
    let shown = now / period + found + learned
    return shown < next ? (now / period + next - shown) * period : nil
  }
}
