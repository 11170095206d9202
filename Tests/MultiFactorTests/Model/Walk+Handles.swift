import OTP

@testable import MultiFactor

// What users do with their handles.
extension Walk {
  /// Enrols an app at once; one time in three, the secret stays for later.
  mutating func enroll(wrongly: Bool = false) async throws {
    guard let index = pickUser() else { return }
    let user = users[index].real
    let began = model.now
    var secret: TOTPSecret?
    let refusal = await errorCode {
      secret = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
    }
    try expect(refusal, model.beginEnrollment(&users[index].model), "begin to enrol")
    guard let secret else { return }
    let totp = try TOTP(secret: OTPSecret(base32: secret.sharedSecretKey()))
    enrollments.append(
      (
        secret,
        RuleModel.Enrollment(
          uid: secret.content.uid, totp: totp, generation: model.generation, expiry: began + 600)
      ))
    if random.next() % 3 != 0 { try await enroll(enrollments.count - 1, by: index, wrongly: wrongly) }
  }

  /// Goes on with an enrolment, by any handle.
  mutating func enrollLater() async throws {
    guard let index = pickUser(), !enrollments.isEmpty else { return }
    let last = enrollments.count - 1
    try await enroll(random.next() % 3 == 0 ? Int(random.next() % UInt64(last + 1)) : last, by: index, wrongly: false)
  }

  private mutating func enroll(_ enrollment: Int, by index: Int, wrongly: Bool) async throws {
    let (secret, new) = enrollments[enrollment]
    let user = users[index].real
    let code = try new.totp.code(at: model.clock + (wrongly ? 300 : 0)).description
    let refusal = await errorCode {
      try await user.multiFactor.enroll(
        with: TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: code), displayName: nil)
    }
    try expect(refusal, model.enroll(&users[index].model, new, code: code), "enrol")
    if refusal == nil {
      apps.append(RuleModel.App(uid: new.uid, totp: new.totp, lastStep: 0))
      usedCodes.append(code)
    }
  }

  mutating func unenroll() async throws {
    guard let index = pickUser(), !apps.isEmpty else { return }
    let user = users[index].real
    let uid = random.pick(random.next() % 2 == 0 || model.apps.isEmpty ? apps : model.apps).uid
    let refusal = await errorCode { try await user.multiFactor.unenroll(withFactorUID: uid) }
    let wasOnly = model.apps.map(\.uid) == [uid]
    try expect(refusal, model.unenroll(&users[index].model, uid: uid), wasOnly ? "unenrol the only one" : "unenrol")
  }

  mutating func makeRecoveryCodes() async throws {
    guard let index = pickUser() else { return }
    let (user, signIn) = users[index]
    var codes: [String] = []
    let refusal = await errorCode { codes = try await user.multiFactor.generateRecoveryCodes().codes }
    try expect(refusal, model.makeRecoveryCodes(signIn, codes), "make recovery codes")
    knownRecoveryCodes += codes
  }

  /// Asks for a second factor; what goes on from there may be resolved later.
  mutating func requireSecondFactor() async throws {
    guard let index = pickUser() else { return }
    let user = users[index].real
    let error = await authError { try await user.requireSecondFactor(within: 60) }
    let (expected, pending) = model.requireSecondFactor(&users[index].model, within: 60)
    try expect(error?.code, expected, "require")
    if let resolver = error?.resolver, let pending { resolvers.append((resolver, pending)) }
  }

  mutating func reload() async throws {
    guard let index = pickUser() else { return }
    let user = users[index].real
    let refusal = await errorCode { try await user.reload() }
    try expect(refusal, model.reload(&users[index].model), "reload")
  }

  /// Goes on with a handle's token, as the next request does.
  mutating func restore() async throws {
    guard let index = pickUser() else { return }
    let token = try users[index].real.token
    let auth = host.auth
    var user: User?
    let refusal = await errorCode { user = try await auth.user(from: token) }
    var signIn = users[index].model
    try expect(refusal, model.restore(&signIn), "restore")
    if let user { users.append((user, signIn)) }
  }
}
