import Foundation
import Keyring
import MultiFactor
import MultiFactorOperations
import MultiFactorPhone
import Synchronization

/// A `MultiFactorAuth` for each project and tenant, with its current configuration, all on one store in memory.
final class SecondFactors: Sendable {
  private struct Key: Sendable, Hashable {
    let project: String
    let tenant: String?
    let configuration: MultiFactorConfiguration
  }

  /// Stores a message for `GET …/verificationCodes`.
  typealias Deliver = @Sendable (SMSMessage) -> Void

  private struct Outbox: SMSSender {
    let deliver: Deliver

    func send(_ message: SMSMessage) async throws { deliver(message) }
  }

  private let store = InMemoryFactorStore()
  private let keyring: Keyring
  private let clock: Clock
  private let auths = Mutex<[Key: MultiFactorAuth]>([:])

  /// How many instances are kept: a test that tries out configurations does not need the old ones.
  private static let keptCount = 1000

  init(clock: Clock) async throws {
    keyring = try Keyring()
    self.clock = clock
    try await MultiFactorAuth.createStore(store, keyring: keyring)
  }

  func auth(
    _ project: String, _ tenant: String?, _ configuration: MultiFactorConfiguration, deliver: @escaping Deliver
  ) async throws -> MultiFactorAuth {
    let key = Key(project: project, tenant: tenant, configuration: configuration)
    if let auth = auths.withLock({ $0[key] }) { return auth }
    let phone = try PhoneFactor(sender: Outbox(deliver: deliver), limits: limits())
    let auth = try await MultiFactorAuth(
      configuration: configuration, store: store, keyring: keyring, externalFactors: [phone],
      clock: { [clock] in clock.now.forSecondFactors })
    auths.withLock { auths in
      if auths.count >= Self.keptCount { auths = [:] }
      auths[key] = auth
    }
    return auth
  }

  private func limits() throws(ConfigurationError) -> SendLimits {
    let limit = try SendLimits.Limit(100, every: .seconds(3600))
    let overall = try SendLimits.Limit(100_000, every: .seconds(3600))
    return try SendLimits(
      perUser: limit, signInsPerNumber: limit, signInsOverall: overall, enrollmentsPerNumber: limit,
      enrollmentsPerPrefix: overall, enrollmentsOverall: overall, minimumAnsweredShare: 0)
  }
}

// The interface for the endpoints.
extension Emulator {
  /// The multi-factor authentication of a request's project or tenant.
  func auth(for call: Call) async throws -> MultiFactorAuth {
    try await auth(for: call, try configuration(for: call))
  }

  /// The same with second factors disabled: it can sign in a user who has second factors without verifying one, as
  /// custom tokens require.
  private func authWithoutSecondFactors(for call: Call) async throws -> MultiFactorAuth {
    try await auth(
      for: call,
      try MultiFactorConfiguration(
        state: .disabled, providerConfigs: [], userTokenLifetime: MultiFactorConfiguration.maximumDuration))
  }

  private func configuration(for call: Call) throws -> MultiFactorConfiguration {
    let project = try withRealm(call.project, nil) { (realm) throws(APIError) in realm.config }
    return try config(of: call).multiFactor(testNumbersOf: project)
  }

  private func auth(for call: Call, _ configuration: MultiFactorConfiguration) async throws -> MultiFactorAuth {
    let (project, tenant) = (call.project, call.tenant)
    return try await secondFactors.auth(project, tenant, configuration) { [self] message in
      let code = Directory.VerificationCode(
        phoneNumber: message.phoneNumber, sessionInfo: message.verificationID, code: message.code, createdAt: now,
        isSecondFactor: true)
      try? withRealm(project, tenant) { realm in realm.directory.add(code) }
      Console.print("To \(message.phoneNumber): the code \(message.code)")
    }
  }

