import MultiFactor
import MultiFactorOperations
import MultiFactorPhone

// Enrollment with `--like-google-emulator`, for which neither a recent sign-in nor a second factor is needed. So a user
// enrolls under another name, which never has factors, and then gets the factor from there.
extension Emulator {
  /// A user's name for enrollments. No project has a colon in its name.
  func enrollingID(_ localID: String, _ call: Call) -> String { "enrolling:\(userID(localID, call))" }

  /// The user who enrolls for an account.
  func stand(in account: Account, provider: String, _ call: Call) async throws -> User {
    let principal = Principal(
      id: enrollingID(account.localID, call), email: account.email, isEmailVerified: account.isEmailVerified)
    return try await userWithoutSecondFactor(principal, provider: provider, call)
  }

  /// Checks that a number is not yet a factor of an account.
  func checkIsNotEnrolled(_ number: String, _ account: Account, _ call: Call) async throws {
    let factors = try await auth(for: call).admin.user(userID(account.localID, call)).factors
    guard !factors.contains(where: { ($0.info as? PhoneMultiFactorInfo)?.phoneNumber == number }) else {
      throw AuthError(.secondFactorAlreadyEnrolled)
    }
  }

  /// Gives an account the factor that was enrolled for it.
  func moveFactor(of enrolled: User, to account: Account, _ call: Call) async throws {
    let admin = try await auth(for: call).admin
    for info in try await admin.user(enrolled.uid).factors.map(\.info) {
      let exported = try await admin.exportSecrets(of: enrolled.uid).first { $0.uid == info.uid }
      try await admin.removeFactor(info.uid, of: enrolled.uid)
      var factor = NewFactor(
        uid: info.uid, number: (info as? PhoneMultiFactorInfo)?.phoneNumber, secret: exported?.secret,
        displayName: info.displayName, enrolledAt: info.enrollmentDate)
      if case .totp(_, _, _, let lastAcceptedStep)? = exported?.kind { factor.lastAcceptedStep = lastAcceptedStep }
      try await add(factor, to: account, call)
    }
  }
}
