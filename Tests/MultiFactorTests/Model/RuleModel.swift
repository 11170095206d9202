import OTP

@testable import MultiFactor

/// The rules of second factors for one user, written down a second time and as simply as can be: nothing in here calls
/// the product but for the error codes' names and the engine's codes.
struct RuleModel {
  struct Device {
    enum Codes {
      case byTime(TOTP)
      case byCounter(HOTP)
      case byMessage
    }

    let uid: String
    /// Its secret or, of a phone, its number: no two of a user's devices have the same.
    let key: String
    let codes: Codes
    var enrolled: Int64 = 0
    /// Until when its secret can be offered for enrolment; `nil` for one that never was.
    var offeredUntil: Int64?
    /// The step or counter accepted last.
    var last: UInt64?
    /// How many steps its clock is ahead, as codes in a row have shown.
    var ahead: Int64 = 0
    var guesses = Guesses()

    /// The first counter that can be accepted.
    var next: UInt64 { last.map { $0 + 1 } ?? 0 }

    /// As claims have it.
    var kind: String {
      switch codes {
      case .byTime: TOTPMultiFactorID
      case .byCounter: HOTPMultiFactorID
      case .byMessage: PhoneMultiFactorID
      }
    }
  }

  /// A secret that is being enrolled.
  struct Enrollment {
    let device: Device
    let generation: Generation
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

  /// What all that is given out is of: a deletion begins an era, and in each, revocations are counted.
  struct Generation: Hashable {
    /// 0 for one of a user of whom nothing is held.
    var era = 0
    var revocations = 0
  }

  /// A sign-in: one under way, or one that is done.
  struct SignIn {
    let generation: Generation
    let began: Int64
    var expiry: Int64
    /// When the handle ends that it is or leads to.
    var end: Int64
    /// The factor that was proved, and when.
    var proof: (uid: String, kind: String, date: Int64)?
  }

  let limits: Limits
  /// What the machine's clock says, which can be set back.
  var clock: Int64
  /// The latest that it said when anything was changed: the account's time does not run backwards.
  var seen: Int64 = .min
  var devices: [Device] = []
  /// The names of those that were removed, and until when the secret could have been enrolled once more.
  var removed: [String: Int64] = [:]
  /// When the last one of a name was removed.
  var gone: [String: Int64] = [:]
  var generation = Generation()
  /// How many eras have begun.
  var eras = 0
  /// Those that are left, by their numbers, and when they were made.
  var recoveryCodes: [Int: String] = [:]
  var recoveryCodesMade: Int64?
  var recoveryGuesses = Guesses()
  /// Failures in a row, whatever was tried.
  var failures = 0
  /// What was bound to the account and is not any more: which, from when on, until when.
  var past: [String] = []
  /// Codes that were sent and can be answered.
  var messages: [Message] = []
  /// What was sent for the user.
  var sent = Sent()
  /// What was sent to each number, for sign-ins and for enrolments: it outlives the user.
  var sentTo: [String: Sent] = [:]

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
  mutating func resolve(_ signIn: inout SignIn, by device: Device, codes: [String]) -> AuthError.Code? {
    if now >= signIn.expiry { return .sessionExpired }
    if signIn.generation != generation { return .userTokenExpired }
    guard let index = devices.firstIndex(where: { $0.uid == device.uid && $0.kind == device.kind }) else {
      return .multiFactorInfoNotFound
    }
    guard attempt(\.devices[index].guesses) else { return .tooManyRequests }
    guard let found = codes.count == 1 ? place(of: codes[0], in: devices[index]) : run(of: codes, in: devices[index])
    else { return .invalidVerificationCode }
    devices[index].last = found
    if codes.count > 1, case .byTime = devices[index].codes { devices[index].ahead = Int64(found) - Int64(step) }
    succeed(&signIn, index)
    return nil
  }

