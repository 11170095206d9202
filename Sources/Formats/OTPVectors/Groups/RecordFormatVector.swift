import FactorRecord
import Keyring
import OTP

/// A keyring's keys, the active one first.
struct RecordFormatSettings: Sendable {
  private let keys: [Keyring.Key]

  init(_ fields: inout Fields) throws(LocatedError) {
    keys = try fields.list("keys") { fields throws(LocatedError) in
      let (name, key) = (try fields.text("name"), try fields.secret("keyHex"))
      do throws(KeyringError) {
        return try Keyring.Key(name: name, secret: key)
      } catch {
        throw fields.fault(nil, error.description)
      }
    }
    guard (try? keyring()) != nil else { throw fields.fault("keys", "two have the same name") }
  }

  /// A keyring of the keys, also with another active one.
  func keyring(active name: String? = nil) throws(Mismatch) -> Keyring {
    guard let active = keys.first(where: { key in name == nil || key.name == name }) else {
      throw Mismatch("no key has the name \(Quotation.text(name ?? ""))")
    }
    do {
      return try Keyring(
        activeKey: active, otherKeys: keys.filter { key in key.name != active.name }, hashKey: .random(for: .sha256))
    } catch {
      throw Mismatch("got an error: \(error)")
    }
  }
}

/// A test of a sealed record's bytes: read, and written with another nonce, or refused.
struct RecordFormatVector: PlainVectorTest {
  private enum ErrorWord: String, CaseIterable {
    case anotherSubject, laterVersion, malformed, notAuthentic, unknownKey, wrongEncoding
  }

  private enum Expectation: Sendable {
    case record(FactorRecord, plain: [UInt8], keyName: String, nonce: [UInt8])
    case refusal(String)
  }

  private let group: RecordFormatSettings
  private let subject: [UInt8]
  private let sealed: [UInt8]
  private let expectation: Expectation

  init(_ fields: inout Fields, in group: RecordFormatSettings) throws(LocatedError) {
    self.group = group
    subject = try fields.bytes("subjectHex")
    sealed = try fields.bytes("sealedHex")
    switch try fields.word("result", as: Validity.self) {
    case .valid:
      let record = try fields.object("record") { fields throws(LocatedError) in try FactorRecord(&fields) }
      let nonce = try fields.bytes("nonceHex")
      guard nonce.count == 24 else { throw fields.fault("nonceHex", "not 24 bytes") }
      expectation = .record(
        record, plain: try fields.bytes("plainHex"), keyName: try fields.text("keyName"), nonce: nonce)
    case .invalid: expectation = .refusal(try fields.word("error", as: ErrorWord.self).rawValue)
    }
  }

  func run() throws(Mismatch) {
    let keyring = try group.keyring()
    let opened = Result { () throws(FactorRecordError) in
      try FactorRecord(sealed: sealed.span, by: keyring, for: subject)
    }
    switch (expectation, opened) {
    case (.refusal(let error), .success): throw Mismatch("expected the error \(error), got a record")
    case (.refusal(let error), .failure(let found)):
      try Mismatch.unlessSame("error", found.kind.rawValue, error)
    case (.record, .failure(let error)): throw Mismatch("got an error: \(error)")
    case (.record(let record, let plain, let keyName, let nonce), .success(let opened)):
      guard opened == record else { throw Mismatch("record: got another one") }
      // Without the version and the kind.
      let content = record.withUnsealedBytes { bytes in bytes.indices.dropFirst(2).map { bytes[$0] } }
      try Mismatch.unlessEqual("plain", bytes: content, plain)
      try Mismatch.unlessSame("key", (try? FactorRecord.sealingKeyName(of: sealed)) ?? "", keyName)
      let head = sealed.count - content.count - 16 - nonce.count
      try Mismatch.unlessEqual("nonce", bytes: Array(sealed[head..<head + nonce.count]), nonce)
      // Nonces are derived, so the rest differs, but only what is right opens.
      let again = try? record.sealed(by: group.keyring(active: keyName), for: subject)
      guard let again, let reopened = try? FactorRecord(sealed: again.span, by: keyring, for: subject) else {
        throw Mismatch("what it is sealed to does not open")
      }
      guard reopened == record, again.count == sealed.count else { throw Mismatch("sealed again: got another one") }
      try Mismatch.unlessEqual("sealed", bytes: Array(again[..<head]), Array(sealed[..<head]))
    }
  }
}

