import Foundation
import Hummingbird

// A new user: an address, a password, and the link that verifies the address.
extension Site {
  /// The only rule for passwords is their length (SP 800-63B-4, section 3.1.1.2).
  private static let passwordLengths = 15...200

  /// How long the link in the mail is good, in seconds.
  private static let linkLifetime: TimeInterval = 24 * 3600

  static func signUpPage(_ site: Site, _ visit: inout Visit) async throws -> Reply { .page("signUp") }

  static func signUp(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let (email, password) = (visit["email"].lowercased(), visit["password"])
    let token = Random.token()
    guard isEmail(email) else { return visit.refused("signUp", "notAnAddress") }
    guard passwordLengths ~= password.count else { return visit.refused("signUp", "passwordTooShort") }
    let account = Account(
      id: UUID().uuidString, email: email, password: try await PasswordHash(password),
      verification: digest(of: token))
    // Only a mail to the address says whether it has a user already.
    if try await site.accounts.add(account) {
      let address = email.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      PrintedMessages.mail(email, "\(site.origin)/verify?email=\(address)&token=\(token)")
    } else {
      PrintedMessages.mail(email, "\(site.origin)/sign-in (there is already an account with this address)")
    }
    visit.session.notice = "linkSent"
    return .redirect("/sign-in")
  }

  /// Asks for the password, so that the owner of an address does not complete someone else's sign-up by opening the
  /// link. (Mail scanners also follow links.)
  static func verifyPage(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    .page("verify", ["email": visit.query["email"] ?? "", "token": visit.query["token"] ?? ""])
  }

  static func verify(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    guard let account = try await site.accounts.account(visit["email"]),
      account.verification == digest(of: visit["token"]),
      -account.signUpDate.timeIntervalSinceNow < linkLifetime
    else { return visit.refused("verify", "linkUsed") }
    guard try await account.password.matches(visit["password"]) else {
      return visit.refused("verify", "wrongPassword")
    }
    guard try await site.accounts.verify(account) else { return visit.refused("verify", "linkUsed") }
    visit.isRotated = true
    visit.session.notice = "verified"
    return .redirect("/sign-in")
  }

  /// Only visible ASCII, without characters that change how the printed text reads.
  private static func isEmail(_ text: String) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && text.utf8.count <= 254
      && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
  }
}

extension Visit {
  /// The same page again, with an error message and what was typed, but for passwords and codes.
  func refused(
    _ page: String, _ error: String, _ content: [String: Any] = [:], until end: Date? = nil,
    status: HTTPResponse.Status = .unprocessableContent
  ) -> Reply {
    var content = content
    let text = language.text(end == nil ? error : "\(error)Until").components(separatedBy: "{time}")
    var parts: [String: Any] = ["before": text[0], "after": text.dropFirst().last ?? ""]
    parts["time"] = end.map { language.time($0, .standard) }
    content["error"] = parts
    content["email"] = self["email"]
    content["token"] = self["token"]
    content["typed"] = form["phone"] ?? form["name"]
    return .page(page, content, status: status)
  }
}
