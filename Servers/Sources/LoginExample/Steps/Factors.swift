import Foundation
import MultiFactor
import MultiFactorBrowsers

// The account's page, and the changes made from there.
extension Site {
  static func accountPage(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let (account, user) = try await site.user(&visit)
    let language = visit.language
    let factors = try await user.multiFactor.enrolledFactors
    return .page(
      "account",
      [
        "user": account.email, "factors": factors.map { factor(of: $0, language) }, "hasFactors": !factors.isEmpty,
        "isRecovering": isRecovering(user),
        "codesLeft": String(try await user.multiFactor.recoveryCodesRemaining),
        "browsers": try await rows(ofBrowsersOf: user, site, language),
      ])
  }

  /// Whether a recovery code has stood in for the factor: it allows a new app, but no new recovery codes.
  private static func isRecovering(_ user: User) -> Bool { user.claims.secondFactor == RecoveryCodeMultiFactorID }

  /// Begins an enrollment. Its key stays until it is confirmed or canceled: a second tab must not replace the key that
  /// the user has scanned in the first.
  static func addPage(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let (account, user) = try await site.user(&visit)
    let session = try await user.multiFactor.session()
    let begun = visit.session.secret.flatMap { try? site.auth.secret(from: $0, for: account.id) }
    let secret = if let begun { begun } else { try await TOTPMultiFactorGenerator.generateSecret(with: session) }
    visit.session.secret = try secret.token()
    return .page("add", key(secret, account, visit.language))
  }

  static func cancelAdd(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    visit.session.secret = nil
    return .redirect("/account")
  }

  private static func key(_ secret: TOTPSecret, _ account: Account, _ language: Language) -> [String: Any] {
    let uri = secret.generateQRCodeURL(withAccountName: account.email, issuer: issuer)
    let key = secret.sharedSecretKey()
    // In groups of four, which are easier to type.
    let groups = stride(from: 0, to: key.count, by: 4).map { key.dropFirst($0).prefix(4) }
    return [
      "qr": QRCode.svg(uri, label: language.text("qrCode")) ?? "", "key": groups.joined(separator: " "), "uri": uri,
    ]
  }

  static func add(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let (account, user) = try await site.user(&visit)
    guard let token = visit.session.secret else {
      // The form was sent again, such as by reloading the page that came after it.
      visit.session.notice = "nothingAdded"
      return .redirect("/account")
    }
    let secret = try site.auth.secret(from: token, for: account.id)
    let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: visit["code"])
    return try await site.enroll(user, by: assertion, &visit, "add", key(secret, account, visit.language))
  }

  /// Enrolls a factor with an assertion that the user has it. If that fails, shows the page again.
  func enroll(
    _ user: User, by assertion: MultiFactorAssertion, _ visit: inout Visit, _ page: String,
    _ content: [String: Any] = [:]
  ) async throws -> Reply {
    do {
      let result = try await user.multiFactor.enroll(with: assertion, displayName: visit["name"])
      visit.session.secret = nil
      visit.session.next = nil
      visit.session.notice = "added"
      _ = try visit.complete(result.user)
    } catch let error as AuthError {
      return try Self.refused(visit, page, error, of: assertion, content)
    }
    // With the first factor, the user gets recovery codes.
    guard try await user.multiFactor.recoveryCodesRemaining == 0 else {
      return .redirect("/account")
    }
    return try await newCodes(for: user)
  }

  /// Asks before a factor is removed, since that cannot be undone.
  static func removalPage(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let (_, user) = try await site.user(&visit)
    let factors = try await user.multiFactor.enrolledFactors
    guard let info = factors.first(where: { $0.uid == visit.query["factor"] }) else { return .redirect("/account") }
    return .page("removal", ["factor": factor(of: info, visit.language), "isLast": factors.count == 1])
  }

  static func remove(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let (_, user) = try await site.user(&visit)
    try await user.multiFactor.unenroll(withFactorUID: visit["factor"])
    visit.session.handle = try user.token()
    visit.isRotated = true
    visit.session.notice = "removed"
    return .redirect("/account")
  }

  /// Asks before new recovery codes replace the ones that the user may have on paper.
  static func renewalPage(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let (_, user) = try await site.user(&visit)
    guard !isRecovering(user) else { return newAppFirst(&visit) }
    return .page("renewal")
  }

  /// Another sign-in, by the next recovery code, would not help.
  private static func newAppFirst(_ visit: inout Visit) -> Reply {
    visit.session.notice = "newAppFirst"
    return .redirect("/account")
  }

  static func newCodes(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let (_, user) = try await site.user(&visit)
    guard !isRecovering(user) else { return newAppFirst(&visit) }
    let page = try await site.newCodes(for: user)
    visit.isRotated = true
    return page
  }

  /// New recovery codes, on the only page that ever shows them.
  private func newCodes(for user: User) async throws -> Reply {
    let codes = try await user.multiFactor.generateRecoveryCodes().codes
    let file = codes.joined(separator: "%0A")
    return .page("codes", ["codes": codes, "file": file])
  }
}