extension FactorRecord {
  private enum Word: String, CaseIterable {
    case totp, hotp
    case recoveryCodes = "recovery-codes"
  }

  /// A record that a test describes field by field.
  fileprivate init(_ fields: inout Fields) throws(LocatedError) {
    let type = try fields.word("type", as: Word.self)
    self.init(
      type == .recoveryCodes
        ? .recoveryCodes(try fields.list("recoveryCodes") { fields throws(LocatedError) in try RecoveryCode(&fields) })
        : .secret(try FactorSecret(isTimeBased: type == .totp, &fields)),
      isPending: try fields.flag("isPending"), enrollmentMilliseconds: try fields.decimal("enrolled"),
      lastAccepted: try fields.isNull("last") ? nil : fields.decimal("last"))
    hasAccepted = try fields.flag("isAcceptedHere")
    drift = Drift(
      found: try fields.number("driftFound", in: -10_000...10_000),
      learned: try fields.number("driftLearned", in: -10_000...10_000))
    attempts = Attempts(
      failures: try fields.decimal("failures"), acceptances: try fields.decimal("acceptances"),
      latest: try fields.isNull("latest") ? nil : fields.decimal("latest"))
    lossTime = try fields.isNull("loss") ? nil : fields.decimal("loss")
    if fields.has("spent") {
      let algorithm = secret?.algorithm ?? .sha1
      spentSecrets = try fields.list("spent") { fields throws(LocatedError) in try SpentSecret(&fields, algorithm) }
    }
  }
}

extension SpentSecret {
  /// A former secret, of a factor with the same hash function.
  fileprivate init(_ fields: inout Fields, _ algorithm: HashAlgorithm) throws(LocatedError) {
    let (secret, fingerprint) = (try fields.secret("secretHex"), try fields.bytes("fingerprintHex"))
    guard (try? FactorSecret(isTimeBased: true, secret: secret).fingerprint(under: algorithm)) == fingerprint else {
      throw fields.fault("fingerprintHex", "not the secret's")
    }
    self.init(fingerprint: fingerprint, lastAccepted: try fields.decimal("last"))
  }
}

extension FactorSecret {
  fileprivate init(isTimeBased: Bool, _ fields: inout Fields) throws(LocatedError) {
    let timed = try TimedCodeSettings(&fields)
    guard let timeStep = try? TimeStep(period: timed.period, t0: timed.t0) else { throw fields.fault(nil, "no step") }
    let codes = timed.codes
    self.init(
      isTimeBased: isTimeBased, secret: codes.secret, algorithm: codes.algorithm, digits: codes.digits,
      timeStep: timeStep)
  }
}

extension RecoveryCode {
  fileprivate init(_ fields: inout Fields) throws(LocatedError) {
    let (code, tag) = (try fields.bytes("codeHex"), try fields.bytes("tagHex"))
    guard code.count == 15, (try? RecoveryCode.tag(of: SecretBytes(copying: code.span))) == tag else {
      throw fields.fault("tagHex", "not the hash of a code of 15 bytes")
    }
    self.init(number: try fields.number("number", in: 1...20), tag: tag, isUsed: try fields.flag("isUsed"))
  }
}

extension Fields {
  fileprivate mutating func flag(_ name: String) throws(LocatedError) -> Bool {
    try value(name, called: "true or false", \.flag)
  }
}
