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
  /// - Throws: ``FactorRecordError`` with `invalidTime`, or with `cryptographyFailed`: the attempt then stays counted
  ///   in this value.
  ///
  /// Timing: depends on whether the code is accepted, not on why it is rejected, nor on the secret.
  public mutating func verify(
    _ typed: String, at unixTime: Int64, under policy: Policy = .standard
  ) throws(FactorRecordError) -> Answer {
    try verify(typed, at: unixTime, notBefore: .min, under: policy)
  }

  /// The same for text given as UTF-8.
  public mutating func verify(
    typedUTF8 typed: Span<UInt8>, at unixTime: Int64, under policy: Policy = .standard
  ) throws(FactorRecordError) -> Answer {
    try verify(typedUTF8: typed, at: try Clock(unixTime), under: policy)
  }

  /// The same, with a time in milliseconds that delays and locks have at least reached, by other machines' clocks.
  package mutating func verify(
    _ typed: String, at unixTime: Int64, notBefore milliseconds: Int64, under policy: Policy
  ) throws(FactorRecordError) -> Answer {
    let clock = try Clock(unixTime, notBefore: milliseconds)
    return try withUTF8(of: typed) { (typed) throws(FactorRecordError) in
      try verify(typedUTF8: typed, at: clock, under: policy)
    }
  }

  private mutating func verify(
    typedUTF8 typed: Span<UInt8>, at clock: Clock, under policy: Policy
  ) throws(FactorRecordError) -> Answer {
    guard !isPending else { return .rejected(.pending) }
    switch content {
    case .secret(let secret):
      guard let code = try? SubmittedCode(typedUTF8: typed, digits: secret.digits) else {
        return .rejected(.malformed)
      }
      if let end = lossEnd(at: clock.seconds, under: policy) { return .wait(until: end) }
      return try attempt(at: clock, under: policy) { (record) throws(FactorRecordError) in
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
    at clock: Clock, under policy: Policy,
    _ check: (inout FactorRecord) throws(FactorRecordError) -> Match
  ) throws(FactorRecordError) -> Answer {
    let now = now(clock.milliseconds)
    if let refusal = refusal(now: now, under: policy.attempts) { return refusal }
    _ = attempts.begin(at: now, under: policy.attempts)
    switch try check(&self) {
    case .rejected(let reason): return .rejected(reason)
    case .accepted(let movingFactor, let drift):
      self.drift = drift
      attempts.succeed()
      return .accepted(Acceptance(movingFactor: movingFactor, drift: driftSteps))
    }
  }

  /// Spends the codes of all steps or counters up to one.
  package mutating func spend(_ movingFactor: UInt64) {
    lastAccepted = movingFactor
    hasAccepted = true
  }
}

/// The time by the server's clock, and the one by which delays and locks count.
struct Clock {
  let seconds: Int64
  let milliseconds: Int64

  init(_ unixTime: Int64, notBefore milliseconds: Int64 = .min) throws(FactorRecordError) {
    seconds = unixTime
    self.milliseconds = max(milliseconds, try Milliseconds.of(unixTime))
  }
}

/// Lends the UTF-8 of a text.
func withUTF8<R>(
  of text: String, _ body: (Span<UInt8>) throws(FactorRecordError) -> R
) throws(FactorRecordError) -> R {
  var text = text
  // The closure returns a `Result`, since the method rethrows without a typed error.
  return try text.withUTF8 { utf8 -> Result<R, FactorRecordError> in
    do throws(FactorRecordError) { return .success(try body(unsafe utf8.span)) } catch { return .failure(error) }
  }.get()
}
