import Foundation
import MultiFactor
import MultiFactorPhone

// The second factor: when signing in, and before a sensitive page.
extension Site {
  /// The sign-in that waits for a second factor, for the user whose password was right in this session.
  func resolver(_ visit: Visit) async throws -> MultiFactorResolver {
    let account = try await account(visit)
    guard let token = visit.session.resolver else { throw SignedOut() }
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
      "hasPhone": resolver.hints.contains { $0 is PhoneMultiFactorInfo },
    ]
  }

  static func secondFactor(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let resolver = try await site.resolver(visit)
    let isPhone = resolver.hints.contains { $0.uid == visit["factor"] && $0 is PhoneMultiFactorInfo }
    let assertion =
      isPhone
      ? PhoneMultiFactorGenerator.assertion(with: site.credential(visit))
      : TOTPMultiFactorGenerator.assertionForSignIn(
        withEnrollmentID: visit["factor"], oneTimePassword: visit["code"])
    return try await site.resolve(resolver, by: assertion, "secondFactor", &visit)
  }

  static func recoveryPage(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let resolver = try await site.resolver(visit)
    return .page("recovery", ["number": resolver.recoveryCodeNumbers.first.map(String.init) ?? ""])
  }

  static func recovery(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let resolver = try await site.resolver(visit)
    let assertion = RecoveryCodeMultiFactorGenerator.assertionForSignIn(recoveryCode: visit["code"])
    return try await site.resolve(resolver, by: assertion, "recovery", &visit)
  }

  private func resolve(
    _ resolver: MultiFactorResolver, by assertion: MultiFactorAssertion, _ page: String, _ visit: inout Visit
  ) async throws -> Reply {
    do {
      let result = try await resolver.resolveSignIn(with: assertion)
      return try visit.complete(result.user)
    } catch let error as AuthError {
      guard let text = Self.text(of: error) else { throw error }
      var content = Self.secondFactors(resolver, visit)
      content["number"] = resolver.recoveryCodeNumbers.first.map(String.init) ?? ""
      return visit.refused(page, text, content)
    }
  }

  /// The message beside a field. It does not say whether a code was wrong, expired or already used.
  static func text(of error: AuthError) -> String? {
    switch error.code {
    case .invalidVerificationCode, .missingVerificationCode, .multiFactorInfoNotFound: "wrongCode"
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
      "date": language.date(info.enrollmentDate), "isChosen": isChosen,
    ]
  }

  /// A page that requires a second factor proved in the last five minutes.
  static func sensitivePage(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let (_, user) = try await site.user(&visit)
    try await user.requireSecondFactor(within: .seconds(300))
    return .page("sensitive")
  }
}
