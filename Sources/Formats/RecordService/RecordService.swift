import FactorRecord
import Foundation
import Keyring
import OTP

/// Answers requests about records, each a line of JSON, for programs in any language. It keeps nothing of them.
/// `Tool/record-service` describes them.
public final class RecordService: Sendable {
  private let keyring: Locked<Keyring>

  /// - Parameter keyring: What opens and seals the records.
  public init(keyring: Keyring) { self.keyring = Locked(keyring) }

  /// Opens and seals by another keyring from now on.
  public func use(_ new: Keyring) { keyring.withLock { $0 = new } }

  /// Answers lines until the input ends.
  ///
  /// - Throws: ``RecordServiceError`` with `inputFailed` or `outputFailed`.
  public func serve(input: Int32, output: Int32) throws(RecordServiceError) {
    var stream = LineStream(input: input, output: output)
    guard stream.serve(answer) else { throw .outputFailed }
    guard !stream.isInputBroken else { throw .inputFailed }
  }

  /// Serves up to 256 clients of a socket at once.
  ///
  /// - Parameters:
  ///   - socket: The socket.
  ///   - refused: Called for each other client, and for one for which there is no thread.
  /// - Throws: ``RecordServiceError/socketFailed``.
  public func serve(
    _ socket: UnixSocket, refused: @Sendable () -> Void = {}
  ) throws(RecordServiceError) -> Never { try socket.serve(answer, refused: refused) }

  /// The answer to one request, without the end of a line.
  public func answer(to request: String) -> String {
    let memory = SecretBytes(copying: request.utf8)
    return String(decoding: answer(memory, 0..<memory.byteCount, isCut: false).dropLast(), as: UTF8.self)
  }

  /// - Parameter isCut: Whether the line was longer than this, its beginning.
  @Sendable private func answer(_ memory: SecretBytes, _ line: Range<Int>, isCut: Bool) -> [UInt8] {
    let text = JSONText(memory, in: line)
    var answer: [Field]
    do throws(RequestError) {
      if isCut { throw RequestError("tooLong") }
      if let fault = text.fault { throw fault.reason == .duplicateName ? RequestError("duplicateField") : .malformed }
      guard let request = text.beginning, request.isObject else { throw .malformed }
      answer = try Exchange(request: try RecordRequest(request), keyring: keyring.withLock { $0 }).fields()
    } catch {
      answer = [Field("error", error.code), Field("field", error.field)]
    }
    // What was read before a fault is there, too.
    return (answer + [Field("id", text.beginning?["id"]?.id)]).json
  }
}

/// A request that is being answered.
private final class Exchange {
  private let request: RecordRequest
  private let keyring: Keyring
  private let time: Int64
  /// The records of the request, as bytes.
  private let record, previous: [UInt8]?

  private var policy: FactorRecord.Policy { request.policy }

  init(request: RecordRequest, keyring: Keyring) throws(RequestError) {
    (self.request, self.keyring) = (request, keyring)
    time = request.time ?? Int64(Date().timeIntervalSince1970.rounded(.down))
    record = try request.bytes(of: request.record, "record")
    previous = try request.bytes(of: request.previous, "previous")
  }

