import Foundation
import Keyring
import OTP

// A user's document before it is sealed, after its version. Numbers are big-endian, times milliseconds since 1970 in 8
// bytes; a text or bytes follow their length, an optional value follows a byte that is 1 or 0, a list follows a byte
// with its count.
//
//   latest time · generation (8) · factors · recovery codes (number (1), hash) · when made? · attempts on them
//   · failures (8) · challenges · messages
//   · spent secrets (fingerprint, last accepted (8))
//   · past factors (name, kind (as below, 3 recovery codes), enrolment, removal)
//   factor:     name · kind (0 totp, 1 hotp, 2 phone) · secret or number · display name? · enrollment · last accepted? (8)
//               · whether accepted here · drift found (8), learned (8) · attempts
//   secret:     algorithm (0 SHA-1, 1 SHA-256, 2 SHA-512) · digits · period (8) · t0 (8) · bytes
//   attempts:   failures (8) · acceptances (8) · latest?
//   challenge:  name · factor's name? · number · code's hash · expiry · tries · whether active
//               · provider's name for it?
extension Account: Document {
  static let purpose = Purpose.account

  func encode(to writer: inout ByteWriter) {
    writer.append(latestTime)
    writer.append(generation)
    writer.append(list: factors) { writer, factor in factor.encode(to: &writer) }
    writer.append(list: recoveryCodes) { writer, code in
      writer.append(code.number)
      writer.append(code.hash)
    }
    writer.append(recoveryCodesDate) { writer, date in writer.append(date) }
    recoveryAttempts.encode(to: &writer)
    writer.append(failures)
    writer.append(list: challenges) { writer, challenge in challenge.encode(to: &writer) }
    messages.encode(to: &writer)
    writer.append(list: spentSecrets) { writer, secret in
      writer.append(secret.fingerprint)
      writer.append(secret.lastAccepted)
    }
    writer.append(list: pastFactors) { writer, past in past.encode(to: &writer) }
  }

  init(from reader: inout ByteReader) throws(KeyringError) {
    latestTime = try reader.readDate()
    generation = try reader.readUInt64()
    factors = try reader.readList { (reader) throws(KeyringError) in try Factor(from: &reader) }
    recoveryCodes = try reader.readList { (reader) throws(KeyringError) in
      RecoveryCode(number: try reader.readUInt8(), hash: try reader.readBytes())
    }
    recoveryCodesDate = try reader.readOptional { (reader) throws(KeyringError) in try reader.readDate() }
    recoveryAttempts = try Attempts(from: &reader)
    failures = try reader.readUInt64()
    challenges = try reader.readList { (reader) throws(KeyringError) in try Challenge(from: &reader) }
    messages = try MessageLog(from: &reader)
    spentSecrets = try reader.readList { (reader) throws(KeyringError) in
      SpentSecret(fingerprint: try reader.readBytes(), lastAccepted: try reader.readUInt64())
    }
    pastFactors = try reader.readList { (reader) throws(KeyringError) in try PastFactor(from: &reader) }
  }
}

extension PastFactor: Sealable {
  private static let kinds: [FactorKind] = [.totp, .hotp, .phone, .recovery]

  func encode(to writer: inout ByteWriter) {
    writer.append(uid)
    writer.append(kind, of: Self.kinds)
    writer.append(enrollmentDate)
    writer.append(removalDate)
  }

  init(from reader: inout ByteReader) throws(KeyringError) {
    uid = try reader.readString()
    kind = try reader.readChoice(of: Self.kinds)
    enrollmentDate = try reader.readDate()
    removalDate = try reader.readDate()
  }
}

extension Factor: Sealable {
  private static let kinds: [FactorKind] = [.totp, .hotp, .phone]

  func encode(to writer: inout ByteWriter) {
    writer.append(uid)
    writer.append(kind, of: Self.kinds)
    switch content {
    case .secret(let secret): secret.encode(to: &writer)
    case .phone(let number): writer.append(number.e164)
    }
    writer.append(displayName) { writer, name in writer.append(name) }
    writer.append(enrollmentDate)
    writer.append(lastAccepted) { writer, movingFactor in writer.append(movingFactor) }
    writer.append(hasAccepted)
    writer.append(Int64(drift.found))
    writer.append(Int64(drift.learned))
    attempts.encode(to: &writer)
  }

