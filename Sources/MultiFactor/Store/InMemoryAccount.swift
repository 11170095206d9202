/// What the in-memory store holds of one user. Only its store touches it, under the store's lock.
///
/// A class, so that a change touches the one value that it changes and copies nothing.
final class InMemoryAccount {
  let userID: String
  var generation: UInt64 = 0
  var factors: [FactorRecord] = []
  var recoveryCodes: Set<[UInt8]> = []
  var recoveryAttempts = AttemptState()
  var challenges: [ChallengeRecord] = []

  init(userID: String) { self.userID = userID }

  var record: AccountRecord {
    AccountRecord(
      userID: userID, generation: generation, factors: factors, recoveryCodesRemaining: recoveryCodes.count,
      recoveryAttempts: recoveryAttempts)
  }

  /// Whether its record is that of a user who has nothing. Challenges are no part of it.
  var isEmpty: Bool { generation == 0 && factors.isEmpty && recoveryCodes.isEmpty }

  func index(ofFactor uid: String) -> Int? { factors.firstIndex { $0.uid.hasBytes(of: uid) } }

  func index(ofChallenge id: String, for purpose: ChallengeRecord.Purpose) -> Int? {
    challenges.firstIndex { $0.id.hasBytes(of: id) && $0.purpose.isSame(as: purpose) }
  }

  /// Deletes the recovery codes, and what counted the attempts on them.
  func dropRecoveryCodes() {
    recoveryCodes = []
    recoveryAttempts = AttemptState()
  }
}

extension ChallengeRecord.Purpose {
  /// Whether it is the same one, byte by byte.
  func isSame(as other: ChallengeRecord.Purpose) -> Bool {
    switch (self, other) {
    case (.enrollment, .enrollment): true
    case (.signIn(let uid), .signIn(let otherUID)): uid.hasBytes(of: otherUID)
    default: false
    }
  }
}
