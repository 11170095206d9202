import OTP

@testable import MultiFactor

/// The rules of second factors for one user, written down a second time and as simply as can be: nothing in here calls
/// the product but for the error codes' names and the engine's codes.
struct RuleModel {
  struct App {
    let uid: String
    let totp: TOTP
    var lastStep: UInt64
    var enrolled: Int64 = 0
    var guesses = Guesses()
  }

  /// A secret that is being enrolled.
  struct Enrollment {
    let uid: String
    let totp: TOTP
    let generation: Int
    let expiry: Int64
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
    var expiry: Int64
    /// When the handle ends that it is or leads to.
    var end: Int64
    /// The factor that was proved, and when.
    var proof: (uid: String, date: Int64)?
  }

  /// What the machine's clock says, which can be set back.
  var clock: Int64
  /// The latest that it said when anything was changed: the account's time does not run backwards.
  var seen: Int64 = .min
  var apps: [App] = []
  /// The names of those that were removed.
  var removed: Set<String> = []
  var generation = 0
  var recoveryCodes: Set<String> = []
  var recoveryGuesses = Guesses()

  var now: Int64 { max(clock, seen) }

  // MARK: What is done, and the error it has to end in: nil for none.

  /// The first factor was proved.
  ///
  /// - Returns: A sign-in that is done if the user has no second factor, else one under way.
  func signIn() -> SignIn {
    SignIn(generation: generation, began: now, expiry: now + (apps.isEmpty ? 3600 : 600), end: now + 3600)
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

  /// A handle is used, which is good: what it says was proved is forgotten if that has been removed.
  private func use(_ user: inout SignIn) -> AuthError.Code? {
    if let refusal = refusalOfHandle(user) { return refusal }
    if let proof = user.proof, !isThere(proof) { user.proof = nil }
    return nil
  }

  func restore(_ user: inout SignIn) -> AuthError.Code? { use(&user) }

  func reload(_ user: inout SignIn) -> AuthError.Code? {
    if let refusal = use(&user) { return refusal }
    user.end = now + 3600
    user.expiry = user.end
    return nil
  }

  /// A session that factors can be enrolled in: ten minutes.
  func beginEnrollment(_ user: inout SignIn) -> AuthError.Code? { use(&user) ?? refusalOfChange(user) }

  mutating func enroll(_ user: inout SignIn, _ new: Enrollment, code: String) -> AuthError.Code? {
    if let refusal = refusalOfHandle(user) { return refusal }
    if !isProved(user) { return .requiresRecentLogin }
    if now >= new.expiry { return .sessionExpired }
    if new.generation != generation { return .userTokenExpired }
    guard let step = step(of: code, in: new.totp, after: nil) else { return .invalidVerificationCode }
    if apps.contains(where: { $0.uid == new.uid }) { return .secondFactorAlreadyEnrolled }
    if apps.count == 5 { return .maximumSecondFactorCountExceeded }
    if removed.contains(new.uid) { return .secondFactorAlreadyEnrolled }
    seen = now
    apps.append(App(uid: new.uid, totp: new.totp, lastStep: step, enrolled: now))
    user.proof = (new.uid, now)
    return nil
  }

  mutating func unenroll(_ user: inout SignIn, uid: String) -> AuthError.Code? {
    if let refusal = refusalOfHandle(user) ?? refusalOfChange(user) { return refusal }
    guard let index = apps.firstIndex(where: { $0.uid == uid }) else { return .multiFactorInfoNotFound }
    seen = now
    apps.remove(at: index)
    removed.insert(uid)
    if let proof = user.proof, !isThere(proof) { user.proof = nil }
    if apps.isEmpty {
      recoveryCodes = []
      recoveryGuesses = Guesses()
      return nil
    }
    guard index == apps.count else { return nil }
    generation += 1
    return .invalidUserToken
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

  /// - Returns: How it ends and, if a second factor is asked for, the sign-in under way.
  func requireSecondFactor(_ user: inout SignIn, within seconds: Int64) -> (AuthError.Code?, SignIn?) {
    if let refusal = use(&user) { return (refusal, nil) }
    if let proof = user.proof, abs(now - proof.date) <= seconds { return (nil, nil) }
    if apps.isEmpty { return (.multiFactorInfoNotFound, nil) }
    var pending = user
    pending.expiry = min(now + 600, user.end)
    return (.secondFactorRequired, pending)
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
    // A handle lasts an hour from the first factor on, or as long as the one did that was stepped up.
    signIn.expiry = signIn.end
    signIn.proof = (uid, now)
  }

  private func refusalOfHandle(_ user: SignIn) -> AuthError.Code? {
    now >= user.expiry || user.generation != generation ? .userTokenExpired : nil
  }

  /// Factors are changed within five minutes of the first factor and, where there are any, after a second one.
  private func refusalOfChange(_ user: SignIn) -> AuthError.Code? {
    let isRecent = abs(now - user.began) <= 300
    return isRecent && isProved(user) ? nil : .requiresRecentLogin
  }

  private func isProved(_ user: SignIn) -> Bool { apps.isEmpty || user.proof.map(isThere) ?? false }

  /// A recovery code proves nothing of apps that came when all those of its time had gone.
  private func isThere(_ proof: (uid: String, date: Int64)) -> Bool {
    apps.contains { $0.uid == proof.uid || proof.uid == RecoveryCodeMultiFactorID && $0.enrolled <= proof.date }
  }

  /// The earliest step after the last one, at most two from the clock's, that the code is of.
  private func step(of code: String, in totp: TOTP, after last: UInt64?) -> UInt64? {
    let current = UInt64(clock / 30)
    return (current - 2...current + 2).first { step in
      last.map { step > $0 } ?? true && (try? totp.code(forStep: step).description) == code
    }
  }
}
