import Foundation
import MultiFactor
import MultiFactorPhone

// The second factor: when signing in, and before a sensitive page.
extension Site {
  /// The sign-in that waits for a second factor, for the user whose password was right in this session.
  func resolver(_ visit: Visit) async throws -> MultiFactorResolver {
    let account = try await account(visit)
    guard let token = visit.session.resolver else {
      throw visit.session.handle == nil ? SignedOut() as any Error : SignedIn()
    }
    return try await auth.resolver(from: token, for: account.id)
  }

  static func secondFactorPage(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let resolver = try await site.resolver(visit)
    return .page("secondFactor", secondFactors(resolver, visit))
  }

  static func secondFactors(_ resolver: MultiFactorResolver, _ visit: Visit) -> [String: Any] {
    let chosen = visit.form["factor"] ?? visit.query["factor"] ?? resolver.hints.first?.uid
    return [
      "factors": resolver.hints.map { factor(of: $0, isChosen: $0.uid == chosen, visit.language) },
      "hasChoice": resolver.hints.count > 1, "hasRecoveryCodes": resolver.hasRecoveryCodes,
      "hasPhone": resolver.hints.contains { $0 is PhoneMultiFactorInfo }, "user": visit.session.email ?? "",
      "remembers": !visit["remember"].isEmpty || visit.query["remember"] != nil,
    ]
  }

  static func secondFactor(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let resolver = try await site.resolver(visit)
    let isPhone = resolver.hints.contains {
      $0.uid == visit["factor"] && $0 is PhoneMultiFactorInfo
    }
    let assertion =
      isPhone
      ? PhoneMultiFactorGenerator.assertion(with: site.credential(visit))
      : TOTPMultiFactorGenerator.assertionForSignIn(
        withEnrollmentID: visit["factor"], oneTimePassword: visit["code"])
    return try await site.resolve(resolver, by: assertion, "secondFactor", &visit)
  }

  static func recoveryPage(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let resolver = try await site.resolver(visit)
    return .page("recovery", secondFactors(resolver, visit))
  }

  static func recovery(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let resolver = try await site.resolver(visit)
    let assertion = RecoveryCodeMultiFactorGenerator.assertionForSignIn(
      recoveryCode: visit["code"])
    return try await site.resolve(resolver, by: assertion, "recovery", &visit)
  }

  private func resolve(
    _ resolver: MultiFactorResolver, by assertion: MultiFactorAssertion, _ page: String, _ visit: inout Visit
  ) async throws -> Reply {
    do {
      let user = try await resolver.resolveSignIn(with: assertion).user
      // If that fails, the user is signed in all the same.
      if !visit["remember"].isEmpty { try? await Self.remember(user, self, &visit) }
      return try visit.complete(user)
    } catch let error as AuthError {
      return try Self.refused(visit, page, error, of: assertion, Self.secondFactors(resolver, visit))
    }
  }

  /// The same page again, with what was refused beside the field, and until when.
  static func refused(
    _ visit: Visit, _ page: String, _ error: AuthError, of assertion: MultiFactorAssertion? = nil,
    _ content: [String: Any]
  ) throws -> Reply {
    guard let text = text(of: error, assertion) else { throw error }
    return visit.refused(page, text, content, until: error.retryAfter)
  }

  /// The message beside a field. It does not say whether a code was wrong, expired or
  /// already used, but what helps in each case.
  private static func text(
    of error: AuthError, _ assertion: MultiFactorAssertion?
  ) -> String? {
    switch error.code {
    case .invalidVerificationCode, .missingVerificationCode, .multiFactorInfoNotFound:
      switch assertion?.factorID {
      case PhoneMultiFactorID: "wrongMessage"
      case RecoveryCodeMultiFactorID: "wrongRecoveryCode"
      default: "wrongCode"
      }
    case .tooManyRequests: "locked"
    case .missingVerificationID, .invalidVerificationID: "sendFirst"
    case .missingPhoneNumber, .invalidPhoneNumber: "notANumber"
    case .secondFactorAlreadyEnrolled: "numberThere"
    case .quotaExceeded: "tooManyMessages"
    default: nil
    }
  }

  /// A factor, as the pages show it.
  static func factor(of info: any MultiFactorInfo, isChosen: Bool = false, _ language: Language) -> [String: Any] {
    let name = (info as? PhoneMultiFactorInfo)?.phoneNumber ?? info.displayName ?? ""
    return [
      "uid": info.uid, "name": name.isEmpty ? language.text("app") : name,
      "date": language.time(info.enrollmentDate), "isChosen": isChosen,
    ]
  }

  /// A page that requires a second factor verified in the last five minutes.
  static func sensitivePage(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let (_, user) = try await site.user(&visit)
    try await user.requireSecondFactor(within: .seconds(300))
    return .page("sensitive")
  }
}