  func fields() throws(RequestError) -> [Field] {
    switch request.op {
    case .enroll:
      let new = try enrolled()
      return try sealed(replacingPrevious(by: new, evenIfActive: request.replace ?? false))
        + (new.isPending ? [Field("uri", uri(of: new))] : [])
    case .recoveryCodes:
      let (new, codes) = try calling("count") { () throws(FactorRecordError) in
        try FactorRecord.recoveryCodes(count: request.count ?? 10, at: time)
      }
      return try sealed(replacingPrevious(by: new, evenIfActive: false)) + [Field("codes", codes)]
    case .uri: return [Field("uri", try uri(of: opened()))]
    case .confirm:
      let code = try required(request.code, "code")
      return try answered { (record) throws(FactorRecordError) in try record.confirm(code, at: time, under: policy) }
    case .verify:
      let code = try required(request.code, "code")
      return try answered { (record) throws(FactorRecordError) in try record.verify(code, at: time, under: policy) }
    case .resynchronize:
      let codes = try required(request.codes, "codes")
      return try answered { (record) throws(FactorRecordError) in
        try record.resynchronize(codes, at: time, under: policy)
      }
    case .unlock:
      var record = try opened()
      try calling("record") { () throws(FactorRecordError) in try record.unlock(at: time) }
      return try sealed(record) + state(of: record)
    case .spend:
      var record = try opened()
      let until = try required(request.until, "until")
      do throws(FactorRecordError) { try record.spend(until: until, under: policy) } catch {
        throw RequestError(error.kind.rawValue, in: "until")
      }
      return try sealed(record)
    case .reseal: return try sealed(opened())
    case .info: return try info(on: opened())
    case .explain:
      let (record, code) = (try opened(), try required(request.code, "code"))
      let found = try calling("record") { () throws(FactorRecordError) in
        try record.explain(code, at: time, under: policy)
      }
      return try state(of: record) + [
        Field("cause", found.cause.rawValue), Field("diagnosis", found.diagnosis?.description),
        Field("movingFactor", found.movingFactor.map(String.init)), Field("offset", found.offset),
        Field("odds", found.odds),
      ]
    }
  }

  private func enrolled() throws(RequestError) -> FactorRecord {
    func value<T>(_ name: String, _ read: () throws -> T) throws(RequestError) -> T {
      do { return try read() } catch { throw RequestError("invalidValue", in: name) }
    }
    let secret = try value("secret") {
      try request.secret?.withBytes { (text) throws(OTPError) in try OTPSecret(base32UTF8: text) }
    }
    let algorithm = try value("algorithm") { try HashAlgorithm(name: request.algorithm ?? "SHA1") }
    let timeStep = try value("period") { try TimeStep(period: request.period ?? 30) }
    guard let digits = OTPCode.Digits(rawValue: request.digits ?? 6) else {
      throw RequestError("invalidValue", in: "digits")
    }
    let kind = request.kind ?? .totp
    if kind == .hotp, request.lastStep != nil { throw RequestError("invalidValue", in: "lastStep") }
    if kind == .totp, request.counter != nil { throw RequestError("invalidValue", in: "counter") }
    let isPending = !(request.confirmed ?? false)
    // The secret of a new factor can be read only while it is pending.
    if !isPending { _ = try required(request.secret, "secret") }
    return try calling("secret") { () throws(FactorRecordError) in
      switch kind {
      case .totp:
        try .totp(
          secret: secret, algorithm: algorithm, digits: digits, timeStep: timeStep,
          lastAcceptedStep: request.lastStep, isPending: isPending, at: time)
      case .hotp:
        try .hotp(
          secret: secret, algorithm: algorithm, digits: digits, counter: request.counter ?? 0,
          isPending: isPending, at: time)
      }
    }
  }

  private func replacingPrevious(by new: FactorRecord, evenIfActive: Bool) throws(RequestError) -> FactorRecord {
    // A program that follows one rule for all requests sends it as `record`.
    let name = previous == nil ? "record" : "previous"
    guard let previous = previous ?? record else { return new }
    var record = try open(previous, name)
    try calling(name) { () throws(FactorRecordError) in
      try record.replace(with: new, evenIfActive: evenIfActive)
    }
    return record
  }

  private func uri(of record: FactorRecord) throws(RequestError) -> String {
    let (issuer, account) = (try required(request.issuer, "issuer"), try required(request.account, "account"))
    do throws(FactorRecordError) { return try record.keyURI(issuer: issuer, account: account).uriString() } catch {
      throw RequestError(error, in: error.kind == .invalidName ? "account" : "record")
    }
  }

