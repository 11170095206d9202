import Keyring
import OTP

extension FactorRecord {
  /// Enrolls a TOTP factor, for an authenticator app.
  ///
  /// - Parameters:
  ///   - secret: The secret, of at most 1,024 bytes; `nil` for a new one, as long as the algorithm's tag.
  ///   - algorithm: The hash function. Many apps ignore any other than SHA-1.
  ///   - digits: How many digits a code has.
  ///   - timeStep: The steps.
  ///   - lastAcceptedStep: For a factor from another system, the step that was accepted last, if known, so that its
  ///     code is not accepted again.
  ///   - failures: For a factor from another system, how many attempts have failed since the last success there. The
  ///     latest counts as made now, since delays need a time.
  ///   - isPending: Whether a code must confirm the enrollment. Only a factor that was confirmed elsewhere is not
  ///     pending.
  ///   - unixTime: The time, in seconds since 1970.
  /// - Throws: ``FactorRecordError`` with `invalidSecret`, `invalidTime` or `randomnessUnavailable`.
  public static func totp(
    secret: OTPSecret? = nil, algorithm: HashAlgorithm = .sha1, digits: OTPCode.Digits = .six,
    timeStep: TimeStep? = nil, lastAcceptedStep: UInt64? = nil, failures: Int = 0, isPending: Bool = true,
    at unixTime: Int64
  ) throws(FactorRecordError) -> FactorRecord {
    let secret = FactorSecret(
      isTimeBased: true, secret: try secret.orRandom(for: algorithm), algorithm: algorithm, digits: digits,
      timeStep: timeStep ?? .standard)
    return try FactorRecord(secret, failures, isPending: isPending, lastAccepted: lastAcceptedStep, at: unixTime)
  }

  /// Enrolls an HOTP factor, for a hardware token.
  ///
  /// - Parameters:
  ///   - secret: The secret, of at most 1,024 bytes; `nil` for a new one, as long as the algorithm's tag.
  ///   - algorithm: The hash function.
  ///   - digits: How many digits a code has.
  ///   - counter: The first counter whose code is accepted.
  ///   - failures: For a factor from another system, how many attempts have failed since the last success there. The
  ///     latest counts as made now, since delays need a time.
  ///   - isPending: Whether a code must confirm the enrollment. Only a factor that was confirmed elsewhere is not
  ///     pending.
  ///   - unixTime: The time, in seconds since 1970.
  /// - Throws: ``FactorRecordError`` with `invalidSecret`, `invalidTime` or `randomnessUnavailable`.
  public static func hotp(
    secret: OTPSecret? = nil, algorithm: HashAlgorithm = .sha1, digits: OTPCode.Digits = .six, counter: UInt64 = 0,
    failures: Int = 0, isPending: Bool = true, at unixTime: Int64
  ) throws(FactorRecordError) -> FactorRecord {
    let secret = FactorSecret(
      isTimeBased: false, secret: try secret.orRandom(for: algorithm), algorithm: algorithm, digits: digits)
    let last = counter == 0 ? nil : counter - 1
    return try FactorRecord(secret, failures, isPending: isPending, lastAccepted: last, at: unixTime)
  }

  private init(
    _ secret: FactorSecret, _ failures: Int, isPending: Bool, lastAccepted: UInt64?, at unixTime: Int64
  ) throws(FactorRecordError) {
    guard secret.secret.byteCount <= FactorSecret.maximumByteCount else { throw FactorRecordError(.invalidSecret) }
    let now = try Milliseconds.of(unixTime)
    self.init(.secret(secret), isPending: isPending, enrollmentMilliseconds: now, lastAccepted: lastAccepted)
    if failures > 0 { attempts = Attempts(failures: UInt64(failures), latest: now) }
  }

