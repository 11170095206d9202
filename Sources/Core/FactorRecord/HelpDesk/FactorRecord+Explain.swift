import Keyring
import OTP

extension FactorRecord {
  /// What a code is to a record, for an administrator whose user says that a code is not accepted.
  public struct Explanation: Sendable, Hashable {
    /// The likeliest cause.
    @nonexhaustive public enum Cause: String, Sendable, Hashable, CaseIterable {
      /// The code would be accepted now, unless ``FactorRecord/Explanation/refusal`` says that no code is.
      case right
      /// It is a code of the window or counter that was accepted or is before one that was, or a recovery code that was
      /// used.
      case replayed
      /// It is the code of a step before the window, spent or not.
      case late
      /// It is the code of a step after the window, or of a counter beyond the look-ahead.
      case early
      /// It is what an app shows that computes with another hash function, number of digits or period.
      case parameters
      /// Nothing that was searched has this code.
      case wrong
      /// The text is not a code of this kind of factor.
      case malformed
    }

    /// The likeliest cause.
    public let cause: Cause
    /// How the app computes, and what that says of its clock; `nil` if the code was not found, and for recovery codes.
    public let diagnosis: Diagnosis?
    /// The code's step or counter, or the number of the recovery code; `nil` if it was not found.
    public let movingFactor: UInt64?
    /// How many steps the code is after the current one by the server's clock, or how many counters after the next
    /// expected one; negative before it, and 0 if it was not found.
    public let offset: Int64
    /// Whether failures keep any code from being accepted: `wait` or `locked`, or `nil` if they do not.
    public let refusal: Answer?
    /// Whether the factor stays locked until the user enrolls again.
    public let needsNewEnrollment: Bool
    /// When the app shows the first code that was not spent after a loss of changes; `nil` if it shows one already.
    public let lossEnd: Int64?
    /// About one in this many wrong codes is explained like this, by accident; `nil` if the code was not found, and for
    /// recovery codes.
    public let odds: Int?
    /// Whether that is likelier than one in 1,000: ask for the next code before you act on the cause.
    public var isGuess: Bool { odds.map(Diagnosis.isGuess) ?? false }
  }

  /// Explains a code to an administrator, never to a client: it answers without counting an attempt, and far beyond the
  /// window.
  ///
  /// The code is looked for with all three hash functions, and with periods of 30 and 60 seconds beside the record's
  /// own, up to a day either way, or 2,880 steps of a period under 30 seconds; HOTP 1,000 counters ahead and back. That
  /// is at most some 43,000 codes. The record does not change.
  ///
  /// - Parameters:
  ///   - typed: What the user typed.
  ///   - unixTime: When it was typed, by the server's clock, in seconds since 1970.
  ///   - policy: The policy under which the server verifies.
  /// - Throws: ``FactorRecordError`` with `invalidTime` or `cryptographyFailed`.
  ///
  /// Timing: depends on what explains the code.
  public func explain(
    _ typed: String, at unixTime: Int64, under policy: Policy = .standard
  ) throws(FactorRecordError) -> Explanation {
    try withUTF8(of: typed) { (typed) throws(FactorRecordError) in
      try explain(typedUTF8: typed, at: unixTime, under: policy)
    }
  }

  /// The same for text given as UTF-8.
  package func explain(
    typedUTF8 typed: Span<UInt8>, at unixTime: Int64, under policy: Policy
  ) throws(FactorRecordError) -> Explanation {
    let refusal = try refusal(at: unixTime, under: policy)
    let state = State(
      // Failures do not keep a code from confirming an enrollment.
      refusal: isPending ? nil : refusal, needsNewEnrollment: needsNewEnrollment,
      lossEnd: lossEnd(at: unixTime, under: policy))
    switch content {
    case .secret(let secret):
      guard let code = Self.code(typed) else { return Explanation(.malformed, state) }
      do throws(OTPError) { return try explain(code, secret, at: unixTime, under: policy, state) } catch {
        throw FactorRecordError(.cryptographyFailed)
      }
    case .recoveryCodes(let codes):
      guard let tag = try RecoveryCode.tag(ofTypedUTF8: typed) else { return Explanation(.malformed, state) }
      let code = codes.first { equalInConstantTime($0.tag, tag) }
      return Explanation(
        code.map { $0.isUsed ? .replayed : .right } ?? .wrong, state, movingFactor: code.map { UInt64($0.number) })
    }
  }

