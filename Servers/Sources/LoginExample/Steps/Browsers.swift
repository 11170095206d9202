import Foundation
import MultiFactor
import MultiFactorBrowsers

// Browsers that are remembered: signing in there needs no second factor for 30 days.
extension Site {
  /// Has this browser remembered, after a second factor was verified in it.
  static func remember(_ user: User, _ site: Site, _ visit: inout Visit) async throws {
    visit.newBrowserToken = try await site.browsers.remember(
      for: user, name: name(ofBrowser: visit.userAgent), address: visit.address, replacing: visit.browserToken)
  }

  /// The browsers, as the account's page shows them.
  static func rows(ofBrowsersOf user: User, _ site: Site, _ language: Language) async throws -> [[String: Any]] {
    try await site.browsers.list(of: user).map { browser in
      [
        "id": browser.id, "name": browser.name ?? "", "address": browser.address ?? "",
        "date": language.time(browser.lastUseDate),
      ]
    }
  }

  static func forgetBrowser(_ site: Site, _ visit: inout Visit) async throws -> Reply {
    let (_, user) = try await site.user(&visit)
    try await site.browsers.forget(visit["browser"], of: user)
    visit.session.notice = "forgotten"
    return .redirect("/account")
  }

  /// What to call a browser in the list, by what it calls itself: `Firefox, Linux`.
  private static func name(ofBrowser userAgent: String) -> String {
    // In this order: most call themselves several of these.
    let browsers = [
      ("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ]
    let systems = ["iPhone", "iPad", "Android", "Windows", "Mac OS X", "Linux"]
    let browser = browsers.first { userAgent.contains($0.0) }?.1
    let parts = [browser, systems.first(where: userAgent.contains)].compactMap(\.self)
    return parts.isEmpty ? String(userAgent.prefix(40)) : parts.joined(separator: ", ")
  }
}
