import OTP

@testable import MultiFactor
@testable import MultiFactorPhone

/// The rules of second factors for one user, stated a second time and as simply as possible: of the product, this model
/// uses only the names of error codes and the engine's codes.
struct RuleModel {
  struct Device {
    enum Codes {
      case byTime(TOTP)
      case byCounter(HOTP)
      case byMessage
    }

    let uid: String
    /// Its secret, without zeros at the end, or for a phone its number: unique among a user's devices.
    let key: String
    let codes: Codes
    /// When its step 0 began.
    var t0: Int64 = 0
    var enrolled: Int64 = 0
    /// The last accepted step or counter.
    var last: UInt64?
    /// Whether it was accepted here, and not only stated by an administrator.
    var hasAccepted = false
    /// How many steps its clock is ahead, as found by consecutive codes.
    var ahead: Int64 = 0
    var guesses = Guesses()
    /// Its number among everything that was ever bound to the account.
    var number = 0

    /// The first counter that can be accepted.
    var next: UInt64 { last.map { $0 + 1 } ?? 0 }

    /// The name of its kind in claims.
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

  /// Consecutive failed guesses at one thing.
  struct Guesses {
    var failures = 0
    /// The start of the delay before the next guess.
    var waitsFrom: Int64 = 0

    /// Begins a guess, which counts as a failure at once. Four to nine failures delay the next guess; ten lock for an
    /// hour, or until unlocked; after a hundred no guess is allowed.
    mutating func begin(at now: Int64, _ limits: Limits) -> Bool {
      if failures >= (limits.locksForGood ? 10 : 100) { return false }
      let wait: Int64 = failures < 4 ? 0 : failures < 10 ? [1, 2, 4, 8, 16, 32][failures - 4] : 3600
      if wait > 0, now - waitsFrom < wait { return false }
      failures += 1
      waitsFrom = now
      return true
    }

    /// After a hundred failures, only a new enrollment helps.
    mutating func unlock() { if failures < 100 { failures = 0 } }
  }

  struct Limits {
    let locksForGood: Bool
    /// How many failures lock the account, across all factors and recovery codes.
    let ofAccount: Int
  }

  /// The generation of everything issued: a deletion begins an era, and revocations are counted within it.
  struct Generation: Hashable {
    /// 0 for a user of whom nothing is held.
    var era = 0
    var revocations = 0
  }

  /// A sign-in, under way or completed.
  struct SignIn {
    let generation: Generation
    let began: Int64
    var expiry: Int64
    /// When the handle expires that this sign-in is or leads to.
    var end: Int64
    var proof: Proof?
  }

  let limits: Limits
  /// The machine's clock, which can be set back.
  var clock: Int64
  /// The account's time, which does not run backward: the latest clock reading at any change.
  var seen: Int64 = .min
  var devices: [Device] = []
  /// The last accepted step or counter of each secret that was removed.
  var spent: [String: UInt64] = [:]
  /// How many factors and sets of recovery codes were ever bound to the account.
  var bindings = 0
  var generation = Generation()
  /// The number of eras begun.
  var eras = 0
  /// The unused recovery codes by number, when they were made, and the number of the set.
  var recoveryCodes: [Int: String] = [:]
  var recoveryCodesMade: Int64?
  var recoveryCodesNumber: Int?
  var recoveryGuesses = Guesses()
  /// Consecutive failures, whatever was tried.
  var failures = 0
  /// What was bound to the account earlier: which, from when, and until when.
  var past: [String] = []
  /// The time of the user's document of text messages, which does not run backward either.
  var seenByPhone: Int64 = .min
  /// The codes sent last, each for its purpose.
  var messages: [Message] = []
  /// The messages sent for the user.
  var sent = Sent()
  /// The time of the user's document of remembered browsers, and the browsers in it.
  var seenByBrowsers: Int64 = .min
  var browsers: [Browser] = []
  /// The messages sent to each number, for sign-ins and for enrollments; kept when the user is deleted.
  var sentTo: [String: Sent] = [:]

  var now: Int64 { max(clock, seen) }
  func step(of device: Device? = nil) -> UInt64 { UInt64((clock - (device?.t0 ?? 0)) / 30) }

  // MARK: Operations, each returning the error that it must end in, or nil for none.

  /// Signs in by the first factor.
  ///
  /// - Returns: A completed sign-in if the user has no second factor, else one under way.
  func signIn() -> SignIn {
    SignIn(generation: generation, began: now, expiry: now + (devices.isEmpty ? 3600 : 600), end: now + 3600)
  }

  /// Verifies a factor with one code, or with several consecutive ones.
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
    devices[index].hasAccepted = true
    if codes.count > 1, case .byTime = devices[index].codes {
      devices[index].ahead = Int64(found) - Int64(step(of: devices[index]))
    }
    succeed(&signIn, index)
    return nil
  }