  /// A device was proved: it and all others are unlocked.
  mutating func succeed(_ signIn: inout SignIn, _ index: Int) {
    for index in devices.indices { devices[index].guesses.failures = 0 }
    recoveryGuesses.failures = 0
    failures = 0
    complete(&signIn, devices[index].uid, devices[index].kind)
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
    // A user who has devices by now, and proved none, gets no more time.
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
    var device = new.device
    device.enrolled = now
    device.last = found
    device.offeredUntil = new.expiry
    if let refusal = add(device) { return refusal }
    user.proof = (device.uid, device.kind, now)
    return nil
  }

  /// Nothing is there twice, by its secret, number or name, nor can be offered once more.
  mutating func add(_ device: Device, atMost limit: Int = 5) -> AuthError.Code? {
    if devices.contains(where: { $0.key == device.key }) { return .secondFactorAlreadyEnrolled }
    if devices.count >= limit { return .maximumSecondFactorCountExceeded }
    if devices.contains(where: { $0.uid == device.uid }) { return .secondFactorAlreadyEnrolled }
    if let end = removed[device.uid], now < end { return .secondFactorAlreadyEnrolled }
    seen = now
    devices.append(device)
    return nil
  }

  mutating func unenroll(_ user: inout SignIn, uid: String) -> AuthError.Code? {
    if let refusal = refusalOfHandle(user) ?? refusalOfChange(user) { return refusal }
    let before = generation
    if let refusal = remove(uid: uid) { return refusal }
    if let proof = user.proof, !isThere(proof) { user.proof = nil }
    return generation == before ? nil : .invalidUserToken
  }

  mutating func remove(uid: String) -> AuthError.Code? {
    guard let index = devices.firstIndex(where: { $0.uid == uid }) else { return .multiFactorInfoNotFound }
    seen = now
    let device = devices.remove(at: index)
    bury(device)
    if let end = device.offeredUntil { removed[uid] = end }
    messages.removeAll { $0.uid == uid }
    if devices.isEmpty {
      dropRecoveryCodes()
      failures = 0
    } else if index == devices.count {
      revoke()
    }
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

  // MARK: Rules that several of them share.

  /// Counts an attempt, on what is tried and on the account.
  mutating func attempt(_ guesses: WritableKeyPath<RuleModel, Guesses>) -> Bool {
    guard failures < limits.ofAccount, self[keyPath: guesses].begin(at: now, limits) else { return false }
    failures += 1
    seen = now
    return true
  }

  /// Notes what was bound.
  mutating func bury(_ device: Device) {
    past.append("\(device.uid) \(device.enrolled) \(now)")
    gone[device.uid] = now
  }

  func complete(_ signIn: inout SignIn, _ uid: String, _ kind: String) {
    // A handle lasts an hour from the first factor on, or as long as the one did that was stepped up.
    signIn.expiry = signIn.end
    signIn.proof = (uid, kind, now)
  }

  func refusalOfHandle(_ user: SignIn) -> AuthError.Code? {
    now >= user.expiry || user.generation != generation ? .userTokenExpired : nil
  }

  /// Factors are changed within five minutes of the first factor and, where there are any, after a second one.
  private func refusalOfChange(_ user: SignIn) -> AuthError.Code? {
    let isRecent = abs(now - user.began) <= 300
    return isRecent && isProved(user) ? nil : .requiresRecentLogin
  }

  func isProved(_ user: SignIn) -> Bool { devices.isEmpty || user.proof.map(isThere) ?? false }

  /// A recovery code proves nothing once its list is gone, nor does a device that was removed, of another of its name.
  func isThere(_ proof: (uid: String, kind: String, date: Int64)) -> Bool {
    guard gone[proof.uid, default: .min] <= proof.date else { return false }
    return devices.contains { device in
      proof.kind == RecoveryCodeMultiFactorID
        ? device.enrolled <= proof.date : device.uid == proof.uid && device.kind == proof.kind
    }
  }
}
