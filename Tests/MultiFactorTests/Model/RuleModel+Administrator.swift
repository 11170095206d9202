import MultiFactorOperations

@testable import MultiFactor

// An administrator's operations, which do not depend on what the user has verified.
extension RuleModel {
  /// A factor as an administrator passes it in.
  enum Given {
    /// A new factor with a secret or number, and a name.
    case new(Device)
    /// The user's existing factor of that name, unchanged.
    case kept(uid: String)
  }

  /// A factor's name must be visible ASCII and differ from that of recovery codes.
  private func isName(_ uid: String) -> Bool {
    !uid.isEmpty && uid != RecoveryCodeMultiFactorID && uid.unicodeScalars.allSatisfy { "!"..."~" ~= $0 }
  }

  private func device(_ given: Given) -> Device? {
    switch given {
    case .kept(let uid): return devices.first { $0.uid == uid }
    case .new(var device):
      // A date in the future does not count.
      if device.enrolled >= now { device.enrolled = now }
      return device
    }
  }

  private func uid(_ given: Given) -> String {
    switch given {
    case .new(let device): device.uid
    case .kept(let uid): uid
    }
  }

  mutating func importFactor(_ given: Given) -> AuthError.Code? {
    if !isName(uid(given)) { return .missingMultiFactorInfo }
    guard let device = device(given) else { return .multiFactorInfoNotFound }
    return add(device)
  }

  /// Replaces all factors. What was spent of a secret that is added again stays spent, and a lock stays one.
  mutating func overwrite(with list: [Given]) -> AuthError.Code? {
    if list.count > 5 { return .maximumSecondFactorCountExceeded }
    if !list.allSatisfy({ isName(uid($0)) }) { return .missingMultiFactorInfo }
    let new = list.compactMap(device)
    if new.count < list.count { return .multiFactorInfoNotFound }
    let before = self
    devices = []
    spend(before.devices)
    for var device in new {
      if let same = before.devices.first(where: { $0.key == device.key }) { device.guesses = same.guesses }
      if let refusal = add(device, atMost: .max) {
        self = before
        return refusal
      }
    }
    for old in before.devices where !devices.contains(where: { $0.uid == old.uid && $0.key == old.key }) { bury(old) }
    if devices.isEmpty { failures = 0 }
    dropRecoveryCodes()
    revoke()
    return nil
  }

  mutating func removeRecoveryCodes() {
    seen = now
    dropRecoveryCodes()
  }

  mutating func unlock(uid: String) -> AuthError.Code? {
    if uid == RecoveryCodeMultiFactorID {
      if recoveryCodes.isEmpty { return .multiFactorInfoNotFound }
      recoveryGuesses.unlock()
    } else {
      guard let index = devices.firstIndex(where: { $0.uid == uid }) else { return .multiFactorInfoNotFound }
      devices[index].guesses.unlock()
    }
    failures = 0
    seen = now
    return nil
  }

  /// Ends everything issued so far: handles, sign-ins under way, secrets and, by their generation, sent codes.
  mutating func revoke() {
    generation.revocations += 1
    seen = now
  }

  /// - Returns: Whether nothing is held of the user afterward.
  mutating func delete() -> Bool {
    let isBare =
      devices.isEmpty && past.isEmpty && recoveryCodesMade == nil && failures == 0
    var left = RuleModel(limits: limits, clock: clock, eras: eras, sentTo: sentTo)
    // An hour for handles, and a day twice for clocks.
    if isBare, generation != Generation(), now >= seen + 3600 + 2 * 86_400 {
      self = left
      return true
    }
    spend(devices)
    left.spent = spent
    left.eras += 1
    left.generation = Generation(era: left.eras)
    left.seen = now
    self = left
    return false
  }
}