  /// Notes that a device was verified, which unlocks it and all others.
  mutating func succeed(_ signIn: inout SignIn, _ index: Int) {
    devices[index].guesses.failures = 0
    for index in devices.indices { devices[index].guesses.unlock() }
    recoveryGuesses.unlock()
    failures = 0
    complete(&signIn, devices[index].uid, devices[index].kind)
  }

  /// Uses a valid handle: its proof is forgotten if the verified factor has been removed.
  private func use(_ user: inout SignIn) -> AuthError.Code? {
    if let refusal = refusalOfHandle(user) { return refusal }
    if let proof = user.proof, !isThere(proof) { user.proof = nil }
    return nil
  }

  func restore(_ user: inout SignIn) -> AuthError.Code? { use(&user) }

  func reload(_ user: inout SignIn) -> AuthError.Code? {
    if let refusal = use(&user) { return refusal }
    // A handle that verified no device gets no more time once the user has one.
    if !devices.isEmpty && user.proof == nil { return nil }
    user.end = now + 3600
    user.expiry = user.end
    return nil
  }

  /// Begins a session for enrolling factors, which lasts ten minutes.
  func beginEnrollment(_ user: inout SignIn) -> AuthError.Code? { use(&user) ?? refusalOfChange(user) }

  mutating func enroll(_ user: inout SignIn, _ new: Enrollment, code: String) -> AuthError.Code? {
    if let refusal = refusalOfHandle(user) { return refusal }
    if !isProved(user) { return .requiresRecentLogin }
    if now >= new.expiry { return .sessionExpired }
    if new.generation != generation { return .userTokenExpired }
    var device = new.device
    device.last = spent[device.key]
    guard let found = place(of: code, in: device) else { return .invalidVerificationCode }
    device.enrolled = now
    device.last = found
    device.hasAccepted = true
    if let refusal = add(device) { return refusal }
    user.proof = proof(of: device.uid, device.kind)
    return nil
  }

  /// Adds a device, unless another has its secret, number or name. What was spent of its secret stays spent.
  mutating func add(_ device: Device, atMost limit: Int = 5) -> AuthError.Code? {
    if devices.contains(where: { $0.key == device.key }) { return .secondFactorAlreadyEnrolled }
    if devices.count >= limit { return .maximumSecondFactorCountExceeded }
    if devices.contains(where: { $0.uid == device.uid }) { return .secondFactorAlreadyEnrolled }
    seen = now
    devices.append(device)
    bindings += 1
    devices[devices.count - 1].number = bindings
    devices[devices.count - 1].last = [device.last, spent[device.key]].compactMap(\.self).max()
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
    spend([device])
    if devices.isEmpty {
      dropRecoveryCodes()
      failures = 0
    } else if index == devices.count {
      revoke()
    }
    return nil
  }

  /// - Returns: The expected error and, if a second factor is required, the sign-in under way.
  func requireSecondFactor(_ user: inout SignIn, within seconds: Int64) -> (AuthError.Code?, SignIn?) {
    if let refusal = use(&user) { return (refusal, nil) }
    if let proof = user.proof, isVerified(proof), abs(now - proof.date) <= seconds { return (nil, nil) }
    if devices.isEmpty { return (.multiFactorInfoNotFound, nil) }
    var pending = user
    pending.expiry = min(now + 600, user.end)
    return (.secondFactorRequired, pending)
  }

  // MARK: Rules that several operations share.

  /// Counts an attempt, for the factor and for the account.
  mutating func attempt(_ guesses: WritableKeyPath<RuleModel, Guesses>) -> Bool {
    guard failures < limits.ofAccount, self[keyPath: guesses].begin(at: now, limits) else { return false }
    failures += 1
    seen = now
    return true
  }

  /// Keeps what was spent of devices that are removed or replaced.
  mutating func spend(_ devices: [Device]) {
    for device in devices where device.hasAccepted { spent[device.key] = device.last }
  }

  /// Records what was bound.
  mutating func bury(_ device: Device) {
    past.append("\(device.uid) \(device.enrolled) \(now)")
  }

  func complete(_ signIn: inout SignIn, _ uid: String, _ kind: String) {
    // A handle lasts an hour from the first factor on, or as long as the handle that was stepped up.
    signIn.expiry = signIn.end
    signIn.proof = proof(of: uid, kind)
  }

  func refusalOfHandle(_ user: SignIn) -> AuthError.Code? {
    now >= user.expiry || user.generation != generation ? .userTokenExpired : nil
  }

  /// The refusal of a change of factors, which needs a first factor within the last five minutes and, if the user has
  /// second factors, the proof of one.
  private func refusalOfChange(_ user: SignIn) -> AuthError.Code? {
    let isRecent = abs(now - user.began) <= 300
    return isRecent && isProved(user) ? nil : .requiresRecentLogin
  }
}
