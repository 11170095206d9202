import Foundation
import HTTPTypes
import Hummingbird
import MultiFactor
import MultiFactorBrowsers
import NIOCore

/// The site, as its steps use it.
struct Site: Sendable {
  /// One step: reads a visit, changes its session, and replies.
  typealias Step = @Sendable (Site, inout Visit) async throws -> Reply

  let accounts: Accounts
  let sessions: WebSessions
  let auth: MultiFactorAuth
  let browsers: RememberedBrowsers
  let pages: Pages
  let limits: RateLimits
  let place: Origin
  let isBehindProxy: Bool

  /// The name that authenticator apps show with the address.
  static let issuer = "Example"
  private static let largestForm = 16 << 10

  /// The site's URL in browsers.
  var origin: String { place.text }
  private var isSecure: Bool { origin.hasPrefix("https:") }
  /// Behind TLS, a name that browsers do not let other hosts set.
  private var cookieName: String { cookieName("session") }
  private func cookieName(_ name: String) -> String { isSecure ? "__Host-\(name)" : name }

  /// Responds to a request with a step.
  ///
  /// - Parameter page: The step that shows the form that this one is sent by.
  func respond(
    _ request: Request, _ context: LoginContext, _ step: Step, page: Step? = nil
  ) async throws -> Response {
    var visit = try await visit(request, context)
    let before = visit
    // Limited, since a form can be a guess, and a new visitor needs a new session in the store.
    if request.method == .post || visit.name == nil, let seconds = limits.take(visit.address) {
      var response = response(.page("tooMany", status: .tooManyRequests), visit)
      response.headers[.retryAfter] = String(seconds)
      return response
    }
    // Another request with this form has ended the session, and its response, with the new name, was first.
    if request.method == .post, visit.name == nil, let name = request.cookies[cookieName]?.value,
      WebSessions.key(name) != nil
    {
      return response(.redirect("/"), visit)
    }
    var reply: Reply
    do {
      if request.method == .post, visit.name == nil || digest(of: visit["csrf"]) != digest(of: visit.session.csrf) {
        reply = try await refusal(page, &visit)
      } else {
        reply = try await step(self, &visit)
      }
    } catch let error as AuthError {
      reply = try next(after: error, &visit)
    } catch is SignedOut {
      visit.session.handle = nil
      visit.session.notice = "signInFirst"
      reply = .redirect("/sign-in")
    } catch is SignedIn {
      reply = .redirect(request.method == .post ? visit.session.arrivalAgain ?? "/account" : "/account")
    }
    var response = response(reply, visit)
    // The page has shown the notice.
    if case .page = reply { visit.session.notice = nil }
    if let name = before.name, !visit.isRotated {
      try await sessions.update(name, from: before.session, to: visit.session)
    } else if let name = before.name, try await !sessions.end(name) {
      // Another request has ended it in the meantime: this one must not bring it back.
      return self.response(.redirect("/"), visit)
    } else {
      let name = try await sessions.add(visit.session)
      response.setCookie(
        Cookie(
          name: cookieName, value: name, path: "/", secure: isSecure, httpOnly: true, sameSite: .lax))
    }
    if let token = visit.newBrowserToken {
      response.setCookie(
        Cookie(
          name: cookieName("browser"), value: token, maxAge: 30 * 86_400, path: "/", secure: isSecure, httpOnly: true,
          sameSite: .lax))
    }
    if let code = visit.query["lang"], request.method == .get {
      response.setCookie(
        Cookie(
          name: "lang", value: pages.language([code]).code, maxAge: 31_536_000, path: "/", secure: isSecure,
          httpOnly: true, sameSite: .lax))
    }
    return response
  }

  /// The reply to a form that is too old: the form again, with what was typed. A password that has just signed in was
  /// sent twice.
  private func refusal(_ page: Step?, _ visit: inout Visit) async throws -> Reply {
    if visit.path == "/sign-in", visit.session.arrivalAgain != nil { throw SignedIn() }
    guard let page, case .page(let name, let content, _) = try await page(self, &visit) else {
      return .page("refused", status: .forbidden)
    }
    return visit.refused(name, "tooOld", content, status: .forbidden)
  }

  private func visit(_ request: Request, _ context: LoginContext) async throws -> Visit {
    var form: [String: String] = [:]
    if request.method == .post {
      var request = request
      let body = try await request.collectBody(upTo: Self.largestForm)
      guard let fields = try? URLEncodedFormDecoder().decode([String: String].self, from: String(buffer: body)) else {
        throw HTTPError(.badRequest)
      }
      form = fields
    }
    let name = request.cookies[cookieName]?.value
    let known = if let name { try await sessions.session(name) } else { WebSession?.none }
    return visit(request, context, known, name: known == nil ? nil : name, form)
  }

