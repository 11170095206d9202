/// Answers requests about records, each a line of JSON. It keeps nothing of them.
struct RecordService {
  let keyring: Keyring
  /// The time of requests that give none, in seconds since 1970.
  let now: Int64

  /// The answer to a line.
  ///
  /// - Parameter isCut: Whether the line was longer than this, its beginning.
  func answer(to line: UnsafeMutableBufferPointer<UInt8>, isCut: Bool) -> String {
    var fault: RequestError?
    var fields = unsafe RequestFields(line, fault: &fault)
    let id = fields.id
    var answer: [Field]
    do throws(RequestError) {
      if isCut { throw RequestError("tooLong") }
      if let fault { throw fault }
      let request = try RecordRequest(&fields)
      answer = try Exchange(request: request, keyring: keyring, time: request.time ?? now).fields()
    } catch {
      answer = [Field("error", error.code), Field("field", error.field)]
    }
    return (answer + [Field("id", id, text: nil)]).json
  }
}

/// A request that is being answered.
private struct Exchange {
  let request: RecordRequest
  let keyring: Keyring
  let time: Int64

  private var policy: FactorRecord.Policy { request.policy }

  func fields() throws(RequestError) -> [Field] {
    switch request.op {
    case .enroll:
      let new = try enrolled()
      return try sealed(replacingPrevious(by: new)) + (new.isPending ? [Field("uri", uri(of: new))] : [])
    case .recoveryCodes:
      let (new, codes) = try calling("count") { () throws(FactorRecordError) in
        try FactorRecord.recoveryCodes(count: request.count ?? 10, at: time)
      }
      return try sealed(replacingPrevious(by: new)) + [Field("codes", codes, text: nil)]
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
        Field("comparedCount", found.comparedCount),
      ]
    }
  }

  private func enrolled() throws(RequestError) -> FactorRecord {
    func value<T>(_ name: String, _ read: () throws -> T) throws(RequestError) -> T {
      do { return try read() } catch { throw RequestError("invalidValue", in: name) }
    }
    let secret = try value("secret") { try request.secret.map { try unsafe OTPSecret(base32UTF8: $0.utf8.span) } }
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

  private func replacingPrevious(by new: FactorRecord) throws(RequestError) -> FactorRecord {
    // A program that follows one rule for all requests sends it as `record`.
    let name = request.previous == nil ? "record" : "previous"
    guard let previous = request.previous ?? request.record else { return new }
    var record = try open(previous, name)
    try calling(name) { () throws(FactorRecordError) in
      try record.replace(with: new, evenIfActive: request.replace ?? false)
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
      try FactorRecord.sealingKeyName(of: bytes(request.record ?? "") ?? [])
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

  private func opened() throws(RequestError) -> FactorRecord { try open(required(request.record, "record"), "record") }

  private func open(_ text: String, _ name: String) throws(RequestError) -> FactorRecord {
    guard let sealed = bytes(text) else { throw RequestError("invalidValue", in: name) }
    return try calling(name) { () throws(FactorRecordError) in
      try FactorRecord(sealed: sealed, by: keyring, for: request.subject)
    }
  }

  /// The record as bytes, and whether it differs from the one of the request, so that it must be written.
  private func sealed(_ record: FactorRecord) throws(RequestError) -> [Field] {
    let sealed = try calling("record") { () throws(FactorRecordError) in
      try record.sealed(by: keyring, for: request.subject)
    }
    let isHex = request.encoding == .hex
    let text = isHex ? sealed.hexadecimal : sealed.base64
    let given = (request.record ?? request.previous).flatMap(bytes)
    return [Field("record", text), Field("changed", sealed != given)]
  }

  /// The bytes of a record: in base64, or in hexadecimal, each also as PostgreSQL prints it (in lines; `\x01…`).
  private func bytes(_ text: String) -> [UInt8]? {
    guard request.encoding == .hex else { return Array(base64: text.utf8.filter { $0 != 0x0A && $0 != 0x0D }) }
    return Array(hexadecimal: text.hasPrefix("\\x") ? text.dropFirst(2) : text[...])
  }
}

extension [UInt8] {
  private static let symbols = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The bytes in base64. (A record is sealed, so that an index is no secret.)
  fileprivate var base64: String {
    let groups = stride(from: 0, to: count, by: 3).map { start -> String in
      let bytes = self[start..<Swift.min(start + 3, count)]
      let bits = bytes.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - bytes.count))
      let text = (0...bytes.count).map { Self.symbols[bits >> (18 - 6 * $0) & 63] }
      return String(decoding: text, as: UTF8.self) + String(repeating: "=", count: 3 - bytes.count)
    }
    return groups.joined()
  }

  /// The bytes of a text in base64; `nil` if it is something else.
  fileprivate init?(base64 text: [UInt8]) {
    guard text.count.isMultiple(of: 4) else { return nil }
    let digits = text.dropLast(text.suffix(2).count { $0 == UInt8(ascii: "=") })
    var (bits, bitCount) = (0, 0)
    self = []
    for digit in digits {
      guard let value = Self.symbols.firstIndex(of: digit) else { return nil }
      (bits, bitCount) = ((bits << 6 | value) & 0xFFFF, bitCount + 6)
      if bitCount >= 8 {
        bitCount -= 8
        append(UInt8(truncatingIfNeeded: bits >> bitCount))
      }
    }
  }
}
