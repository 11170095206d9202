import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

// Operations of users with codes by text message.
extension Walk {
  private static let numbers = (0..<4).map { "+1510555000\($0)" }

  /// Has a code sent to a number, mostly in a new session, and mostly types it in.
  mutating func enrollPhone() async throws {
    guard let index = pickUser() else { return }
    let user = users[index].real
    let began = model.now
    var session: MultiFactorSession?
    let refusal = await errorCode { session = try await user.multiFactor.session() }
    try expect(refusal, model.beginEnrollment(&users[index].model), "begin to enroll")
    if let session {
      var own = users[index].model
      own.expiry = began + 600
      sessions.append((session, own))
    }
    guard !sessions.isEmpty else { return }
    let (real, own) = random.next() % 4 == 0 ? random.pick(sessions) : sessions[sessions.count - 1]
    let number = random.pick(Self.numbers)
    let phones = host.phones
    try await send("send to enroll", to: number, proving: nil, in: own) {
      try await phones.verifyPhoneNumber(number, multiFactorSession: real)
    }
    guard let message = random.next() % 8 == 0 ? messages.randomElement(using: &random) : messages.last else { return }
    if random.next() % 4 != 0 { try await enroll(message, by: index) }
  }

  private mutating func enroll(_ message: RuleModel.Message, by index: Int) async throws {
    let user = users[index].real
    let code = typed(message)
    let credential = host.phones.credential(withVerificationID: message.id, verificationCode: code)
    let refusal = await errorCode {
      try await user.multiFactor.enroll(with: PhoneMultiFactorGenerator.assertion(with: credential), displayName: nil)
    }
    let uid = refusal == nil ? user.claims.secondFactorIdentifier ?? "" : ""
    try expect(refusal, model.enroll(&users[index].model, message, code: code, uid: uid), "enroll a phone")
    if refusal == nil, let phone = model.devices.last { devices.append(phone) }
  }

  /// Has a code sent in a sign-in, and mostly types it in, in this sign-in or another.
  mutating func resolveByPhone() async throws {
    let phones = devices.filter { $0.kind == PhoneMultiFactorID }
    let own = model.devices.filter { $0.kind == PhoneMultiFactorID }
    guard let phone = (random.next() % 4 == 0 ? phones : own).randomElement(using: &random) else { return }
    if resolvers.isEmpty || random.next() % 2 == 0 { try await signIn() }
    guard let (resolver, signIn) = random.next() % 4 == 0 ? resolvers.randomElement(using: &random) : resolvers.last
    else { return }
    let provider = host.phones
    let hint = PhoneMultiFactorInfo(uid: phone.uid, displayName: nil, enrollmentDate: .distantPast, phoneNumber: "")
    for _ in 0..<random.pick([1, 1, 1, 1, 1, 6]) {
      try await send("send", to: phone.key, proving: phone.uid, in: signIn) {
        try await provider.verifyPhoneNumber(with: hint, multiFactorSession: resolver.session)
      }
    }
    guard let message = random.next() % 8 == 0 ? messages.randomElement(using: &random) : messages.last else { return }
    if random.next() % 4 != 0 { try await resolve("answer", message, typed(message)) }
  }

  /// Answers with a code in a sign-in.
  mutating func resolve(_ name: String, _ message: RuleModel.Message, _ code: String) async throws {
    let credential = host.phones.credential(withVerificationID: message.id, verificationCode: code)
    try await resolve(name, PhoneMultiFactorGenerator.assertion(with: credential)) { model, signIn in
      model.resolve(&signIn, message, code: code)
    }
  }

  private mutating func send(
    _ name: String, to number: String, proving uid: String?, in session: RuleModel.SignIn,
    _ verify: () async throws -> String
  ) async throws {
    let isTaken = random.next() % 8 != 0
    host.sender.fails = !isTaken
    var id: String?
    let refusal = await errorCode { id = try await verify() }
    host.sender.fails = false
    let sent = id.map { ($0, host.sender.lastCode) }
    try expect(refusal, model.send(to: number, proving: uid, in: session, isTaken: isTaken, sent), name)
    if id != nil, let message = model.messages.last { messages.append(message) }
  }

  /// What a user types after a message: mostly its code.
  private mutating func typed(_ message: RuleModel.Message) -> String {
    random.next() % 4 == 0 ? otherCode(than: message.code) : message.code
  }
}
