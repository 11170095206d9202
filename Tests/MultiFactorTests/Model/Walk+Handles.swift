import OTP

@testable import MultiFactor

// Operations of users with their handles.
extension Walk {
  /// Enrolls a device at once; one time in three, its secret is kept for later.
  mutating func enroll(wrongly: Bool = false) async throws {
    guard let index = pickUser() else { return }
    let user = users[index].real
    let began = model.now
    let isByTime = random.next() % 3 != 0
    var new: (device: RuleModel.Device, assertion: (String) -> MultiFactorAssertion)?
    let refusal = await errorCode {
      let session = try await user.multiFactor.session()
      if isByTime {
        let secret = try await TOTPMultiFactorGenerator.generateSecret(with: session)
        let shared = try OTPSecret(base32: secret.sharedSecretKey())
        let totp = try TOTP(secret: shared)
        new = (
          RuleModel.Device(uid: secret.content.uid, key: try Self.key(shared), codes: .byTime(totp)),
          { TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: $0) }
        )
      } else {
        let secret = try await HOTPMultiFactorGenerator.generateSecret(with: session)
        let shared = try OTPSecret(base32: secret.sharedSecretKey())
        let hotp = try HOTP(secret: shared)
        new = (
          RuleModel.Device(uid: secret.content.uid, key: try Self.key(shared), codes: .byCounter(hotp)),
          { HOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: $0) }
        )
      }
    }
    try expect(refusal, model.beginEnrollment(&users[index].model), "begin to enroll")
    guard let new else { return }
    enrollments.append(
      (
        new.assertion,
        RuleModel.Enrollment(device: new.device, generation: model.generation, expiry: began + 600)
      ))
    if random.next() % 3 != 0 { try await enroll(enrollments.count - 1, by: index, wrongly: wrongly) }
  }

  /// Continues an enrollment, by any handle.
  mutating func enrollLater() async throws {
    guard let index = pickUser(), !enrollments.isEmpty else { return }
    let last = enrollments.count - 1
    try await enroll(random.next() % 3 == 0 ? Int(random.next() % UInt64(last + 1)) : last, by: index, wrongly: false)
  }

  private mutating func enroll(_ enrollment: Int, by index: Int, wrongly: Bool) async throws {
    let (assertion, new) = enrollments[enrollment]
    let user = users[index].real
    guard let code = try self.code(of: new.device, wrongly ? 50 : 0) else { return }
    let refusal = await errorCode {
      try await user.multiFactor.enroll(with: assertion(code), displayName: nil)
    }
    try expect(refusal, model.enroll(&users[index].model, new, code: code), "enroll")
    if refusal == nil {
      devices.append(new.device)
      usedCodes.append(code)
    }
  }

  mutating func unenroll() async throws {
    guard let index = pickUser(), !devices.isEmpty else { return }
    let user = users[index].real
    let uid = random.pick(random.next() % 2 == 0 || model.devices.isEmpty ? devices : model.devices).uid
    let refusal = await errorCode { try await user.multiFactor.unenroll(withFactorUID: uid) }
    let wasOnly = model.devices.map(\.uid) == [uid]
    try expect(refusal, model.unenroll(&users[index].model, uid: uid), wasOnly ? "unenroll the only one" : "unenroll")
  }

  mutating func makeRecoveryCodes() async throws {
    guard let index = pickUser() else { return }
    let (user, signIn) = users[index]
    var codes: [String] = []
    let refusal = await errorCode { codes = try await user.multiFactor.generateRecoveryCodes().codes }
    try expect(refusal, model.makeRecoveryCodes(signIn, codes), "make recovery codes")
    knownRecoveryCodes += codes
  }

  /// Requires a second factor; the resulting sign-in may be resolved later.
  mutating func requireSecondFactor() async throws {
    guard let index = pickUser() else { return }
    let user = users[index].real
    let error = await authError { try await user.requireSecondFactor(within: .seconds(60)) }
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

  /// Continues with a handle's token, as the next request would.
  mutating func restore() async throws {
    guard let index = pickUser() else { return }
    let token = try users[index].real.token()
    let auth = host.auth
    var user: User?
    let refusal = await errorCode { user = try await auth.user(from: token) }
    var signIn = users[index].model
    try expect(refusal, model.restore(&signIn), "restore")
    if let user { users.append((user, signIn)) }
  }
}
