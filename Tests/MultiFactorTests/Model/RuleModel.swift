import OTP

@testable import MultiFactor

/// The rules of second factors for one user, written down a second time and as simply as can be: nothing in here calls
/// the product but for the error codes' names and the engine's codes.
struct RuleModel {
  struct Device {
    enum Codes {
      case byTime(TOTP)
      case byCounter(HOTP)
    }

    let uid: String
    let codes: Codes
    var enrolled: Int64 = 0
    /// The step or counter accepted last.
    var last: UInt64?
    /// How many steps its clock is ahead, as codes in a row have shown.
    var ahead: Int64 = 0
    var guesses = Guesses()

    /// The first counter that can be accepted.
    var next: UInt64 { last.map { $0 + 1 } ?? 0 }
  }

  /// A secret that is being enrolled.
  struct Enrollment {
    let device: Device
    let generation: Int
    let expiry: Int64
  }

  /// What has been guessed at one thing in a row.
  struct Guesses {
    var failures = 0
    /// From when on the wait for the next guess runs.
    var waitsFrom: Int64 = 0

    /// Ten failures lock, for an hour or for good, the fourth to ninth delay, a hundred end it; a failed guess counts at
    /// once.
    mutating func begin(at now: Int64, _ limits: Limits) -> Bool {
      if failures >= (limits.locksForGood ? 10 : 100) { return false }
      let wait: Int64 = failures < 4 ? 0 : failures < 10 ? [1, 2, 4, 8, 16, 32][failures - 4] : 3600
      if wait > 0, now - waitsFrom < wait { return false }
      failures += 1
      waitsFrom = now
      return true
    }
  }

  struct Limits {
    let locksForGood: Bool
    /// How many failures there may be over all factors and recovery codes.
    let ofAccount: Int
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

  let limits: Limits
  /// What the machine's clock says, which can be set back.
  var clock: Int64
  /// The latest that it said when anything was changed: the account's time does not run backwards.
  var seen: Int64 = .min
  var devices: [Device] = []
  /// The names of those that were removed.
  var removed: Set<String> = []
  var generation = 0
  /// Those that are left, by their numbers, and when they were made.
  var recoveryCodes: [Int: String] = [:]
  var recoveryCodesMade: Int64?
  var recoveryGuesses = Guesses()
  /// When a list of them was last dropped.
  var recoveryCodesGone: Int64 = .min
  /// Failures in a row, whatever was tried.
  var failures = 0
  /// What was bound to the account and is not any more: which, from when on, until when.
  var past: [String] = []

  var now: Int64 { max(clock, seen) }
  var step: UInt64 { UInt64(clock / 30) }

  // MARK: What is done, and the error it has to end in: nil for none.

  /// The first factor was proved.
  ///
  /// - Returns: A sign-in that is done if the user has no second factor, else one under way.
  func signIn() -> SignIn {
    SignIn(generation: generation, began: now, expiry: now + (devices.isEmpty ? 3600 : 600), end: now + 3600)
  }

  /// One code proves a factor, or several in a row do.
  mutating func resolve(_ signIn: inout SignIn, uid: String, codes: [String]) -> AuthError.Code? {
    if now >= signIn.expiry { return .sessionExpired }
    if signIn.generation != generation { return .userTokenExpired }
    guard let index = devices.firstIndex(where: { $0.uid == uid }) else { return .multiFactorInfoNotFound }
    guard attempt(\.devices[index].guesses) else { return .tooManyRequests }
    guard let found = codes.count == 1 ? place(of: codes[0], in: devices[index]) : run(of: codes, in: devices[index])
    else { return .invalidVerificationCode }
    devices[index].last = found
    if codes.count > 1, case .byTime = devices[index].codes { devices[index].ahead = Int64(found) - Int64(step) }
    for index in devices.indices { devices[index].guesses.failures = 0 }
    recoveryGuesses.failures = 0
    failures = 0
    complete(&signIn, uid)
    return nil
  }

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
    // Who has devices by now, and proved none, gets no more time.
    if !devices.isEmpty && user.proof == nil { return nil }
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
    guard let found = place(of: code, in: new.device) else { return .invalidVerificationCode }
    let uid = new.device.uid
    if devices.contains(where: { $0.uid == uid }) { return .secondFactorAlreadyEnrolled }
    if devices.count == 5 { return .maximumSecondFactorCountExceeded }
    if removed.contains(uid) { return .secondFactorAlreadyEnrolled }
    seen = now
    devices.append(Device(uid: uid, codes: new.device.codes, enrolled: now, last: found))
    user.proof = (uid, now)
    return nil
  }

