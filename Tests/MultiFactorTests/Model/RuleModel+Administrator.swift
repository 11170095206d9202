@testable import MultiFactor

// What an administrator does, whatever the user has proved.
extension RuleModel {
  /// A factor as an administrator names it.
  enum Given {
    /// One with a secret or number, under a name.
    case new(Device)
    /// The user's own of that name, as it is.
    case kept(uid: String)
  }

  /// What stands for a factor has a name of visible ASCII that recovery codes do not have.
  private func isName(_ uid: String) -> Bool {
    !uid.isEmpty && uid != RecoveryCodeMultiFactorID && uid.unicodeScalars.allSatisfy { "!"..."~" ~= $0 }
  }

  private func device(_ given: Given) -> Device? {
    switch given {
    case .kept(let uid): return devices.first { $0.uid == uid }
    case .new(var device):
      // A date to come is none.
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

  /// All factors give way to others. What was spent of a secret that comes again stays spent.
  mutating func overwrite(with list: [Given]) -> AuthError.Code? {
    if list.count > 5 { return .maximumSecondFactorCountExceeded }
    if !list.allSatisfy({ isName(uid($0)) }) { return .missingMultiFactorInfo }
    let new = list.compactMap(device)
    if new.count < list.count { return .multiFactorInfoNotFound }
    let before = self
    devices = []
    for var device in new {
      let same = before.devices.first { $0.key == device.key && $0.kind == device.kind }
      device.last = [device.last, same?.last].compactMap(\.self).max()
      if let refusal = add(device, atMost: .max) {
        self = before
        return refusal
      }
    }
    for old in before.devices where !devices.contains(where: { $0.uid == old.uid && $0.key == old.key }) { bury(old) }
    failures = 0
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
      recoveryGuesses.failures = 0
    } else {
      guard let index = devices.firstIndex(where: { $0.uid == uid }) else { return .multiFactorInfoNotFound }
      devices[index].guesses.failures = 0
    }
    failures = 0
    seen = now
    return nil
  }

  /// Ends all that was given out: handles, sign-ins under way, secrets and codes that were sent.
  mutating func revoke() {
    generation.revocations += 1
    seen = now
    removed = [:]
    messages = []
  }

  /// - Returns: Whether nothing is held of the user any more.
  mutating func delete() -> Bool {
    let isBare =
      devices.isEmpty && past.isEmpty && recoveryCodesMade == nil && sent.seen == .min && failures == 0
    var left = RuleModel(limits: limits, clock: clock, eras: eras, sentTo: sentTo)
    if isBare, generation != Generation(), now >= seen + 3600 {
      self = left
      return true
    }
    left.eras += 1
    left.generation = Generation(era: left.eras)
    left.seen = now
    self = left
    return false
  }
}
