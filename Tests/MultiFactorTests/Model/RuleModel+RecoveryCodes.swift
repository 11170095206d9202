@testable import MultiFactor

// Recovery codes, which stand in for a factor.
extension RuleModel {
  mutating func resolve(_ signIn: inout SignIn, recoveryCode: String) -> AuthError.Code? {
    if now >= signIn.expiry { return .sessionExpired }
    if signIn.generation != generation { return .userTokenExpired }
    if recoveryCodes.isEmpty { return .invalidVerificationCode }
    guard attempt(\.recoveryGuesses) else { return .tooManyRequests }
    guard let number = recoveryCodes.first(where: { $0.value == recoveryCode })?.key else {
      return .invalidVerificationCode
    }
    recoveryCodes[number] = nil
    recoveryGuesses.failures = 0
    failures = 0
    complete(&signIn, RecoveryCodeMultiFactorID, RecoveryCodeMultiFactorID)
    return nil
  }

  /// - Parameter codes: The codes that the product made, if it made any.
  mutating func makeRecoveryCodes(_ user: SignIn, _ codes: [String]) -> AuthError.Code? {
    if let refusal = refusalOfHandle(user) { return refusal }
    if devices.isEmpty { return .multiFactorInfoNotFound }
    if !isVerifiedRecently(user) { return .requiresRecentLogin }
    dropRecoveryCodes()
    seen = now
    recoveryCodesMade = now
    bindings += 1
    recoveryCodesNumber = bindings
    for (index, code) in codes.enumerated() { recoveryCodes[index + 1] = code }
    return nil
  }

  mutating func dropRecoveryCodes() {
    if let made = recoveryCodesMade {
      past.append("\(RecoveryCodeMultiFactorID) \(made) \(now)")
    }
    recoveryCodes = [:]
    recoveryCodesMade = nil
    recoveryCodesNumber = nil
    recoveryGuesses = Guesses()
  }
}
