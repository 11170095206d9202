public import COTP
internal import COTPSupport
internal import FactorRecord
internal import Keyring
internal import OTP

/// A record that C has passed, opened.
@safe struct OpenedRecord {
  var record: FactorRecord
  private let keyring: Keyring?
  // The caller's memory, which is there until the function returns, and is written to only at its end.
  private let subject: UnsafeBufferPointer<UInt8>
  /// What the record was opened from; empty for a new one.
  private let bytes: UnsafeBufferPointer<UInt8>
  /// The same opened, if the keyring seals.
  private let opened: (kind: FactorRecord.Kind, content: Opened)?

  /// Opens a record.
  init(
    _ keyring: OpaquePointer?, _ subject: UnsafeRawPointer?, _ subjectCount: Int, _ record: UnsafePointer<UInt8>?,
    _ count: Int
  ) throws(CallError) {
    probeStack()
    let keyring = try unsafe RecordKeyring.lent(keyring).keyring
    let subject = try unsafe subjectBytes(subject, subjectCount)
    let bytes = try unsafe LibOTP.bytes(record, count)
    // A keyring that does not seal checks no subject, either: a caller that seals binds it.
    (self.record, opened) = try recordCall { () throws(FactorRecordError) in
      guard let keyring else { return (try unsafe FactorRecord(unsealed: bytes.span), nil) }
      let (record, content) = try unsafe FactorRecord.opened(bytes.span, by: keyring, for: subject.span)
      return (record, (record.kind, content))
    }
    self.keyring = keyring
    unsafe (self.subject, self.bytes) = (subject, bytes)
  }

  /// A new record, in place of the previous one, if there is one. Not inlined, as that takes less stack.
  @inline(never) init(
    new record: FactorRecord, replacing previous: UnsafePointer<UInt8>?, _ previousCount: Int, evenIfActive: Bool,
    _ keyring: OpaquePointer?, _ subject: UnsafeRawPointer?, _ subjectCount: Int
  ) throws(CallError) {
    guard try unsafe LibOTP.bytes(previous, previousCount).isEmpty else {
      self = try unsafe OpenedRecord(keyring, subject, subjectCount, previous, previousCount)
      do throws(FactorRecordError) { try self.record.replace(with: record, evenIfActive: evenIfActive) } catch {
        throw CallError(otp_status(error))
      }
      return
    }
    self.record = record
    self.keyring = try unsafe RecordKeyring.lent(keyring).keyring
    unsafe self.subject = try unsafe subjectBytes(subject, subjectCount)
    unsafe bytes = UnsafeBufferPointer(start: nil, count: 0)
    opened = nil
  }

  /// The name of the key that sealed it, or an empty text.
  func keyName() throws(CallError) -> String {
    guard keyring != nil else { return "" }
    return try recordCall { () throws(FactorRecordError) in try FactorRecord.sealingKeyName(of: unsafe Array(bytes)) }
  }

  /// Writes the record.
  ///
  /// - Returns: Whether it differs from the one that was opened.
  func put(_ out: UnsafeMutablePointer<UInt8>?, _ length: UnsafeMutablePointer<Int>?) throws(CallError) -> Bool {
    let length = try unsafe required(length)
    let room = try unsafe room(out, length.pointee)
    if let keyring {
      let sealed = try recordCall { () throws(FactorRecordError) in
        try unsafe record.sealed(by: keyring, for: subject.span, unlessSameAs: opened)
      }
      if let sealed {
        try unsafe room.put(sealed.span, telling: length)
      } else {
        try unsafe room.put(bytes.span, telling: length)
      }
      return sealed != nil
    }
    return try record.withUnsealedBytes { (unsealed) throws(CallError) in
      // Before the record is written, which may be in the same memory.
      let isSame = unsafe unsealed.withUnsafeBufferPointer { unsealed in
        unsafe unsealed.count == bytes.count && otp_equal(unsealed.baseAddress, bytes.baseAddress, bytes.count) == 1
      }
      try unsafe room.put(unsealed, telling: length)
      return !isSame
    }
  }
}

/// Touches the stack that a function of a record takes, so that it is there or the process ends at its guard page.
private func probeStack() { _ = otp_probe_stack(Int(OTP_SCRATCH_BYTES)) }

private func subjectBytes(
  _ subject: UnsafeRawPointer?, _ count: Int
) throws(CallError) -> UnsafeBufferPointer<UInt8> {
  let bytes = try unsafe bytes(subject?.assumingMemoryBound(to: UInt8.self), count)
  guard 1...1024 ~= bytes.count else { throw CallError(OTP_INVALID_SUBJECT) }
  return unsafe bytes
}

/// Runs a closure that uses a record, and turns its errors into statuses.
func recordCall<R>(_ body: () throws(FactorRecordError) -> R) throws(CallError) -> R {
  do throws(FactorRecordError) { return try body() } catch { throw CallError(otp_status(error)) }
}

extension otp_status {
  fileprivate init(_ error: FactorRecordError) {
    self =
      switch error.kind {
      case .malformed: OTP_MALFORMED_RECORD
      case .laterVersion: OTP_LATER_RECORD
      case .wrongEncoding: OTP_WRONG_ENCODING
      case .anotherSubject: OTP_ANOTHER_SUBJECT
      case .anotherKind: OTP_ANOTHER_KIND
      case .unknownKey: OTP_UNKNOWN_KEY
      case .notAuthentic: OTP_NOT_AUTHENTIC
      case .invalidSubject: OTP_INVALID_SUBJECT
      case .invalidSecret: OTP_INVALID_SECRET
      case .notPending: OTP_NOT_PENDING
      case .enrolled: OTP_ENROLLED
      case .invalidName: OTP_INVALID_NAME
      case .invalidTime: OTP_INVALID_TIME
      case .randomnessUnavailable: OTP_RANDOMNESS_UNAVAILABLE
      case .cryptographyFailed: OTP_CRYPTOGRAPHY_FAILED
      // C cannot cause the others by anything but a number that is out of range.
      default: OTP_INVALID_ARGUMENT
      }
  }
}

/// The policy of a pointer from C, or the default one for NULL.
func recordPolicy(_ policy: UnsafePointer<otp_record_policy>?) throws(CallError) -> FactorRecord.Policy {
  guard let policy = try unsafe policy?.checked() else { return .standard }
  do throws(FactorRecordError) {
    return try FactorRecord.Policy(
      adjacentSteps: Int(policy.adjacent_steps), driftLimit: Int(policy.drift_limit),
      resynchronizationSteps: Int(policy.resynchronization_steps), lookAhead: Int(policy.look_ahead),
      resynchronizationLookAhead: Int(policy.resynchronization_look_ahead),
      attempts: AttemptLimit(
        failuresUntilLock: Int(policy.failures_until_lock),
        lockDuration: policy.lock_seconds == 0 ? nil : .seconds(policy.lock_seconds),
        firstDelayedFailure: Int(policy.first_delayed_failure), initialDelay: .seconds(policy.initial_delay_seconds)))
  } catch {
    throw CallError(OTP_INVALID_POLICY)
  }
}
