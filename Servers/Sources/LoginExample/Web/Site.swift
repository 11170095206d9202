import Foundation
import HTTPTypes
import Hummingbird
import MultiFactor
import NIOCore

/// The site: what its steps work with.
struct Site: Sendable {
  /// One step: looks at what a visit brings, changes what is known of it, and answers.
  typealias Step = @Sendable (Site, inout Visit) async throws -> Reply

  let accounts: Accounts
  let sessions: WebSessions
  let auth: MultiFactorAuth
  let pages: Pages
  let limits: RateLimits
  let place: Origin
  let isBehindProxy: Bool

  /// What authenticator apps show beside the address.
  static let issuer = "Example"
  private static let largestForm = 16 << 10

  /// Where browsers reach it.
  var origin: String { place.text }
  private var isSecure: Bool { origin.hasPrefix("https:") }
  /// A name that browsers keep other hosts from setting, where that can be had.
  private var cookieName: String { isSecure ? "__Host-session" : "session" }

  /// Answers a request by a step.
  func respond(_ request: Request, _ context: LoginContext, _ step: Step) async throws -> Response {
    var visit = try await visit(request, context)
    let before = visit
    // A form can be a guess, and a new visitor is something to write.
    guard (request.method != .post && visit.name != nil) || limits.take(visit.address) else {
      return response(.page("tooMany", status: .tooManyRequests), visit)
    }
    var reply: Reply
    if request.method == .post, visit.name == nil || digest(of: visit["csrf"]) != digest(of: visit.session.csrf) {
      reply = .page("refused", status: .forbidden)
    } else {
      do { reply = try await step(self, &visit) } catch let error as AuthError {
        reply = try next(after: error, &visit)
      } catch is SignedOut {
        visit.session.notice = "signInFirst"
        reply = .redirect("/sign-in")
      }
    }
    var response = response(reply, visit)
    // A page has shown it.
    if case .page = reply { visit.session.notice = nil }
    if let name = before.name, !visit.isRotated {
      try await sessions.update(name, from: before.session, to: visit.session)
    } else if let name = before.name, try await !sessions.end(name) {
      // Another request has ended it meanwhile: this one must not bring it back.
      return self.response(.redirect("/"), visit)
    } else {
      let name = try await sessions.add(visit.session)
      response.setCookie(
        Cookie(
          name: cookieName, value: name, path: "/", secure: isSecure, httpOnly: true, sameSite: .lax))
    }
    if let code = visit.query["lang"], request.method == .get {
      response.setCookie(
        Cookie(
          name: "lang", value: pages.language([code]).code, maxAge: 31_536_000, path: "/", secure: isSecure,
          httpOnly: true, sameSite: .lax))
    }
    return response
  }

  private func visit(_ request: Request, _ context: LoginContext) async throws -> Visit {
    let query = Dictionary(
      request.uri.queryParameters.map { (String($0.key), String($0.value)) }, uniquingKeysWith: { _, last in last })
    var form: [String: String] = [:]
    if request.method == .post {
      var request = request
      let body = try await request.collectBody(upTo: Self.largestForm)
      guard let fields = try? URLEncodedFormDecoder().decode([String: String].self, from: String(buffer: body)) else {
        throw HTTPError(.badRequest)
      }
      form = fields
    }
    let path = "/" + request.uri.path.split(separator: "/").joined(separator: "/")
    let name = request.cookies[cookieName]?.value
    let known = if let name { try await sessions.session(name) } else { WebSession?.none }
    let accepted = (request.headers[.acceptLanguage] ?? "").split(separator: ",").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    // What is before it came with the request, and can say anything.
    let forwarded = HTTPField.Name("X-Forwarded-For").flatMap { request.headers[values: $0].last }?.split(
      separator: ",")
    let address = isBehindProxy ? RateLimits.address(in: forwarded?.last ?? "") : context.address
    let chosen = [query["lang"], request.cookies["lang"]?.value].compactMap(\.self)
    return Visit(
      session: known ?? WebSession(), name: known == nil ? nil : name, path: path, query: query, form: form,
      isForm: request.method == .post, language: pages.language(chosen + accepted), address: address)
  }

  /// Where to go when `MultiFactor` refuses: most of what it can say has the same next step everywhere.
  private func next(after error: AuthError, _ visit: inout Visit) throws -> Reply {
    switch error.code {
    case .secondFactorRequired:
      guard let resolver = error.resolver else { throw error }
      visit.session.resolver = try resolver.token
      if visit.session.handle != nil { visit.session.next = visit.path }
      return .redirect("/second-factor")
    case .requiresRecentLogin:
      visit.session.next = visit.path
      visit.session.notice = "signInAgainToChange"
      return .redirect("/sign-in")
    case .multiFactorInfoNotFound:
      visit.session.notice = "noSecondFactor"
      return .redirect("/account")
    case .sessionExpired:
      visit.session.resolver = nil
      visit.session.notice = "tooLate"
      return .redirect("/")
    case .userTokenExpired, .invalidUserToken, .userMismatch, .invalidMultiFactorSession, .missingMultiFactorSession:
      visit.end(notice: "signedOut")
      return .redirect("/sign-in")
    // Of this machine, not of the visitor.
    case .internalError: throw error
    // What no page of this site sends.
    default: return .page("refused", status: .badRequest)
    }
  }

  private func response(_ reply: Reply, _ visit: Visit) -> Response {
    var response: Response
    switch reply {
    case .redirect(let path): response = Response(status: .seeOther, headers: [.location: path])
    case .page(let name, let content, let status):
      let page = pages.render(name, content, for: visit)
      response = Response(
        status: status, headers: [.contentType: "text/html; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: page)))
    }
    for (name, value) in Self.headers { response.headers[name] = value }
    if isSecure { response.headers[.strictTransportSecurity] = "max-age=31536000" }
    return response
  }

  /// Nothing but the site's own style is loaded, no script runs, no other site frames a page or is sent its address, and
  /// nothing is kept by caches.
  private static let headers: [(HTTPField.Name, String)] = [
    (.cacheControl, "no-store"), (.xContentTypeOptions, "nosniff"),
    (
      .contentSecurityPolicy,
      "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    (HTTPField.Name("Referrer-Policy") ?? .referer, "no-referrer"),
  ]
}
