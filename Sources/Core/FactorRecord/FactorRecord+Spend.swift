import OTP

extension FactorRecord {
  /// Spends each TOTP code that may have been accepted up to a moment, with the record of it lost: after a backup was
  /// restored. Idempotent.
  ///
  /// For two hours, as long as the user's app shows a spent code, ``verify(_:at:under:)`` and ``confirm(_:at:under:)``
  /// ask to wait, and count nothing. What cannot be known: a resynchronization that was lost, by which later codes were
  /// right, the counters of HOTP, and recovery codes that were used. Records of these two kinds do not change.
  ///
  /// - Parameters:
  ///   - unixTime: The latest moment at which a server can have accepted a code, by the fastest of their clocks, in
  ///     seconds since 1970.
  ///   - policy: The policy under which codes were accepted.
  /// - Throws: ``FactorRecordError`` with `invalidTime`.
  public mutating func spend(until unixTime: Int64, under policy: Policy = .standard) throws(FactorRecordError) {
    _ = try Milliseconds.of(unixTime)
    spendSteps(until: unixTime, under: policy)
  }

  /// The same up to a moment that a store has dated.
  package mutating func spendSteps(until unixTime: Int64, under policy: Policy) {
    guard let last = lastStep(at: unixTime, under: policy) else { return }
    // What an import has stated is spent then, and stays so when the secret comes back.
    spend(max(lastAccepted ?? 0, last))
    if lossTime.map({ $0 < unixTime }) ?? true { lossTime = unixTime }
  }

  /// Clears the failures, which ends a delay or lock: for an administrator who has verified who is asking. A record
  /// that ``needsNewEnrollment`` stays locked.
  ///
  /// - Parameter unixTime: The time, in seconds since 1970. A latest attempt after it, which only a wrong clock can
  ///   have dated, is forgotten: delays and locks would count from it.
  /// - Throws: ``FactorRecordError`` with `invalidTime`.
  public mutating func unlock(at unixTime: Int64) throws(FactorRecordError) {
    attempts.unlock(at: try Milliseconds.of(unixTime))
  }

  /// The last step whose code can be accepted at a moment, whatever drift was learned by then; `nil` for factors other
  /// than TOTP.
  package func lastStep(at unixTime: Int64, under policy: Policy) -> UInt64? {
    guard let secret, secret.isTimeBased else { return nil }
    let ahead = drift.found &+ policy.driftLimit &+ policy.adjacentSteps
    return try? secret.timeStep.number(at: Self.shifted(unixTime, by: ahead, secret.timeStep))
  }

  /// When the user's app shows the first code that was not spent after a loss; `nil` if it shows one already, for
  /// factors other than TOTP, and long after the loss.
  ///
  /// Another process may have dated the loss up to an hour later, and spent more.
  ///
  /// - Throws: ``FactorRecordError`` with `invalidTime`.
  public func endOfLoss(at unixTime: Int64, under policy: Policy = .standard) throws(FactorRecordError) -> Int64? {
    _ = try Milliseconds.of(unixTime)
    return lossEnd(at: unixTime, under: policy)
  }

  /// The same at any time.
  package func lossEnd(at unixTime: Int64, under policy: Policy) -> Int64? {
    guard let secret, let lossTime, let lost = lastStep(at: lossTime, under: policy), let spent = lastAccepted,
      spent >= lost, unixTime < lossTime || unixTime &- lossTime < 2 * 3600
    else { return nil }
    // What the app shows does not depend on the policy of whoever asks.
    let time = Self.shifted(unixTime, by: drift.found &+ drift.learned, secret.timeStep)
    guard let current = try? secret.timeStep.number(at: time), current <= spent else { return nil }
    let (wait, isTooLong) = secret.timeStep.period.multipliedReportingOverflow(by: Int64(clamping: spent - current))
    let rest = (try? secret.timeStep.secondsRemaining(at: time)) ?? 0
    let (later, isTooLate) = unixTime.addingReportingOverflow(wait)
    let (end, isBeyond) = later.addingReportingOverflow(rest)
    return isTooLong || isTooLate || isBeyond ? nil : end
  }
}
