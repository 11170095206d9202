// otp.h documents these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import COTP
internal import FactorRecord
internal import Keyring
internal import OTP

@c @implementation
public func otp_record_confirm(
  _ keyring: OpaquePointer?, _ subject: UnsafeRawPointer?, _ subject_len: Int, _ record: UnsafePointer<UInt8>?,
  _ record_len: Int, _ typed: UnsafePointer<CChar>?, _ typed_len: Int, _ now: Int64,
  _ policy: UnsafePointer<otp_record_policy>?, _ out: UnsafeMutablePointer<UInt8>?,
  _ out_len: UnsafeMutablePointer<Int>?, _ answer: UnsafeMutablePointer<otp_answer>?
) -> otp_status {
  unsafe submit(keyring, subject, subject_len, record, record_len, policy, out, out_len, answer) {
    (record, policy) throws(CallError) in
    let typed = try unsafe bytes(typed, typed_len)
    return try recordCall { () throws(FactorRecordError) in
      try unsafe record.confirm(typedUTF8: typed.span, at: FactorRecord.Clock(now), under: policy)
    }
  }
}

@c @implementation
public func otp_record_verify(
  _ keyring: OpaquePointer?, _ subject: UnsafeRawPointer?, _ subject_len: Int, _ record: UnsafePointer<UInt8>?,
  _ record_len: Int, _ typed: UnsafePointer<CChar>?, _ typed_len: Int, _ now: Int64,
  _ policy: UnsafePointer<otp_record_policy>?, _ out: UnsafeMutablePointer<UInt8>?,
  _ out_len: UnsafeMutablePointer<Int>?, _ answer: UnsafeMutablePointer<otp_answer>?
) -> otp_status {
  unsafe submit(keyring, subject, subject_len, record, record_len, policy, out, out_len, answer) {
    (record, policy) throws(CallError) in
    let typed = try unsafe bytes(typed, typed_len)
    return try recordCall { () throws(FactorRecordError) in
      try unsafe record.verify(typedUTF8: typed.span, at: FactorRecord.Clock(now), under: policy)
    }
  }
}

@c @implementation
public func otp_record_resynchronize(
  _ keyring: OpaquePointer?, _ subject: UnsafeRawPointer?, _ subject_len: Int, _ record: UnsafePointer<UInt8>?,
  _ record_len: Int, _ codes: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, _ now: Int64,
  _ policy: UnsafePointer<otp_record_policy>?, _ out: UnsafeMutablePointer<UInt8>?,
  _ out_len: UnsafeMutablePointer<Int>?, _ answer: UnsafeMutablePointer<otp_answer>?
) -> otp_status {
  unsafe submit(keyring, subject, subject_len, record, record_len, policy, out, out_len, answer) {
    (record, policy) throws(CallError) in
    let codes = try unsafe required(codes)
    guard 2...3 ~= count else { throw CallError(OTP_INVALID_ARGUMENT) }
    var typed: [SubmittedCode?] = []
    for index in 0..<count {
      guard let text = unsafe codes[index] else { throw CallError(OTP_INVALID_ARGUMENT) }
      typed.append(
        unsafe try? SubmittedCode(
          typedUTF8: UnsafeBufferPointer(cText: text).span, digits: record.digits ?? .six))
    }
    return try recordCall { () throws(FactorRecordError) in
      try record.resynchronize(typed, at: FactorRecord.Clock(now), under: policy)
    }
  }
}

/// Opens a record, submits what the user typed, and writes record and answer. If it fails, it writes that nothing was
/// accepted.
private func submit(
  _ keyring: OpaquePointer?, _ subject: UnsafeRawPointer?, _ subject_len: Int, _ record: UnsafePointer<UInt8>?,
  _ record_len: Int, _ policy: UnsafePointer<otp_record_policy>?, _ out: UnsafeMutablePointer<UInt8>?,
  _ out_len: UnsafeMutablePointer<Int>?, _ answer: UnsafeMutablePointer<otp_answer>?,
  _ body: (inout FactorRecord, FactorRecord.Policy) throws(CallError) -> FactorRecord.Answer
) -> otp_status {
  call { () throws(CallError) in
    let answer = try unsafe required(answer)
    let size = try unsafe answer.writableSize()
    let length = try unsafe required(out_len)
    guard unsafe !overlap(answer, size, out, length.pointee),
      unsafe !overlap(answer, size, length, MemoryLayout<Int>.size)
    else { throw CallError(OTP_INVALID_ARGUMENT) }
    do throws(CallError) {
      let policy = try unsafe recordPolicy(policy)
      var opened = try unsafe OpenedRecord(keyring, subject, subject_len, record, record_len)
      let outcome = try body(&opened.record, policy)
      let hasChanged = try unsafe opened.put(out, length)
      unsafe answer.write(otp_answer(outcome, hasChanged: hasChanged), size: size)
    } catch {
      unsafe answer.write(otp_answer(failed: error.status), size: size)
      throw error
    }
  }
}

extension otp_answer {
  init(failed status: otp_status) {
    self.init(
      size: 0, kind: OTP_ANSWER_REJECTED, status: status, reason: OTP_REASON_NONE, changed: 0, step: 0, drift: 0,
      has_until: 0, until: 0)
  }

