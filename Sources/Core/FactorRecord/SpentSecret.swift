import Keyring
import OTP

/// What was spent of a secret that was replaced or removed: the codes of all steps or counters up to one, however they
/// are numbered in time.
package struct SpentSecret: Sendable, Hashable {
  /// See ``FactorSecret/fingerprint(under:)``.
  package let fingerprint: [UInt8]
  package let lastAccepted: UInt64

  package init(fingerprint: [UInt8], lastAccepted: UInt64) {
    (self.fingerprint, self.lastAccepted) = (fingerprint, lastAccepted)
  }

  static var fingerprintByteCount: Int { 16 }
}

/// What is kept of former secrets, the latest last, so that none of their codes is accepted again if they come back.
extension [SpentSecret] {
  /// The last step or counter whose code is spent, of a former secret.
  package func last(of secret: FactorSecret) throws(FactorRecordError) -> UInt64? {
    guard !isEmpty else { return nil }
    let fingerprint = try secret.fingerprint(under: secret.algorithm)
    return first { equalInConstantTime($0.fingerprint, fingerprint) }?.lastAccepted
  }

  /// Keeps what was spent of a record's secret, if the record has accepted any code. What an import has stated is not
  /// kept, so that a mistake can be corrected by another import.
  package mutating func keep(of record: FactorRecord) throws(FactorRecordError) {
    guard let secret = record.secret, record.hasAccepted, let last = record.lastAccepted else { return }
    keep(SpentSecret(fingerprint: try secret.fingerprint(under: secret.algorithm), lastAccepted: last))
  }

  /// Keeps what another list has of former secrets.
  package mutating func keep(all other: [SpentSecret]) {
    for spent in other { keep(spent) }
  }

  private mutating func keep(_ new: SpentSecret) {
    let index = firstIndex { equalInConstantTime($0.fingerprint, new.fingerprint) }
    let old = index.map { remove(at: $0).lastAccepted } ?? 0
    append(SpentSecret(fingerprint: new.fingerprint, lastAccepted: Swift.max(old, new.lastAccepted)))
  }
}

extension FactorRecord {
  /// How many former secrets a record remembers, of those that accepted a code. For one more, the oldest is forgotten.
  package static var maximumSpentSecretCount: Int { 10 }

  /// Takes over what a replaced record has spent, of its secret and of those before it.
  mutating func takeSpent(of old: FactorRecord) throws(FactorRecordError) {
    spentSecrets = old.spentSecrets
    try spentSecrets.keep(of: old)
    // A later one is only stated, and stays open to correction.
    if let secret, let last = try spentSecrets.last(of: secret), lastAccepted.map({ $0 < last }) ?? true { spend(last) }
    spentSecrets = spentSecrets.suffix(Self.maximumSpentSecretCount)
  }
}
