import OTP

extension FactorRecord {
  /// Verifies two or three consecutive codes of a factor whose counter has run ahead (RFC 4226, section 7.4) or whose
  /// clock has drifted (RFC 6238, section 6), as one attempt. From then on, a single code is enough.
  ///
  /// - Parameters:
  ///   - typed: Two or three consecutive, unused codes, in the order in which the token showed them, submitted while it
  ///     shows the last of them or a moment later.
  ///   - unixTime: The server's time, in seconds since 1970.
  ///   - policy: How far the codes are searched for, and how many attempts may fail.
  /// - Returns: ``Answer/accepted(_:)`` with the last code's step or counter, or why not.
  /// - Throws: ``FactorRecordError`` with `anotherKind` for recovery codes, `invalidTime` or `cryptographyFailed`.
  ///   The attempt stays counted in this value.
  ///
  /// Timing: depends on the policy and on whether the codes are accepted.
  public mutating func resynchronize(
    _ typed: [String], at unixTime: Int64, under policy: Policy = .standard
  ) throws(FactorRecordError) -> Answer {
    let codes = typed.map { text in try? SubmittedCode(typed: text, digits: digits ?? .six) }
    return try resynchronize(codes, at: Clock(unixTime), under: policy)
  }

  /// The same for codes of the record's digits, `nil` for what is not a code, with the time by which delays and locks
  /// count.
  package mutating func resynchronize(
    _ typed: [SubmittedCode?], at clock: Clock, under policy: Policy
  ) throws(FactorRecordError) -> Answer {
    guard let secret else { throw FactorRecordError(.anotherKind) }
    guard !isPending else { return .rejected(.pending) }
    let codes = typed.compactMap { code in code }
    guard codes.count == typed.count, 2...3 ~= codes.count else { return .rejected(.malformed) }
    guard !secret.isTimeBased || policy.resynchronizationSteps > 0 else { return .rejected(.disabled) }
    return try attempt(at: clock, under: policy) { (record) throws(FactorRecordError) in
      do throws(OTPError) {
        switch try record.search(codes, secret, at: clock.seconds, under: policy) {
        case .accepted(let movingFactor, let offset):
          record.spend(movingFactor)
          // The token now shows the last of the codes, so its offset is how far the clock is ahead.
          let drift = Drift(found: secret.isTimeBased ? offset : 0)
          return .accepted(Acceptance(movingFactor: movingFactor, drift: drift))
        case .replayed: return .rejected(.replayed)
        case .rejected: return .rejected(.wrong)
        }
      } catch {
        return try Self.rejection(after: error)
      }
    }
  }

  private func search(
    _ codes: [SubmittedCode], _ secret: FactorSecret, at unixTime: Int64, under policy: Policy
  ) throws(OTPError) -> Verification {
    let third = codes.count == 3 ? codes[2] : nil
    let key = try HMACKey(secret.secret, algorithm: secret.algorithm)
    guard !secret.isTimeBased else {
      return try TOTP(key: key, digits: secret.digits, timeStep: secret.timeStep).resynchronize(
        codes[0], codes[1], third, at: unixTime, steps: policy.resynchronizationSteps, after: lastAccepted)
    }
    guard let next = nextCounter else { return .rejected }
    return try HOTP(key: key, digits: secret.digits).resynchronize(
      codes[0], codes[1], third, counter: next, lookAhead: policy.resynchronizationLookAhead)
  }
}
