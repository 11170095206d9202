@testable import MultiFactor

// What was verified in a sign-in, and for how long it counts.
extension RuleModel {
  /// The verified factor, when it was verified, and what was bound to the account then, by number.
  struct Proof {
    let uid: String
    let kind: String
    let date: Int64
    let bound: Set<Int>
  }

  /// What is bound to the account, by number.
  var bound: Set<Int> { Set(devices.map(\.number) + [recoveryCodesNumber].compactMap(\.self)) }

  func proof(of uid: String, _ kind: String) -> Proof { Proof(uid: uid, kind: kind, date: now, bound: bound) }

  /// Whether the proof is of a device or a recovery code, not of a browser.
  func isVerified(_ proof: Proof) -> Bool { proof.kind != Browser.kind }

  /// Whether a device was verified in the last five minutes.
  func isVerifiedRecently(_ user: SignIn) -> Bool {
    guard let proof = user.proof, proof.kind != RecoveryCodeMultiFactorID, isVerified(proof) else { return false }
    return isThere(proof) && abs(now - proof.date) <= 300
  }

  func isProved(_ user: SignIn) -> Bool {
    devices.isEmpty || user.proof.map { isVerified($0) && isThere($0) } ?? false
  }

  /// Whether a proof still counts: a recovery code's not once its list is gone, nor a removed device's, even if another
  /// has its name.
  func isThere(_ proof: Proof) -> Bool {
    let isOfCode = proof.kind == RecoveryCodeMultiFactorID
    guard !isOfCode || recoveryCodesNumber.map(proof.bound.contains) ?? false else { return false }
    return devices.contains { proof.bound.contains($0.number) && (isOfCode || $0.uid == proof.uid) }
  }
}