  init(from reader: inout ByteReader) throws(KeyringError) {
    uid = try reader.readString()
    let kind = try reader.readChoice(of: Self.kinds)
    content =
      kind == .phone ? .phone(try PhoneNumber(from: &reader)) : .secret(try FactorSecret(kind: kind, from: &reader))
    displayName = try reader.readOptional { (reader) throws(KeyringError) in try reader.readString() }
    enrollmentDate = try reader.readDate()
    lastAccepted = try reader.readOptional { (reader) throws(KeyringError) in try reader.readUInt64() }
    hasAccepted = try reader.readBool()
    drift = Drift(found: Int(clamping: try reader.readInt64()), learned: Int(clamping: try reader.readInt64()))
    attempts = try Attempts(from: &reader)
  }
}

extension FactorSecret {
  private static let algorithms: [HashAlgorithm] = [.sha1, .sha256, .sha512]

  /// Writes everything but the kind.
  func encode(to writer: inout ByteWriter) {
    writer.append(algorithm, of: Self.algorithms)
    writer.append(UInt8(digits.rawValue))
    writer.append(timeStep.period)
    writer.append(timeStep.t0)
    secret.withBytes { bytes in writer.append(bytes) }
  }

  /// Reads what ``encode(to:)`` writes.
  init(kind: FactorKind, from reader: inout ByteReader) throws(KeyringError) {
    self.kind = kind
    algorithm = try reader.readChoice(of: Self.algorithms)
    guard let digits = OTPCode.Digits(rawValue: Int(try reader.readUInt8())),
      let timeStep = try? TimeStep(period: try reader.readInt64(), t0: try reader.readInt64()),
      let secret = try? reader.readSecretBytes().withBytes({ bytes in try OTPSecret(bytes: bytes) })
    else { throw KeyringError(.malformed) }
    self.digits = digits
    self.timeStep = timeStep
    self.secret = secret
  }
}

extension PhoneNumber {
  init(from reader: inout ByteReader) throws(KeyringError) {
    do { self = try PhoneNumber(try reader.readString()) } catch { throw KeyringError(.malformed) }
  }
}

extension Attempts: Sealable {
  func encode(to writer: inout ByteWriter) {
    writer.append(failures)
    writer.append(acceptances)
    writer.append(latest) { writer, date in writer.append(date) }
  }

  init(from reader: inout ByteReader) throws(KeyringError) {
    failures = try reader.readUInt64()
    acceptances = try reader.readUInt64()
    latest = try reader.readOptional { (reader) throws(KeyringError) in try reader.readDate() }
  }
}

extension Challenge: Sealable {
  func encode(to writer: inout ByteWriter) {
    writer.append(id)
    let factorUID: String? = if case .signIn(let uid) = purpose { uid } else { nil }
    writer.append(factorUID) { writer, uid in writer.append(uid) }
    writer.append(number.e164)
    writer.append(codeHash)
    writer.append(expiry)
    writer.append(UInt8(clamping: tries))
    writer.append(isActive)
    writer.append(reference) { writer, reference in writer.append(reference) }
  }

  init(from reader: inout ByteReader) throws(KeyringError) {
    id = try reader.readString()
    let factorUID = try reader.readOptional { (reader) throws(KeyringError) in try reader.readString() }
    purpose = factorUID.map { .signIn(factorUID: $0) } ?? .enrollment
    number = try PhoneNumber(from: &reader)
    codeHash = try reader.readBytes()
    expiry = try reader.readDate()
    tries = Int(try reader.readUInt8())
    isActive = try reader.readBool()
    reference = try reader.readOptional { (reader) throws(KeyringError) in try reader.readString() }
  }
}

// Counted messages: the latest time, and a list of a time and a count (8 bytes).
extension MessageLog: Document {
  static let purpose = Purpose.messages

  func encode(to writer: inout ByteWriter) {
    writer.append(latestTime)
    writer.append(list: entries) { writer, entry in
      writer.append(entry.time)
      writer.append(UInt64(entry.count))
    }
  }

  init(from reader: inout ByteReader) throws(KeyringError) {
    latestTime = try reader.readDate()
    entries = try reader.readList { (reader) throws(KeyringError) in
      Entry(time: try reader.readDate(), count: UInt32(clamping: try reader.readUInt64()))
    }
  }
}