  private func explain(
    _ code: SubmittedCode, _ secret: FactorSecret, at unixTime: Int64, under policy: Policy, _ state: State
  ) throws(OTPError) -> Explanation {
    // What an app of other parameters shows is found before an old counter, of which there are as many.
    guard let found = try search(for: code, secret, at: unixTime, within: 24 * 3600) else {
      return try explainUsedCounter(code, secret, state) ?? Explanation(.wrong, state)
    }
    let isOwn =
      found.algorithm == secret.algorithm && found.digits == secret.digits
      && (found.period == secret.timeStep.period || !secret.isTimeBased)
    // The search begins with the highest counter, if it is spent.
    if isOwn, !secret.isTimeBased, nextCounter == nil {
      return try explainUsedCounter(code, secret, state) ?? Explanation(.wrong, state)
    }
    let cause: Explanation.Cause =
      switch found.movingFactor {
      case _ where !isOwn: .parameters
      case let counter where !secret.isTimeBased:
        counter - (nextCounter ?? counter) <= UInt64(clamping: policy.lookAhead) ? .right : .early
      case let step: placed(step, secret, at: unixTime, under: policy)
      }
    return Explanation(
      cause, state, diagnosis: Diagnosis(found, secret), movingFactor: found.movingFactor, offset: found.offset,
      odds: found.odds)
  }

  /// Where a step is in the window, which the learned drift shifts, and whether it is spent there.
  private func placed(
    _ step: UInt64, _ secret: FactorSecret, at unixTime: Int64, under policy: Policy
  ) -> Explanation.Cause {
    let learned = max(-policy.driftLimit, min(policy.driftLimit, drift.learned))
    let time = Self.shifted(unixTime, by: drift.found &+ learned, secret.timeStep)
    guard let current = try? secret.timeStep.number(at: time) else { return .early }
    let distance = step > current ? step - current : current - step
    if distance <= UInt64(clamping: policy.adjacentSteps) {
      return lastAccepted.map { step <= $0 } ?? false ? .replayed : .right
    }
    return step < current ? .late : .early
  }

  /// Looks for an HOTP code among the latest 1,000 counters that are spent.
  private func explainUsedCounter(
    _ code: SubmittedCode, _ secret: FactorSecret, _ state: State
  ) throws(OTPError) -> Explanation? {
    guard !secret.isTimeBased, code.digits == secret.digits, let last = lastAccepted else { return nil }
    let past = min(last, 1000)
    let hotp = try HOTP(secret: secret.secret, algorithm: secret.algorithm, digits: secret.digits)
    guard case .accepted(let counter, _) = try hotp.verify(code, counter: last - past, lookAhead: Int(past)) else {
      return nil
    }
    let found = Found(
      algorithm: secret.algorithm, digits: secret.digits, period: 0, movingFactor: counter,
      offset: -1 - Int64(last - counter), comparedCount: 4 * 1001)
    return Explanation(.replayed, state, movingFactor: counter, offset: found.offset, odds: found.odds)
  }
}

extension FactorRecord {
  /// What keeps a code from being accepted, whichever it is.
  fileprivate struct State {
    let refusal: Answer?
    let needsNewEnrollment: Bool
    let lossEnd: Int64?
  }
}

extension FactorRecord.Explanation {
  fileprivate init(
    _ cause: Cause, _ state: FactorRecord.State, diagnosis: FactorRecord.Diagnosis? = nil,
    movingFactor: UInt64? = nil, offset: Int64 = 0, odds: Int? = nil
  ) {
    self.init(
      cause: cause, diagnosis: diagnosis, movingFactor: movingFactor, offset: offset, refusal: state.refusal,
      needsNewEnrollment: state.needsNewEnrollment, lossEnd: state.lossEnd, odds: odds)
  }
}