  /// The user's ID for `MultiFactor`. `localID` is unique only within a project or tenant.
  func userID(_ localID: String, _ call: Call) -> String { "\(call.project)/\(call.tenant ?? "")/\(localID)" }

  func principal(_ account: Account, _ call: Call) -> Principal {
    Principal(
      id: userID(account.localID, call), email: account.email, isEmailVerified: account.isEmailVerified)
  }

  /// The handle of a token's sign-in, with the current e-mail address.
  ///
  /// - Throws: ``APIError`` with `TOKEN_EXPIRED` if it was revoked.
  func user(of handle: String?, _ account: Account, provider: String, _ call: Call) async throws -> User {
    let auth = try await auth(for: call)
    if let handle {
      do {
        let user = try await auth.user(from: handle, for: userID(account.localID, call))
        try await user.reload(with: principal(account, call))
        return user
      } catch let error as AuthError where error.code == .userTokenExpired {
        throw APIError.tokenExpired
      } catch let error as AuthError where [.invalidUserToken, .userMismatch].contains(error.code) {
        // Made by another emulator or a test: treat it as a token without a handle.
      }
    }
    return try await userWithoutSecondFactor(account, provider: provider, call)
  }

  /// A new handle for a user, with a first factor that counts as verified, and no second factor.
  func userWithoutSecondFactor(_ account: Account, provider: String, _ call: Call) async throws -> User {
    let result = try await authWithoutSecondFactors(for: call).signIn(
      principal(account, call), firstFactor: FirstFactor(providerID: provider))
    return try await auth(for: call).user(from: result.user.token())
  }

  /// A user's `UserInfo`, including second factors.
  func userInfo(_ account: Account, _ call: Call) async throws -> JSON {
    var info = account.userInfo(tenant: call.tenant)
    guard account.hadFactors else { return info }
    let admin = try await auth(for: call).admin
    let id = userID(account.localID, call)
    let factors = try await admin.user(id).factors
    var secrets: [String: String] = [:]
    // As in Google's emulator, so that an export has them; never for the user's own requests.
    if call.isPrivileged, factors.contains(where: { $0.info.factorID == TOTPMultiFactorID }) {
      for exported in try await admin.exportSecrets(of: id) { secrets[exported.uid] = exported.secret.base32String() }
    }
    info["mfaInfo"] = .array(
      factors.map { factor in
        var enrollment = Self.enrollment(factor.info, isMasked: false)
        enrollment["emulatorTotpSecret"] = .text(secrets[factor.info.uid])
        if let date = account.laterEnrollments?[factor.info.uid] { enrollment["enrolledAt"] = .string(date.rfc3339) }
        return enrollment
      })
    return info
  }

  func userInfos(_ accounts: [Account], _ call: Call) async throws -> JSON {
    var users: [JSON] = []
    for account in accounts { users.append(try await userInfo(account, call)) }
    return .array(users)
  }

  /// The protocol's `MfaEnrollment`.
  static func enrollment(_ info: any MultiFactorInfo, isMasked: Bool) -> JSON {
    var enrollment: JSON = [
      "mfaEnrollmentId": .string(info.uid), "displayName": .text(info.displayName),
      "enrolledAt": .string(info.enrollmentDate.fromSecondFactors.rfc3339),
    ]
    if let phone = info as? PhoneMultiFactorInfo {
      let number = phone.phoneNumber
      let masked = "+\(String(repeating: "*", count: max(0, number.count - 5)))\(number.suffix(4))"
      enrollment["phoneInfo"] = .string(isMasked ? masked : number)
      if !isMasked { enrollment["unobfuscatedPhoneInfo"] = .string(number) }
    } else {
      enrollment["totpInfo"] = [:]
    }
    return enrollment
  }

  /// Deletes a user's second factors.
  func forgetFactors(of account: Account, _ call: Call) async throws {
    guard account.hadFactors else { return }
    try await auth(for: call).admin.deleteUser(userID(account.localID, call))
  }
}