  private func info(on record: FactorRecord) throws(RequestError) -> [Field] {
    let key = try calling("record") { () throws(FactorRecordError) in
      try FactorRecord.sealingKeyName(of: self.record ?? [])
    }
    let isSet = record.kind == .recoveryCodes
    // The names of kinds and reasons are fixed words.
    return try state(of: record) + [
      Field("kind", "\(record.kind)"), Field("sealedBy", key), Field("enrolled", record.enrollmentTime),
      Field("lastAttempt", record.lastAttemptTime), Field("failures", record.failures),
      Field("acceptances", record.acceptances), Field("algorithm", record.algorithm?.name),
      Field("digits", record.digits?.rawValue), Field("period", record.timeStep?.period),
      Field("lastAccepted", record.lastAcceptedMovingFactor.map(String.init)),
      Field("drift", record.kind == .totp ? record.driftSteps : nil),
      Field("weakSecret", isSet ? nil : record.hasWeakSecret),
      Field("unusedCodes", isSet ? record.unusedRecoveryCodes : nil),
    ]
  }

  /// Whether codes are accepted: `pending`, `active`, or why not, and until when.
  private func state(of record: FactorRecord) throws(RequestError) -> [Field] {
    let state = try calling("record") { () throws(FactorRecordError) in
      try FactorState(record, at: time, under: policy)
    }
    return [Field("state", state.name), Field("retryAt", state.end), Field("needs", state.needs)]
  }

  /// The answer of a rule, with the record that it left.
  private func answered(
    _ rule: (inout FactorRecord) throws(FactorRecordError) -> FactorRecord.Answer
  ) throws(RequestError) -> [Field] {
    var record = try opened()
    let answer = try calling("record") { () throws(FactorRecordError) in try rule(&record) }
    let fields: [Field] =
      switch answer {
      case .accepted(let it): [Field("answer", "accepted"), Field("movingFactor", String(it.movingFactor))]
      case .enrolled(let it): [Field("answer", "enrolled"), Field("movingFactor", String(it.movingFactor))]
      case .rejected(let reason): [Field("answer", "rejected"), Field("reason", "\(reason)")]
      case .wait(let end): [Field("answer", "wait"), Field("retryAt", end.unixTime)]
      case .locked(let end): [Field("answer", "locked"), Field("retryAt", end?.unixTime)]
      }
    return fields + (try sealed(record))
  }

  private func opened() throws(RequestError) -> FactorRecord { try open(required(record, "record"), "record") }

  private func open(_ sealed: [UInt8], _ name: String) throws(RequestError) -> FactorRecord {
    try calling(name) { () throws(FactorRecordError) in
      try FactorRecord(sealed: sealed, by: keyring, for: request.subject)
    }
  }

  /// The record as bytes, and whether it differs from the one of the request, so that it must be written.
  private func sealed(_ record: FactorRecord) throws(RequestError) -> [Field] {
    let sealed = try calling("record") { () throws(FactorRecordError) in
      try record.sealed(by: keyring, for: request.subject)
    }
    return [
      Field("record", ascii: request.encoded(sealed)), Field("changed", sealed != self.record ?? previous),
    ]
  }
}

extension RecordRequest {
  /// A record in the encoding of the request.
  fileprivate func encoded(_ record: [UInt8]) -> [UInt8] {
    guard encoding != .hex else { return Hexadecimal.encode(record) }
    let count = Base64.standard.encodedByteCount(of: record.count)
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { output, written in
      unsafe Base64.standard.encode(record.span, into: UnsafeMutableBufferPointer(rebasing: output[..<count]))
      written = count
    }
  }

  /// The bytes of a record: in base64, or in hexadecimal, each also as PostgreSQL prints it (in lines; `\x01…`).
  fileprivate func bytes(of text: SecretBytes?, _ name: String) throws(RequestError) -> [UInt8]? {
    guard let text else { return nil }
    if encoding != .hex, let bytes = text.withBytes({ Base64.standard.decode($0) }) { return bytes.copiedBytes() }
    var digits = text.copiedBytes()
    let bytes: [UInt8]?
    if encoding == .hex {
      if digits.starts(with: "\\x".utf8) { digits.removeFirst(2) }
      bytes = Hexadecimal.decode(digits.span, isLower: false)
    } else {
      digits.removeAll { $0 == 0x0A || $0 == 0x0D }
      bytes = Base64.standard.decode(digits.span)?.copiedBytes()
    }
    guard let bytes else { throw RequestError("invalidValue", in: name) }
    return bytes
  }
}
