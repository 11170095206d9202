import OTP

extension FactorRecord {
  /// Verifies what a user typed to sign in: counts the attempt, checks the code, and spends it.
  ///
  /// - Parameters:
  ///   - typed: A code as `SubmittedCode(typed:digits:)` reads it, or a recovery code in either case, with or without
  ///     hyphens and spaces.
  ///   - unixTime: The server's time, in seconds since 1970.
  ///   - policy: Which codes are accepted, and how many wrong ones.
  /// - Returns: ``Answer/accepted(_:)``, or why not. During a delay or lock, nothing is looked at and nothing changes.
  /// - Throws: ``FactorRecordError`` with `invalidTime`, or with `cryptographyFailed`: if a code was looked at by then,
  ///   the attempt stays counted in this value.
  ///
  /// Timing: depends on whether the code is accepted, not on why it is rejected, nor on the secret.
  public mutating func verify(
    _ typed: String, at unixTime: Int64, under policy: Policy = .standard
  ) throws(FactorRecordError) -> Answer {
    let clock = try Clock(unixTime)
    return try withUTF8(of: typed) { (typed) throws(FactorRecordError) in
      try verify(typedUTF8: typed, at: clock, under: policy)
    }
  }

  /// The same for text given as UTF-8, with the time by which delays and locks count.
  package mutating func verify(
    typedUTF8 typed: Span<UInt8>, at clock: Clock, under policy: Policy
  ) throws(FactorRecordError) -> Answer {
    guard !isPending else { return .rejected(.pending) }
    switch content {
    case .secret(let secret):
      guard let code = try? SubmittedCode(typedUTF8: typed, digits: secret.digits) else {
        return .rejected(.malformed)
      }
      let lossEnd = lossEnd(at: clock.seconds, under: policy)
      return try attempt(at: clock, under: policy, lossEnd: lossEnd) { (record) throws(FactorRecordError) in
        try record.match(code, secret, at: clock.seconds, under: policy)
      }
    case .recoveryCodes:
      guard !unusedRecoveryCodes.isEmpty else { return .rejected(.usedUp) }
      guard let tag = try RecoveryCode.tag(ofTypedUTF8: typed) else { return .rejected(.malformed) }
      return try attempt(at: clock, under: policy) { record in record.take(tag) }
    }
  }

  /// Counts an attempt, if one may be made, before its code is checked, and clears the failures after a success.
  mutating func attempt(
    at clock: Clock, under policy: Policy, lossEnd: Int64? = nil,
    _ check: (inout FactorRecord) throws(FactorRecordError) -> Answer
  ) throws(FactorRecordError) -> Answer {
    let now = now(clock.milliseconds)
    if let refusal = refusal(now: now, under: policy.attempts) { return refusal }
    if let lossEnd { return .wait(until: RetryTime(endOfLoss: lossEnd)) }
    _ = attempts.begin(at: now, under: policy.attempts)
    let answer = try check(&self)
    if case .accepted(let acceptance) = answer {
      drift = acceptance.drift
      attempts.succeed()
    }
    return answer
  }

  /// Spends the codes of all steps or counters up to one.
  package mutating func spend(_ movingFactor: UInt64) {
    lastAccepted = movingFactor
    hasAccepted = true
  }

  /// The time by the server's clock, and the one by which delays and locks count.
  package struct Clock {
    let seconds: Int64
    let milliseconds: Int64

    /// - Parameter milliseconds: A time that delays and locks have at least reached, by other machines' clocks.
    /// - Throws: ``FactorRecordError`` with `invalidTime`.
    package init(_ unixTime: Int64, notBefore milliseconds: Int64 = .min) throws(FactorRecordError) {
      seconds = unixTime
      self.milliseconds = max(milliseconds, try Milliseconds.of(unixTime))
    }
  }
}