  mutating func unenroll(_ user: inout SignIn, uid: String) -> AuthError.Code? {
    if let refusal = refusalOfHandle(user) ?? refusalOfChange(user) { return refusal }
    guard let index = devices.firstIndex(where: { $0.uid == uid }) else { return .multiFactorInfoNotFound }
    seen = now
    past.append("\(uid) \(devices[index].enrolled) \(now)")
    devices.remove(at: index)
    removed.insert(uid)
    if let proof = user.proof, !isThere(proof) { user.proof = nil }
    if devices.isEmpty {
      dropRecoveryCodes()
      failures = 0
      return nil
    }
    guard index == devices.count else { return nil }
    generation += 1
    return .invalidUserToken
  }

  /// - Parameter codes: What the codes will be, if there will be any.
  mutating func makeRecoveryCodes(_ user: SignIn, _ codes: [String]) -> AuthError.Code? {
    if let refusal = refusalOfHandle(user) { return refusal }
    if devices.isEmpty { return .multiFactorInfoNotFound }
    guard let proof = user.proof, proof.uid != RecoveryCodeMultiFactorID, isThere(proof), abs(now - proof.date) <= 300
    else { return .requiresRecentLogin }
    dropRecoveryCodes()
    seen = now
    recoveryCodesMade = now
    for (index, code) in codes.enumerated() { recoveryCodes[index + 1] = code }
    return nil
  }

  /// - Returns: How it ends and, if a second factor is asked for, the sign-in under way.
  func requireSecondFactor(_ user: inout SignIn, within seconds: Int64) -> (AuthError.Code?, SignIn?) {
    if let refusal = use(&user) { return (refusal, nil) }
    if let proof = user.proof, abs(now - proof.date) <= seconds { return (nil, nil) }
    if devices.isEmpty { return (.multiFactorInfoNotFound, nil) }
    var pending = user
    pending.expiry = min(now + 600, user.end)
    return (.secondFactorRequired, pending)
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

  mutating func revoke() {
    generation += 1
    seen = now
  }

  // MARK: Rules that several of them share.

  /// Counts an attempt, on what is tried and on the account.
  private mutating func attempt(_ guesses: WritableKeyPath<RuleModel, Guesses>) -> Bool {
    guard failures < limits.ofAccount, self[keyPath: guesses].begin(at: now, limits) else { return false }
    failures += 1
    seen = now
    return true
  }

  private mutating func dropRecoveryCodes() {
    if let made = recoveryCodesMade {
      past.append("\(RecoveryCodeMultiFactorID) \(made) \(now)")
      recoveryCodesGone = now
    }
    recoveryCodes = [:]
    recoveryCodesMade = nil
    recoveryGuesses = Guesses()
  }

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

  private func isProved(_ user: SignIn) -> Bool { devices.isEmpty || user.proof.map(isThere) ?? false }

  /// A recovery code proves nothing once its list is gone.
  private func isThere(_ proof: (uid: String, date: Int64)) -> Bool {
    if proof.uid != RecoveryCodeMultiFactorID { return devices.contains { $0.uid == proof.uid } }
    return recoveryCodesGone <= proof.date && devices.contains { $0.enrolled <= proof.date }
  }
}
