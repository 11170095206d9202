import FactorRecord
import Foundation
import Keyring
import OTP

// A user's document before it is sealed, after its version. Numbers are big-endian, times milliseconds since 1970 in 8
// bytes; a text or bytes follow their length, an optional value follows a byte that is 1 or 0, a list follows a byte
// with its count.
//
//   latest time · generation (8) · bindings (8) · factors · recovery codes (binding (8), record)? · failures (8)
//   · spent secrets (fingerprint, last accepted (8))
//   · past factors (name, kind, enrollment, removal)
//   factor:     name · binding (8) · kind (text) · record, or details and attempts · display name? · enrollment
//   record, recovery codes, attempts: as in FactorRecord+Layout.swift
extension Account: Document {
  package static var empty: Account { Account() }

  package func encode(to writer: inout ByteWriter) {
    writer.append(latestTime)
    writer.append(generation)
    writer.append(bindingCount)
    writer.append(list: factors) { writer, factor in factor.encode(to: &writer) }
    writer.append(recovery) { writer, record in
      writer.append(recoveryBinding)
      record.encode(to: &writer)
    }
    writer.append(failures)
    writer.append(list: spentSecrets) { writer, secret in
      writer.append(secret.fingerprint)
      writer.append(secret.lastAccepted)
    }
    writer.append(list: pastFactors) { writer, past in past.encode(to: &writer) }
  }

  package init(from reader: inout ByteReader) throws(KeyringError) {
    latestTime = try reader.readDate()
    generation = try reader.readUInt64()
    bindingCount = try reader.readUInt64()
    factors = try reader.readList { (reader) throws(KeyringError) in try Factor(from: &reader) }
    let codes = try reader.readOptional { (reader) throws(KeyringError) in
      (binding: try reader.readUInt64(), record: try FactorRecord(.recoveryCodes, from: &reader))
    }
    (recovery, recoveryBinding) = (codes?.record, codes?.binding ?? 0)
    failures = try reader.readUInt64()
    spentSecrets = try reader.readList { (reader) throws(KeyringError) in
      SpentSecret(fingerprint: try reader.readBytes(), lastAccepted: try reader.readUInt64())
    }
    pastFactors = try reader.readList { (reader) throws(KeyringError) in try PastFactor(from: &reader) }
  }
}

extension PastFactor: Sealable {
  package func encode(to writer: inout ByteWriter) {
    writer.append(uid)
    writer.append(kind.rawValue)
    writer.append(enrollmentDate)
    writer.append(removalDate)
  }

  package init(from reader: inout ByteReader) throws(KeyringError) {
    uid = try reader.readString()
    kind = FactorKind(rawValue: try reader.readString())
    enrollmentDate = try reader.readDate()
    removalDate = try reader.readDate()
  }
}

extension Factor: Sealable {
  package func encode(to writer: inout ByteWriter) {
    writer.append(uid)
    writer.append(binding)
    writer.append(kind.rawValue)
    switch content {
    case .record(let record): record.encode(to: &writer)
    case .external(_, let details, let attempts):
      writer.append(details)
      attempts.encode(to: &writer)
    }
    writer.append(displayName) { writer, name in writer.append(name) }
    writer.append(enrollmentDate)
  }

  package init(from reader: inout ByteReader) throws(KeyringError) {
    let (uid, binding) = (try reader.readString(), try reader.readUInt64())
    let content: Content =
      switch FactorKind(rawValue: try reader.readString()) {
      case .totp: .record(try FactorRecord(.totp, from: &reader))
      case .hotp: .record(try FactorRecord(.hotp, from: &reader))
      case .recovery: throw KeyringError(.malformed)
      case let kind: .external(kind, details: try reader.readBytes(), try Attempts(from: &reader))
      }
    self.init(
      uid: uid, content: content,
      displayName: try reader.readOptional { (reader) throws(KeyringError) in try reader.readString() },
      enrollmentDate: try reader.readDate())
    self.binding = binding
  }
}
