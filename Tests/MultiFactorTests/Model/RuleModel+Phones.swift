@testable import MultiFactor
@testable import MultiFactorPhone

// Codes by text message.
extension RuleModel {
  var nowByPhone: Int64 { max(clock, seenByPhone) }

  /// A code that was sent.
  struct Message {
    /// The ID that an answer to it names.
    let id: String
    let code: String
    /// The factor that it can verify; `nil` if it enrolls its number.
    let uid: String?
    let number: String
    let generation: Generation
    var expiry: Int64
    /// The same by the clocks.
    let end: Int64
    var tries = 0
  }

  /// The messages sent within the last hour, by a time that does not run backward.
  struct Sent {
    var times: [Int64] = []
    var seen: Int64 = .min

    mutating func count(atMost limit: Int, at clock: Int64) -> Bool {
      let now = max(seen, clock)
      guard times.filter({ $0 > now - 3600 }).count < limit else { return false }
      seen = now
      times.append(now)
      return true
    }
  }

  /// Requests a code, in a handle's session or in a sign-in under way.
  ///
  /// - Parameters:
  ///   - number: The number to send to, and to enroll.
  ///   - uid: The factor to verify, whatever its number is by now; `nil` to enroll the number.
  ///   - isTaken: Whether the sender accepts the message.
  ///   - message: The ID to answer with, and the code, if it is sent.
  mutating func send(
    to number: String, proving uid: String?, in session: SignIn, isTaken: Bool, _ message: (id: String, code: String)?
  ) -> AuthError.Code? {
    if now >= session.expiry { return .sessionExpired }
    if session.generation != generation { return .userTokenExpired }
    var number = number
    if let uid {
      guard let phone = devices.first(where: { $0.uid == uid && $0.kind == PhoneMultiFactorID }) else {
        return .multiFactorInfoNotFound
      }
      number = phone.key
    } else {
      if devices.contains(where: { $0.key == number }) { return .secondFactorAlreadyEnrolled }
      if devices.count >= 5 { return .maximumSecondFactorCountExceeded }
    }
    let life = min(300, session.expiry - now)
    let expiry = nowByPhone + life
    // Ten an hour for the user, five to the number. A message that the number's limit refuses does not count for the
    // user; one that the sender does not accept counts only for the user.
    guard sent.count(atMost: 10, at: nowByPhone) else { return .quotaExceeded }
    seenByPhone = nowByPhone
    let place = (uid == nil ? "enroll " : "sign in ") + number
    guard sentTo[place, default: Sent()].count(atMost: 5, at: clock) else {
      sent.times.removeLast()
      return .quotaExceeded
    }
    guard isTaken, let message else {
      sentTo[place]?.times.removeLast()
      return .internalError
    }
    // Only the code sent last can be answered.
    messages.removeAll { $0.uid == uid }
    messages.append(
      Message(
        id: message.id, code: message.code, uid: uid, number: number, generation: session.generation, expiry: expiry,
        end: clock + life))
    return nil
  }

  /// Answers with a code in a sign-in.
  mutating func resolve(_ signIn: inout SignIn, _ message: Message, code: String) -> AuthError.Code? {
    // An answer for another purpose is refused before the account is read.
    if clock >= signIn.expiry { return .sessionExpired }
    guard let uid = message.uid else { return .invalidVerificationID }
    if now >= signIn.expiry { return .sessionExpired }
    if signIn.generation != generation { return .userTokenExpired }
    guard let index = devices.firstIndex(where: { $0.uid == uid && $0.kind == PhoneMultiFactorID }) else {
      return .multiFactorInfoNotFound
    }
    guard attempt(\.devices[index].guesses) else { return .tooManyRequests }
    guard let number = answer(message.id, code, in: signIn), number == devices[index].key else {
      return .invalidVerificationCode
    }
    succeed(&signIn, index)
    return nil
  }

  /// Answers with a code and a handle.
  ///
  /// - Parameter uid: The name that the factor will have if it is enrolled.
  mutating func enroll(_ user: inout SignIn, _ message: Message, code: String, uid: String) -> AuthError.Code? {
    if let refusal = refusalOfHandle(user) { return refusal }
    if !isProved(user) || abs(now - user.began) > 900 { return .requiresRecentLogin }
    if message.uid != nil { return .invalidVerificationID }
    guard let number = answer(message.id, code, in: user) else { return .invalidVerificationCode }
    let phone = Device(uid: uid, key: number, codes: .byMessage, enrolled: now)
    if let refusal = add(phone) { return refusal }
    user.proof = proof(of: uid, phone.kind)
    return nil
  }

  /// - Returns: The number that the code was sent to, if the code is right, has not expired and has tries left; the
  ///   code is then used up.
  private mutating func answer(_ id: String, _ code: String, in session: SignIn) -> String? {
    seenByPhone = nowByPhone
    guard let index = messages.firstIndex(where: { $0.id == id }) else { return nil }
    guard messages[index].generation == session.generation else { return nil }
    // An end that any clock has seen is one.
    if clock >= messages[index].end { messages[index].expiry = .min }
    let message = messages[index]
    guard seenByPhone < message.expiry, message.tries < 5 else { return nil }
    messages[index].tries += 1
    guard message.code == code else { return nil }
    messages.removeAll { $0.id == id }
    return message.number
  }

  /// Sent codes that can still be answered.
  var liveMessages: [Message] {
    messages.filter { $0.generation == generation && nowByPhone < $0.expiry && clock < $0.end }
  }
}