  private func visit(
    _ request: Request, _ context: LoginContext, _ session: WebSession? = nil, name: String? = nil,
    _ form: [String: String] = [:]
  ) -> Visit {
    let query = Dictionary(
      request.uri.queryParameters.map { (String($0.key), String($0.value)) }, uniquingKeysWith: { _, last in last })
    // To a browser, a backslash is a slash, and two of them begin another site's address.
    let path = "/" + request.uri.path.replacing("\\", with: "%5C").split(separator: "/").joined(separator: "/")
    let accepted = (request.headers[.acceptLanguage] ?? "").split(separator: ",").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    // The client can forge all addresses before the last one.
    let forwarded = HTTPField.Name("X-Forwarded-For").flatMap { request.headers[values: $0].last }?.split(
      separator: ",")
    let address = RateLimits.address(in: isBehindProxy ? String(forwarded?.last ?? "") : context.address)
    let chosen = [query["lang"], request.cookies["lang"]?.value].compactMap(\.self)
    return Visit(
      session: session ?? WebSession(), name: name, path: path, query: query, form: form,
      isForm: request.method == .post, language: pages.language(chosen + accepted), address: address,
      browserToken: request.cookies[cookieName("browser")]?.value, userAgent: request.headers[.userAgent] ?? "")
  }

  /// The page for an unknown path. It changes no session.
  func notFound(_ request: Request, _ context: LoginContext) async throws -> Response {
    response(.page("notFound", status: .notFound), try await visit(request, context))
  }

  /// The page for what failed through no fault of the visitor. It uses no store.
  func unavailable(_ request: Request, _ context: LoginContext, _ error: any Error) -> Response {
    context.logger.error("\(error)", metadata: ["path": "\(request.uri.path)"])
    let status = HTTPResponse.Status(code: (error as? AuthError)?.httpStatus ?? 503)
    var response = response(.page("unavailable", status: status), visit(request, context))
    response.headers[.retryAfter] = "10"
    return response
  }

  /// The reply to an error of `MultiFactor`, for most errors the same on every page.
  private func next(after error: AuthError, _ visit: inout Visit) throws -> Reply {
    switch error.code {
    case .secondFactorRequired:
      guard let resolver = error.resolver else { throw error }
      visit.session.resolver = try resolver.token()
      if visit.session.handle != nil { visit.session.next = visit.path }
      return .redirect("/second-factor")
    case .requiresRecentLogin:
      visit.session.next = visit.path
      visit.session.notice = "signInAgainToChange"
      return .redirect("/sign-in")
    case .multiFactorInfoNotFound, .maximumSecondFactorCountExceeded:
      visit.session.notice = error.code == .multiFactorInfoNotFound ? "noSecondFactor" : "tooManyFactors"
      return .redirect("/account")
    case .sessionExpired:
      visit.session.resolver = nil
      visit.session.notice = "tooLate"
      return .redirect("/")
    case .userTokenExpired, .invalidUserToken, .userMismatch, .invalidMultiFactorSession, .missingMultiFactorSession:
      visit.end(notice: "signedOut")
      return .redirect("/sign-in")
    // A fault of the server, not of the visitor.
    case .internalError: throw error
    // No page of this site sends a request like that.
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

  /// Pages load nothing but the site's own style sheet and script. Other sites can neither frame a page
  /// nor learn its address, and caches store nothing.
  fileprivate static let headers: [(HTTPField.Name, String)] = [
    (.cacheControl, "no-store"), (.xContentTypeOptions, "nosniff"),
    (
      .contentSecurityPolicy,
      "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; base-uri 'none'; "
        + "frame-ancestors 'none'"
    ),
    (HTTPField.Name("Referrer-Policy") ?? .referer, "no-referrer"),
  ]
}

/// What no step answers: an unknown path, a form that is too long or cannot be read, or a store that fails.
struct Unanswered: RouterMiddleware {
  let site: Site

  func handle(
    _ request: Request, context: LoginContext, next: (Request, LoginContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as any HTTPResponseError {
      if error.status == .notFound, let page = try? await site.notFound(request, context) { return page }
      var response = try error.response(from: request, context: context)
      for (name, value) in Site.headers { response.headers[name] = value }
      return response
    } catch {
      return site.unavailable(request, context, error)
    }
  }
}
