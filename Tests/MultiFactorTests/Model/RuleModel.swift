import OTP

@testable import MultiFactor

/// The rules of second factors for one user, written down a second time and as simply as can be: nothing in here calls
/// the product but for the error codes' names and the engine's codes.
struct RuleModel {
  struct App {
    let uid: String
    let totp: TOTP
    var lastStep: UInt64
    var guesses = Guesses()
  }

  /// What has been guessed at one thing in a row.
  struct Guesses {
    var failures = 0
    /// From when on the wait for the next guess runs.
    var waitsFrom: Int64 = 0

    /// Ten failures lock for an hour, the fourth to ninth delay, a hundred end it; a failed guess counts at once.
    mutating func begin(at now: Int64) -> Bool {
      if failures >= 100 { return false }
      let wait: Int64 = failures < 4 ? 0 : failures < 10 ? [1, 2, 4, 8, 16, 32][failures - 4] : 3600
      if wait > 0, now - waitsFrom < wait { return false }
      failures += 1
      waitsFrom = now
      return true
    }
  }

  /// A sign-in: one under way, or one that is done.
  struct SignIn {
    let generation: Int
    let began: Int64
    let expiry: Int64
    /// The factor that was proved, and when.
    var proof: (uid: String, date: Int64)?
  }

  /// What the machine's clock says, which can be set back.
  var clock: Int64
  /// The latest that it said when anything was changed: the account's time does not run backwards.
  var seen: Int64 = .min
  var apps: [App] = []
  var generation = 0
  var recoveryCodes: Set<String> = []
  var recoveryGuesses = Guesses()

  var now: Int64 { max(clock, seen) }

  // MARK: What is done, and the error it has to end in: nil for none.

  /// The first factor was proved.
  ///
  /// - Returns: A sign-in that is done if the user has no second factor, else one under way.
  func signIn() -> SignIn {
    SignIn(generation: generation, began: now, expiry: now + (apps.isEmpty ? 3600 : 600))
  }

  mutating func resolve(_ signIn: inout SignIn, uid: String, code: String) -> AuthError.Code? {
    if now >= signIn.expiry { return .sessionExpired }
    if signIn.generation != generation { return .userTokenExpired }
    guard let index = apps.firstIndex(where: { $0.uid == uid }) else { return .multiFactorInfoNotFound }
    guard apps[index].guesses.begin(at: now) else { return .tooManyRequests }
    seen = now
    guard let step = step(of: code, in: apps[index].totp, after: apps[index].lastStep) else {
      return .invalidVerificationCode
    }
    apps[index].lastStep = step
    apps[index].guesses.failures = 0
    complete(&signIn, uid)
    return nil
  }

  mutating func resolve(_ signIn: inout SignIn, recoveryCode: String) -> AuthError.Code? {
    if now >= signIn.expiry { return .sessionExpired }
    if signIn.generation != generation { return .userTokenExpired }
    if recoveryCodes.isEmpty { return .invalidVerificationCode }
    guard recoveryGuesses.begin(at: now) else { return .tooManyRequests }
    seen = now
    guard recoveryCodes.remove(recoveryCode) != nil else { return .invalidVerificationCode }
    recoveryGuesses.failures = 0
    complete(&signIn, RecoveryCodeMultiFactorID)
    return nil
  }

  mutating func enroll(_ user: inout SignIn, uid: String, _ totp: TOTP, code: String) -> AuthError.Code? {
    if let refusal = refusalOfHandle(user) ?? refusalOfChange(user) { return refusal }
    guard let step = step(of: code, in: totp, after: nil) else { return .invalidVerificationCode }
    if apps.count == 5 { return .maximumSecondFactorCountExceeded }
    seen = now
    apps.append(App(uid: uid, totp: totp, lastStep: step))
    user.proof = (uid, now)
    return nil
  }

  mutating func unenroll(_ user: SignIn, uid: String) -> AuthError.Code? {
    if let refusal = refusalOfHandle(user) ?? refusalOfChange(user) { return refusal }
    guard let index = apps.firstIndex(where: { $0.uid == uid }) else { return .multiFactorInfoNotFound }
    seen = now
    if index == apps.count - 1 { generation += 1 }
    apps.remove(at: index)
    if apps.isEmpty {
      recoveryCodes = []
      recoveryGuesses = Guesses()
    }
    return nil
  }

  /// - Parameter codes: What the codes will be, if there will be any.
  mutating func makeRecoveryCodes(_ user: SignIn, _ codes: [String]) -> AuthError.Code? {
    if let refusal = refusalOfHandle(user) { return refusal }
    if apps.isEmpty { return .multiFactorInfoNotFound }
    if let refusal = refusalOfChange(user) { return refusal }
    seen = now
    recoveryCodes = Set(codes)
    recoveryGuesses.failures = 0
    return nil
  }

  func requireSecondFactor(_ user: SignIn, within seconds: Int64) -> AuthError.Code? {
    if let refusal = refusalOfHandle(user) { return refusal }
    if let proof = user.proof, abs(now - proof.date) <= seconds, isThere(proof.uid) { return nil }
    return apps.isEmpty ? .multiFactorInfoNotFound : .secondFactorRequired
  }

  mutating func unlock(uid: String) -> AuthError.Code? {
    if uid == RecoveryCodeMultiFactorID {
      if recoveryCodes.isEmpty { return .multiFactorInfoNotFound }
      recoveryGuesses.failures = 0
      seen = now
      return nil
    }
    guard let index = apps.firstIndex(where: { $0.uid == uid }) else { return .multiFactorInfoNotFound }
    apps[index].guesses.failures = 0
    seen = now
    return nil
  }

  mutating func revoke() {
    generation += 1
    seen = now
  }

  // MARK: Rules that several of them share.

  private func complete(_ signIn: inout SignIn, _ uid: String) {
    // A handle lasts an hour from the first factor on, whenever the second one is proved.
    let began = signIn.began
    signIn = SignIn(generation: signIn.generation, began: began, expiry: began + 3600, proof: (uid, now))
  }

  private func refusalOfHandle(_ user: SignIn) -> AuthError.Code? {
    now >= user.expiry || user.generation != generation ? .userTokenExpired : nil
  }

  /// Factors are changed within five minutes of the first factor and, where there are any, after a second one.
  private func refusalOfChange(_ user: SignIn) -> AuthError.Code? {
    let isRecent = abs(now - user.began) <= 300
    let isProved = user.proof.map { isThere($0.uid) } ?? false
    return isRecent && (apps.isEmpty || isProved) ? nil : .requiresRecentLogin
  }

  private func isThere(_ uid: String) -> Bool {
    uid == RecoveryCodeMultiFactorID ? !apps.isEmpty : apps.contains { $0.uid == uid }
  }

  /// The earliest step after the last one, at most two from the clock's, that the code is of.
  private func step(of code: String, in totp: TOTP, after last: UInt64?) -> UInt64? {
    let current = UInt64(clock / 30)
    return (current - 2...current + 2).first { step in
      last.map { step > $0 } ?? true && (try? totp.code(forStep: step).description) == code
    }
  }
}