  /// The `otpauth://` URI of a pending factor, secret included: show it only to the user who enrolls, as a QR code.
  /// Once the enrollment is confirmed, no function returns it.
  ///
  /// - Parameters:
  ///   - issuer: What the app shows for the service, without a colon.
  ///   - account: What the app shows for the account: not empty, without a colon, not beginning with a space.
  /// - Throws: ``FactorRecordError`` with `notPending`, `anotherKind`, or `invalidName` also if the URI would be too
  ///   long.
  public func keyURI(issuer: String, account: String) throws(FactorRecordError) -> OTPAuthURI {
    guard let secret else { throw FactorRecordError(.anotherKind) }
    guard isPending else { throw FactorRecordError(.notPending) }
    let kind: OTPAuthURI.Kind =
      secret.isTimeBased ? .totp(period: secret.timeStep.period) : .hotp(counter: nextCounter ?? .max)
    do throws(OTPError) {
      return try OTPAuthURI(
        kind, secret: secret.secret, issuer: issuer, account: account, algorithm: secret.algorithm,
        digits: secret.digits)
    } catch {
      throw FactorRecordError(.invalidName)
    }
  }

  /// Confirms the enrollment of a pending factor by a code, which is spent.
  ///
  /// A failure is not counted: the user has been shown the secret.
  ///
  /// - Parameters:
  ///   - typed: What the user typed.
  ///   - unixTime: The server's time, in seconds since 1970.
  ///   - policy: Which codes are accepted.
  /// - Returns: ``Answer/enrolled(_:)``, or why not. Sign-ins begin with the next code.
  /// - Throws: ``FactorRecordError`` with `invalidTime` or `cryptographyFailed`.
  ///
  /// Timing: as ``verify(_:at:under:)``.
  public mutating func confirm(
    _ typed: String, at unixTime: Int64, under policy: Policy = .standard
  ) throws(FactorRecordError) -> Answer {
    let clock = try Clock(unixTime)
    return try withUTF8(of: typed) { (typed) throws(FactorRecordError) in
      try confirm(typedUTF8: typed, at: clock, under: policy)
    }
  }

  /// The same for text given as UTF-8, with the time that other machines' clocks have reached.
  package mutating func confirm(
    typedUTF8 typed: Span<UInt8>, at clock: Clock, under policy: Policy
  ) throws(FactorRecordError) -> Answer {
    guard isPending else { return .rejected(.confirmed) }
    guard let secret, let code = try? SubmittedCode(typedUTF8: typed, digits: secret.digits) else {
      return .rejected(.malformed)
    }
    if let end = lossEnd(at: clock.seconds, under: policy) {
      return .wait(until: RetryTime(endOfLoss: end))
    }
    let answer = try match(code, secret, at: clock.seconds, under: policy)
    guard case .accepted(let acceptance) = answer else { return answer }
    isPending = false
    enrollmentMilliseconds = now(clock.milliseconds)
    attempts.failures = 0
    return .enrolled(Acceptance(movingFactor: acceptance.movingFactor, drift: drift))
  }

  /// Replaces the factor with a newly enrolled one. The failures stay counted until a code confirms the new one, unless
  /// it was confirmed elsewhere and this one ``needsNewEnrollment``; if the new one states more, those count. What was
  /// spent stays spent, also of secrets that were replaced before, if one of them comes back.
  ///
  /// - Parameters:
  ///   - new: The new factor.
  ///   - evenIfActive: Whether to replace a factor that works, which its user can no longer sign in with. A pending one
  ///     is always replaced, and so are recovery codes by new ones.
  /// - Throws: ``FactorRecordError`` with `enrolled` if this one is active, or `cryptographyFailed`.
  public mutating func replace(with new: FactorRecord, evenIfActive: Bool = false) throws(FactorRecordError) {
    let isNewList = kind == .recoveryCodes && new.kind == .recoveryCodes
    guard isPending || isNewList || evenIfActive else { throw FactorRecordError(.enrolled) }
    var new = new
    try new.takeSpent(of: self)
    let isNewStart = attempts.needNewEnrollment && !new.isPending
    new.attempts.failures = max(new.attempts.failures, isNewStart ? 0 : attempts.failures)
    new.attempts.acceptances = 0
    if let latest = attempts.latest { new.attempts.latest = max(new.attempts.latest ?? latest, latest) }
    new.origin = origin
    self = new
  }
}

extension OTPSecret? {
  /// The secret, or a new one.
  fileprivate func orRandom(for algorithm: HashAlgorithm) throws(FactorRecordError) -> OTPSecret {
    if let self { return self }
    do throws(OTPError) { return try OTPSecret.random(for: algorithm) } catch {
      throw FactorRecordError(.randomnessUnavailable)
    }
  }
}
