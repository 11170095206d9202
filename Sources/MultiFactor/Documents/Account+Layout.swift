import FactorRecord
import Foundation
import Keyring
import OTP

// A user's document before it is sealed, after its version. Numbers are big-endian, times milliseconds since 1970 in 8
// bytes; a text or bytes follow their length, an optional value follows a byte that is 1 or 0, a list follows a byte
// with its count.
//
//   latest time · generation (8) · factors · recovery codes? · failures (8) · challenges · messages
//   · spent secrets (fingerprint, last accepted (8))
//   · past factors (name, kind (as below, 3 recovery codes), enrolment, removal)
//   factor:     name · kind (0 totp, 1 hotp, 2 phone) · record, or number and attempts · display name? · enrollment
//   record, recovery codes, attempts: as in FactorRecord+Layout.swift
//   challenge:  name · factor's name? · number · code's hash · expiry · tries · whether active
//               · provider's name for it?
extension Account: Document {
  package static let purpose = Purpose.account
  package static var empty: Account { Account() }

  package func encode(to writer: inout ByteWriter) {
    writer.append(latestTime)
    writer.append(generation)
    writer.append(list: factors) { writer, factor in factor.encode(to: &writer) }
    writer.append(recovery) { writer, record in record.encode(to: &writer) }
    writer.append(failures)
    writer.append(list: challenges) { writer, challenge in challenge.encode(to: &writer) }
    messages.encode(to: &writer)
    writer.append(list: spentSecrets) { writer, secret in
      writer.append(secret.fingerprint)
      writer.append(secret.lastAccepted)
    }
    writer.append(list: pastFactors) { writer, past in past.encode(to: &writer) }
  }

  package init(from reader: inout ByteReader) throws(KeyringError) {
    latestTime = try reader.readDate()
    generation = try reader.readUInt64()
    factors = try reader.readList { (reader) throws(KeyringError) in try Factor(from: &reader) }
    recovery = try reader.readOptional { (reader) throws(KeyringError) in
      try FactorRecord(.recoveryCodes, from: &reader)
    }
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

  package func encode(to writer: inout ByteWriter) {
    writer.append(uid)
    writer.append(kind, of: Self.kinds)
    switch content {
    case .record(let record): record.encode(to: &writer)
    case .phone(let number, let attempts):
      writer.append(number.e164)
      attempts.encode(to: &writer)
    }
    writer.append(displayName) { writer, name in writer.append(name) }
    writer.append(enrollmentDate)
  }

  package init(from reader: inout ByteReader) throws(KeyringError) {
    uid = try reader.readString()
    content =
      switch try reader.readChoice(of: Self.kinds) {
      case .totp: .record(try FactorRecord(.totp, from: &reader))
      case .hotp: .record(try FactorRecord(.hotp, from: &reader))
      case .phone, .recovery: .phone(try PhoneNumber(from: &reader), try Attempts(from: &reader))
      }
    displayName = try reader.readOptional { (reader) throws(KeyringError) in try reader.readString() }
    enrollmentDate = try reader.readDate()
  }
}

extension PhoneNumber {
  init(from reader: inout ByteReader) throws(KeyringError) {
    do { self = try PhoneNumber(try reader.readString()) } catch { throw KeyringError(.malformed) }
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
  package static let purpose = Purpose.messages
  package static var empty: MessageLog { MessageLog() }

  package func encode(to writer: inout ByteWriter) {
    writer.append(latestTime)
    writer.append(list: entries) { writer, entry in
      writer.append(entry.time)
      writer.append(UInt64(entry.count))
    }
  }

  package init(from reader: inout ByteReader) throws(KeyringError) {
    latestTime = try reader.readDate()
    entries = try reader.readList { (reader) throws(KeyringError) in
      Entry(time: try reader.readDate(), count: UInt32(clamping: try reader.readUInt64()))
    }
  }
}
