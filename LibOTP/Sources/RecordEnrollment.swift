// otp.h documents these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import COTP
internal import FactorRecord
internal import OTP

@c @implementation
public func otp_record_enroll(
  _ keyring: OpaquePointer?, _ subject: UnsafeRawPointer?, _ subject_len: Int,
  _ enrollment: UnsafePointer<otp_enrollment>?, _ previous: UnsafePointer<UInt8>?, _ previous_len: Int, _ now: Int64,
  _ out: UnsafeMutablePointer<UInt8>?, _ out_len: UnsafeMutablePointer<Int>?
) -> otp_status {
  call { () throws(CallError) in
    let asked = try unsafe enrollment?.checked()
    let isReplacement = unsafe asked?.replace ?? 0
    guard 0...1 ~= isReplacement else { throw CallError(OTP_INVALID_ARGUMENT) }
    let new = try unsafe FactorRecord(enrolling: asked, at: now)
    let record = try unsafe OpenedRecord(
      new: new, replacing: previous, previous_len, evenIfActive: isReplacement == 1, keyring, subject, subject_len)
    _ = try unsafe record.put(out, out_len)
  }
}

@c @implementation
public func otp_record_recovery_codes(
  _ keyring: OpaquePointer?, _ subject: UnsafeRawPointer?, _ subject_len: Int, _ count: Int,
  _ previous: UnsafePointer<UInt8>?, _ previous_len: Int, _ now: Int64, _ codes: UnsafeMutablePointer<CChar>?,
  _ codes_len: Int, _ out: UnsafeMutablePointer<UInt8>?, _ out_len: UnsafeMutablePointer<Int>?
) -> otp_status {
  call { () throws(CallError) in
    let stride = Int(OTP_RECOVERY_CODE_LENGTH) + 1
    let length = try unsafe required(out_len)
    let memory = try unsafe room(codes, codes_len)
    guard 1...20 ~= count, codes_len >= count * stride,
      unsafe !overlap(codes, codes_len, out, length.pointee),
      unsafe !overlap(codes, codes_len, length, MemoryLayout<Int>.size)
    else { throw CallError(OTP_INVALID_ARGUMENT) }
    let (record, texts) = try recordCall { () throws(FactorRecordError) in
      try FactorRecord.recoveryCodes(count: count, at: now)
    }
    let opened = try unsafe OpenedRecord(
      new: record, replacing: previous, previous_len, evenIfActive: false, keyring, subject, subject_len)
    _ = try unsafe opened.put(out, length)
    for (index, text) in texts.enumerated() {
      for (offset, byte) in text.utf8.enumerated() { unsafe memory[index * stride + offset] = byte }
      unsafe memory[index * stride + stride - 1] = 0
    }
  }
}

@c @implementation
public func otp_record_uri(
  _ keyring: OpaquePointer?, _ subject: UnsafeRawPointer?, _ subject_len: Int, _ record: UnsafePointer<UInt8>?,
  _ record_len: Int, _ issuer: UnsafePointer<CChar>?, _ issuer_len: Int, _ account: UnsafePointer<CChar>?,
  _ account_len: Int, _ out: UnsafeMutablePointer<CChar>?, _ out_len: UnsafeMutablePointer<Int>?
) -> otp_status {
  call { () throws(CallError) in
    let length = try unsafe required(out_len)
    let room = try unsafe room(out, length.pointee)
    let issuer = try unsafe bytes(issuer, issuer_len)
    let account = try unsafe bytes(account, account_len)
    let opened = try unsafe OpenedRecord(keyring, subject, subject_len, record, record_len)
    guard let issuer = unsafe String(validUTF8: issuer.span), let account = unsafe String(validUTF8: account.span)
    else {
      throw CallError(OTP_INVALID_NAME)
    }
    let uri = try recordCall { () throws(FactorRecordError) in
      try opened.record.keyURI(issuer: issuer, account: account)
    }
    let count = try engine { () throws(OTPError) in try uri.uriByteCount(writingDefaults: false) }
    let place = try unsafe room.place(of: count, terminator: 1, telling: length)
    unsafe uri.writeURI(writingDefaults: false, to: UnsafeMutableBufferPointer(rebasing: place[..<count]))
    unsafe place[count] = 0
    unsafe length.pointee = count
  }
}

@c @implementation
public func otp_record_diagnose(
  _ keyring: OpaquePointer?, _ subject: UnsafeRawPointer?, _ subject_len: Int, _ record: UnsafePointer<UInt8>?,
  _ record_len: Int, _ typed: UnsafePointer<CChar>?, _ typed_len: Int, _ now: Int64,
  _ out: UnsafeMutablePointer<otp_diagnosis>?
) -> otp_status {
  call { () throws(CallError) in
    let out = try unsafe required(out)
    let size = try unsafe out.writableSize()
    let typed = try unsafe bytes(typed, typed_len)
    let opened = try unsafe OpenedRecord(keyring, subject, subject_len, record, record_len)
    let diagnosis = try recordCall { () throws(FactorRecordError) in
      try unsafe opened.record.diagnose(typedUTF8: typed.span, at: now)
    }
    guard let diagnosis else {
      unsafe out.write(
        otp_diagnosis(
          size: 0, found: 0, hash: OTP_SHA1, digits: 0, period: 0, clock_offset: 0, counter_offset: 0), size: size)
      return
    }
    unsafe out.write(
      otp_diagnosis(
        size: 0, found: 1, hash: diagnosis.algorithm.hash, digits: UInt32(diagnosis.digits.rawValue),
        period: diagnosis.period, clock_offset: diagnosis.clockOffset,
        counter_offset: Int64(diagnosis.counterOffset)), size: size)
  }
}

extension FactorRecord {
  /// The record that C asks to enroll. Not inlined, so that its frame is gone when the record is sealed.
  @inline(never) fileprivate init(enrolling enrollment: otp_enrollment?, at now: Int64) throws(CallError) {
    guard let asked = unsafe enrollment else {
      self = try recordCall { () throws(FactorRecordError) in try FactorRecord.totp(at: now) }
      return
    }
    let algorithm = try unsafe HashAlgorithm(asked.hash)
    let digits = try unsafe OTPCode.Digits(asked.digits)
    let given = try unsafe bytes(asked.secret, asked.secret_len)
    var secret: OTPSecret?
    if unsafe asked.secret != nil {
      secret = try engine { () throws(OTPError) in try unsafe OTPSecret(bytes: given.span) }
    }
    let (isConfirmed, hasAfter) = unsafe (asked.is_confirmed, asked.has_after)
    guard 0...1 ~= isConfirmed, 0...1 ~= hasAfter else { throw CallError(OTP_INVALID_ARGUMENT) }
    let isPending = isConfirmed == 0
    let (period, t0, counter, after) = unsafe (asked.period, asked.t0, asked.counter, asked.after)
    switch unsafe asked.type {
    case OTP_TOTP:
      let timeStep = try engine { () throws(OTPError) in try TimeStep(period: period, t0: t0) }
      self = try recordCall { () throws(FactorRecordError) in
        try FactorRecord.totp(
          secret: secret, algorithm: algorithm, digits: digits, timeStep: timeStep,
          lastAcceptedStep: hasAfter == 1 ? after : nil, isPending: isPending, at: now)
      }
    case OTP_HOTP:
      self = try recordCall { () throws(FactorRecordError) in
        try FactorRecord.hotp(
          secret: secret, algorithm: algorithm, digits: digits, counter: counter, isPending: isPending, at: now)
      }
    default: throw CallError(OTP_INVALID_ARGUMENT)
    }
  }
}