  init(_ answer: FactorRecord.Answer, hasChanged: Bool) {
    self.init(failed: OTP_OK)
    changed = hasChanged ? 1 : 0
    switch answer {
    case .accepted(let acceptance), .enrolled(let acceptance):
      kind = answer.isAccepted ? OTP_ANSWER_ACCEPTED : OTP_ANSWER_ENROLLED
      step = acceptance.movingFactor
      drift = Int64(acceptance.driftSteps)
    case .rejected(let why): reason = otp_reason(UInt32(why.rawValue))
    case .wait(let end):
      kind = OTP_ANSWER_WAIT
      (has_until, until) = (1, end.unixTime)
    case .locked(let end):
      kind = OTP_ANSWER_LOCKED
      if let end { (has_until, until) = (1, end.unixTime) }
    }
  }
}

@c @implementation
public func otp_record_unlock(
  _ keyring: OpaquePointer?, _ subject: UnsafeRawPointer?, _ subject_len: Int, _ record: UnsafePointer<UInt8>?,
  _ record_len: Int, _ now: Int64, _ out: UnsafeMutablePointer<UInt8>?, _ out_len: UnsafeMutablePointer<Int>?
) -> otp_status {
  call { () throws(CallError) in
    var opened = try unsafe OpenedRecord(keyring, subject, subject_len, record, record_len)
    try recordCall { () throws(FactorRecordError) in try opened.record.unlock(at: now) }
    _ = try unsafe opened.put(out, out_len)
  }
}

@c @implementation
public func otp_record_spend(
  _ keyring: OpaquePointer?, _ subject: UnsafeRawPointer?, _ subject_len: Int, _ record: UnsafePointer<UInt8>?,
  _ record_len: Int, _ until: Int64, _ policy: UnsafePointer<otp_record_policy>?, _ out: UnsafeMutablePointer<UInt8>?,
  _ out_len: UnsafeMutablePointer<Int>?
) -> otp_status {
  call { () throws(CallError) in
    let policy = try unsafe recordPolicy(policy)
    var opened = try unsafe OpenedRecord(keyring, subject, subject_len, record, record_len)
    try recordCall { () throws(FactorRecordError) in try opened.record.spend(until: until, under: policy) }
    _ = try unsafe opened.put(out, out_len)
  }
}

@c @implementation
public func otp_record_reseal(
  _ keyring: OpaquePointer?, _ subject: UnsafeRawPointer?, _ subject_len: Int, _ record: UnsafePointer<UInt8>?,
  _ record_len: Int, _ out: UnsafeMutablePointer<UInt8>?, _ out_len: UnsafeMutablePointer<Int>?
) -> otp_status {
  call { () throws(CallError) in
    _ = try unsafe OpenedRecord(keyring, subject, subject_len, record, record_len).put(out, out_len)
  }
}

@c @implementation
public func otp_answer_kind_string(_ kind: otp_answer_kind) -> UnsafePointer<CChar>? {
  let text: StaticString =
    switch kind {
    case OTP_ANSWER_REJECTED: "rejected"
    case OTP_ANSWER_ACCEPTED: "accepted"
    case OTP_ANSWER_ENROLLED: "enrolled"
    case OTP_ANSWER_WAIT: "wait"
    case OTP_ANSWER_LOCKED: "locked"
    default: "unknown"
    }
  return unsafe text.cString
}

@c @implementation
public func otp_reason_string(_ reason: otp_reason) -> UnsafePointer<CChar>? {
  let text: StaticString =
    switch reason {
    case OTP_REASON_NONE: "none"
    case OTP_REASON_MALFORMED: "malformed"
    case OTP_REASON_WRONG: "wrong"
    case OTP_REASON_REPLAYED: "replayed"
    case OTP_REASON_LATE: "late"
    case OTP_REASON_EARLY: "early"
    case OTP_REASON_PENDING: "pending"
    case OTP_REASON_CONFIRMED: "confirmed"
    case OTP_REASON_DISABLED: "disabled"
    case OTP_REASON_USED_UP: "used up"
    default: "unknown"
    }
  return unsafe text.cString
}

@c @implementation
public func otp_record_info(
  _ keyring: OpaquePointer?, _ subject: UnsafeRawPointer?, _ subject_len: Int, _ record: UnsafePointer<UInt8>?,
  _ record_len: Int, _ out: UnsafeMutablePointer<otp_record_details>?
) -> otp_status {
  call { () throws(CallError) in
    let out = try unsafe required(out)
    let size = try unsafe out.writableSize()
    let opened = try unsafe OpenedRecord(keyring, subject, subject_len, record, record_len)
    var details = try otp_record_details(opened.record)
    put(try opened.keyName(), into: &details.key_name)
    unsafe out.write(details, size: size)
  }
}

extension otp_record_details {
  fileprivate init(_ record: FactorRecord) throws(CallError) {
    self.init()
    kind = otp_record_kind(UInt32(record.kind.rawValue))
    is_pending = record.isPending ? 1 : 0
    hash = (record.algorithm ?? .sha1).hash
    digits = UInt32(record.digits?.rawValue ?? 0)
    period = record.timeStep?.period ?? 0
    t0 = record.timeStep?.t0 ?? 0
    has_weak_secret = record.hasWeakSecret ? 1 : 0
    has_last_accepted = record.lastAcceptedMovingFactor == nil ? 0 : 1
    last_accepted = record.lastAcceptedMovingFactor ?? 0
    drift = Int64(record.driftSteps)
    failures = UInt64(record.failures)
    acceptances = UInt64(record.acceptances)
    enrollment_time = record.enrollmentTime
    has_last_attempt = record.lastAttemptTime == nil ? 0 : 1
    last_attempt_time = record.lastAttemptTime ?? 0
    unused_codes = record.unusedRecoveryCodes.reduce(0) { $1 <= 32 ? $0 | 1 << UInt32($1 - 1) : $0 }
  }
}
