import Foundation
import Keyring
import MultiFactor
import MultiFactorOperations
import MultiFactorPhone

// The page at `/`, for a person: users, their factors, and the latest codes and links. It needs no script.
extension Emulator {
  /// How many users, and how many codes, are shown of a project or tenant: the latest ones.
  private static let shownCount = 100
  /// How many projects and tenants that have any of these are shown.
  private static let shownSections = 50
  /// How many characters of a text are shown.
  fileprivate static let shownCharacters = 200

  func page(_ call: Call) async throws -> String {
    var sections = ""
    var count = 0
    for part in allRealms() where count < Self.shownSections {
      let directory = try directory(of: part)
      guard !directory.isEmpty else { continue }
      count += 1
      sections += try await section(directory, part)
    }
    if sections.isEmpty { sections = "<p>No users yet.</p>" }
    return """
      <!DOCTYPE html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width">
      <title>auth-emulator</title>
      <style>\(Self.style)</style>
      <h1>auth-emulator</h1>
      <p>For development and tests. Default project: \(HTML(defaultProject)). Time: \(HTML(now.rfc3339)).
      Reload the page to see what is new.</p>
      \(sections)
      </html>

      """
  }

  private func section(_ directory: Directory, _ call: Call) async throws -> String {
    let users = directory.accounts.values.sorted { ($1.createdAt, $1.localID) < ($0.createdAt, $0.localID) }
    var rows: [[HTML]] = []
    for user in users.prefix(Self.shownCount) { rows.append(try await row(user, call)) }
    let messages = directory.verificationCodes.suffix(Self.shownCount).reversed().map {
      [HTML($0.createdAt.rfc3339), HTML($0.phoneNumber), HTML(code: $0.code)]
    }
    let links = directory.oobCodes.suffix(Self.shownCount).reversed().map {
      [HTML($0.createdAt.rfc3339), HTML($0.email), HTML($0.purpose.rawValue), HTML(link: $0.link)]
    }
    return """
      <h2>\(HTML(call.project))\(HTML(call.tenant.map { " / \($0)" } ?? ""))</h2>
      \(HTML.table("Users", count: users.count, ["User", "Name", "Sign-in", "Second factors"], rows))
      \(HTML.table("Text messages", count: directory.verificationCodes.count, ["Sent", "To", "Code"], messages))
      \(HTML.table("E-mails", count: directory.oobCodes.count, ["Sent", "To", "Purpose", "Link"], links))
      """
  }

  private func row(_ user: Account, _ call: Call) async throws -> [HTML] {
    var factors: [String] = []
    if user.hadFactors {
      for factor in try await auth(for: call).admin.user(userID(user.localID, call)).factors {
        let kind = (factor.info as? PhoneMultiFactorInfo)?.phoneNumber ?? "app (TOTP)"
        factors.append(factor.info.displayName.map { "\(kind), “\($0)”" } ?? kind)
      }
    }
    let address = user.email.map { $0 + (user.isEmailVerified ? "" : " (not verified)") }
    let names = [address, user.phoneNumber].compactMap(\.self) + ["ID \(user.localID)"]
    var ways = user.providerUserInfo.compactMap { $0["providerId"]?.string }
    if user.isEmailLinkUser, user.passwordHash == nil { ways = ways.map { $0 == "password" ? "e-mail link" : $0 } }
    if user.isCustomAuth { ways.append("custom token") }
    if ways.isEmpty { ways = ["anonymous"] }
    if user.isDisabled { ways.append("disabled") }
    return [HTML(lines: names), HTML(user.displayName ?? ""), HTML(lines: ways), HTML(lines: factors)]
  }

  private static let style = """
    body { font: 16px/1.4 system-ui, sans-serif; margin: 1.5rem auto; max-width: 70rem; padding: 0 1rem; }
    div { margin-bottom: 1.5rem; overflow-x: auto; }
    table { border-collapse: collapse; width: 100%; }
    caption { font-weight: 600; padding: .3rem 0; text-align: left; }
    th, td { border: 1px solid #bbb; padding: .3rem .5rem; text-align: left; vertical-align: top; }
    td:first-child { white-space: nowrap; }
    a { overflow-wrap: anywhere; }
    code { font-size: 1.1rem; }
    """
}

/// Text for a page, with everything escaped that is not ours.
private struct HTML: CustomStringConvertible {
  let description: String

  private init(markup: String) { description = markup }

  init(_ text: String) { self.init(whole: String(text.prefix(Emulator.shownCharacters))) }

  private init(whole text: String) {
    description = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
  }

  init(code: String) { self.init(markup: "<code>\(HTML(code))</code>") }

  init(link: String) { self.init(markup: "<a href=\"\(HTML(whole: link))\">\(HTML(link))</a>") }

  init(lines: [String]) { self.init(markup: lines.map { HTML($0).description }.joined(separator: "<br>")) }

  static func table(_ caption: String, count: Int, _ titles: [String], _ rows: [[HTML]]) -> HTML {
    guard !rows.isEmpty else { return HTML(markup: "<p>\(caption): none.</p>") }
    let shown = rows.count < count ? "\(caption): the latest \(rows.count) of \(count)" : "\(caption): \(count)"
    let head = titles.map { "<th scope=\"col\">\($0)</th>" }.joined()
    let body = rows.map { row in "<tr>\(row.map { "<td>\($0)</td>" }.joined())</tr>" }.joined(separator: "\n")
    return HTML(
      markup: """
        <div><table>
        <caption>\(shown)</caption>
        <tr>\(head)</tr>
        \(body)
        </table></div>
        """)
  }
}
