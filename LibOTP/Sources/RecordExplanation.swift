// otp.h documents these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import COTP
internal import FactorRecord
internal import OTP

@c @implementation
public func otp_record_explain(
  _ keyring: OpaquePointer?, _ subject: UnsafeRawPointer?, _ subject_len: Int, _ record: UnsafePointer<UInt8>?,
  _ record_len: Int, _ typed: UnsafePointer<CChar>?, _ typed_len: Int, _ now: Int64,
  _ policy: UnsafePointer<otp_record_policy>?, _ out: UnsafeMutablePointer<otp_explanation>?
) -> otp_status {
  call { () throws(CallError) in
    let out = try unsafe required(out)
    let size = try unsafe out.writableSize()
    let typed = try unsafe bytes(typed, typed_len)
    let policy = try unsafe recordPolicy(policy)
    let opened = try unsafe OpenedRecord(keyring, subject, subject_len, record, record_len)
    let explanation = try recordCall { () throws(FactorRecordError) in
      try unsafe opened.record.explain(typedUTF8: typed.span, at: now, under: policy)
    }
    unsafe out.write(otp_explanation(explanation, of: opened.record), size: size)
  }
}

extension otp_explanation {
  fileprivate init(_ explanation: FactorRecord.Explanation, of record: FactorRecord) {
    self = default_explanation
    cause = otp_cause(explanation.cause)
    if let movingFactor = explanation.movingFactor {
      (found, step, offset) = (1, movingFactor, explanation.offset)
    }
    if found == 1, let algorithm = record.algorithm, let ownDigits = record.digits {
      // There is no diagnosis of a counter that was used.
      let diagnosis = explanation.diagnosis
      hash = (diagnosis?.algorithm ?? algorithm).hash
      digits = UInt32((diagnosis?.digits ?? ownDigits).rawValue)
      period = record.timeStep == nil ? 0 : diagnosis?.period ?? 0
      clock_offset = diagnosis?.clockOffset ?? 0
      odds = UInt64(explanation.odds ?? 0)
    }
    switch explanation.refusal {
    case .wait(let end): (refusal, has_until, until) = (OTP_ANSWER_WAIT, 1, end.unixTime)
    case .locked(let end): (refusal, has_until, until) = (OTP_ANSWER_LOCKED, end == nil ? 0 : 1, end?.unixTime ?? 0)
    default: break
    }
    needs_enrollment = explanation.needsNewEnrollment ? 1 : 0
    if let end = explanation.lossEnd { (has_loss_end, loss_end) = (1, end) }
  }
}

extension otp_cause {
  fileprivate init(_ cause: FactorRecord.Explanation.Cause) {
    self =
      switch cause {
      case .right: OTP_CAUSE_RIGHT
      case .replayed: OTP_CAUSE_REPLAYED
      case .late: OTP_CAUSE_LATE
      case .early: OTP_CAUSE_EARLY
      case .parameters: OTP_CAUSE_PARAMETERS
      case .malformed: OTP_CAUSE_MALFORMED
      default: OTP_CAUSE_WRONG
      }
  }
}

@c @implementation
public func otp_cause_string(_ cause: otp_cause) -> UnsafePointer<CChar>? {
  let text: StaticString =
    switch cause {
    case OTP_CAUSE_WRONG: "wrong"
    case OTP_CAUSE_RIGHT: "right"
    case OTP_CAUSE_REPLAYED: "replayed"
    case OTP_CAUSE_LATE: "late"
    case OTP_CAUSE_EARLY: "early"
    case OTP_CAUSE_PARAMETERS: "parameters"
    case OTP_CAUSE_MALFORMED: "malformed"
    default: "unknown"
    }
  return unsafe text.cString
}
