import Foundation
import Hummingbird
import Keyring
import Logging
import MultiFactor
import MultiFactorBrowsers
import MultiFactorObservability
import MultiFactorOperations
import MultiFactorSQLite
import OTP
import Synchronization

// A JSON API with second factors, for a login with passwords that you have: copy this file, and replace `DemoUsers`.
//
// The server keeps no sessions. A signed-in user's handle is a bearer token (RFC 6750), and whatever waits for the user
// is a token in a body, so each request may go to another process. No cookie signs a user in, so other sites cannot
// forge requests. For 401, a client needs two rules: after `secondFactorRequired`, send a code to /second-factor, which
// completes a sign-in, and repeat any other request with the new token; after anything else, sign in again.

/// REPLACE THIS with your users, whose passwords are hashed (Argon2, scrypt), and with limits for guesses at them, by
/// account and by client: `MultiFactor` limits only guesses at second factors. Here, all users have one password.
struct DemoUsers {
  let password: String

  /// The user, if the password is right. The ID is your table's primary key, not an address, which can change.
  func principal(_ email: String, _ password: String) async throws -> Principal? {
    password == self.password ? Principal(id: "id of \(email)", email: email, isEmailVerified: true) : nil
  }
}

@main
struct APIExample {
  let users: DemoUsers
  let auth: MultiFactorAuth
  let browsers: RememberedBrowsers
  let counts: EventCounts

  static func main() async {
    do { try await run() } catch {
      FileHandle.standardError.write(Data("api-example: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run() async throws {
    OTPEngine.keepLibcryptoAtExit()
    if CommandLine.arguments.dropFirst() == ["create"] {
      // Once, when the service is set up; never at its start.
      return try await MultiFactorAuth.createStore(keyringFile: "keyring.json") {
        try SQLiteFactorStore.create(path: "factors.sqlite")
      }
    }
    let environment = Environment()
    let users = DemoUsers(password: try environment.require("DEMO_PASSWORD"))
    var logger = Logger(label: "api-example")
    logger.logLevel = environment.get("LOG_LEVEL").flatMap { Logger.Level(rawValue: $0) } ?? .info
    let log = EventLog(logger: logger), counts = EventCounts()
    let auth = try await MultiFactorAuth(
      configuration: MultiFactorConfiguration(providerConfigs: [.totp(adjacentIntervals: 1)]),
      // For several machines: PostgreSQLFactorStore(url:), and the same keyring on each.
      store: SQLiteFactorStore(path: "factors.sqlite"), keyring: Keyring(file: "keyring.json"),
      handlers: MultiFactorHandlers(event: { event in
        log.record(event)
        counts.record(event)
      }))
    // A proxy in front of it ends TLS, and slow clients' connections.
    let address = BindAddress.hostname(
      environment.get("HOST") ?? "127.0.0.1", port: environment.get("PORT", as: Int.self) ?? 8080)
    let browsers = try RememberedBrowsers(auth: auth)
    let router = APIExample(users: users, auth: auth, browsers: browsers, counts: counts).router()
    try await Application(router: router, configuration: .init(address: address), logger: logger).runService()
  }

  private func router() -> Router<APIContext> {
    let router = Router(context: APIContext.self)
    addSignIn(to: router)

    router.post("enrollment") { request, _ in
      let user = try await userForChange(request)
      let secret = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
      let uri = secret.generateQRCodeURL(withAccountName: user.email ?? user.uid, issuer: "Example")
      return ["secret": try secret.token(), "key": secret.sharedSecretKey(), "uri": uri]
    }

    // After a mistyped code, the client sends the same secret again.
    router.post("enrollment/confirmation") { request, context in
      struct Body: Decodable { let secret: String, code: String, name: String? }
      let body = try await request.decode(as: Body.self, context: context)
      let user = try await user(request)
      let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(
        with: try auth.secret(from: body.secret, for: user.uid), oneTimePassword: body.code)
      try await user.multiFactor.enroll(with: assertion, displayName: body.name)
      return try signedIn(user)
    }

    // No other response shows them.
    router.post("recovery-codes") { request, _ in
      try await ["codes": userForChange(request).multiFactor.generateRecoveryCodes().codes]
    }

    router.get("factors") { request, _ in
      try await user(request).multiFactor.enrolledFactors.map(\.fields)
    }

    // Removing the most recently enrolled of several signs the user out, by the error `invalidUserToken`.
    router.delete("factors/:uid") { request, context in
      let user = try await userForChange(request)
      try await user.multiFactor.unenroll(withFactorUID: context.parameters.require("uid"))
      return try signedIn(user)
    }

    // Whatever is sensitive begins like this.
    router.post("transfer") { request, _ in
      try await user(request).requireSecondFactor(within: .seconds(300))
      return HTTPResponse.Status.noContent
    }

    // Everywhere: handles end, sign-ins that wait for a code, and remembered browsers.
    router.post("sign-out") { request, _ in
      try await auth.admin.revokeTokens(of: user(request).uid)
      return HTTPResponse.Status.noContent
    }
    // For a balancer, every few seconds, and for Prometheus. The proxy should pass /health and /metrics on to no one
    // else: the first writes to the store.
    router.get("health") { _, _ in await auth.health().isReady ? HTTPResponse.Status.ok : .serviceUnavailable }
    router.get("health/alive") { _, _ in HTTPResponse.Status.ok }
    router.get("metrics") { _, _ in counts.text }
    return router
  }

  private func addSignIn(to router: Router<APIContext>) {
    router.post("sign-in") { request, context in
      struct Body: Decodable { let email: String, password: String }
      let body = try await request.decode(as: Body.self, context: context)
      guard let principal = try await users.principal(body.email, body.password) else {
        throw HTTPError(.unauthorized, headers: [.wwwAuthenticate: "Bearer"], message: "wrongPassword")
      }
      let remembered = request.cookies[browserCookie]?.value
      switch try await browsers.beginSignIn(principal, firstFactor: .password, token: remembered) {
      case .signedIn(let result): return try signedIn(result.user)
      case .secondFactorRequired(let resolver): throw AuthError(.secondFactorRequired, resolver: resolver)
      }
    }

    // Without a factor, the code is a recovery code.
    router.post("second-factor") { request, context in
      struct Body: Decodable { let resolver: String, factor: String?, code: String, remember: Bool? }
      let body = try await request.decode(as: Body.self, context: context)
      let assertion =
        if let uid = body.factor {
          TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: body.code)
        } else {
          RecoveryCodeMultiFactorGenerator.assertionForSignIn(recoveryCode: body.code)
        }
      // Whose sign-in it completes, its token says: there is no session of another user that it could end up in.
      let user = try await auth.resolver(from: body.resolver).resolveSignIn(with: assertion).user
      var response = try signedIn(user).response(from: request, context: context)
      let old = request.cookies[browserCookie]?.value
      // If that fails, as after a recovery code, the user is signed in all the same.
      if body.remember == true, let token = try? await browsers.remember(for: user, replacing: old) {
        response.setCookie(
          Cookie(name: browserCookie, value: token, maxAge: 30 * 86_400, path: "/", secure: true, sameSite: .strict))
      }
      return response
    }
  }

  /// The user of a request's handle. It reads the store: what was revoked on another machine has ended here.
  private func user(_ request: Request) async throws -> User {
    let words = (request.headers[.authorization] ?? "").split(separator: " ")
    return try await auth.user(from: words.count == 2 && words[0] == "Bearer" ? String(words[1]) : "")
  }

  /// The same, for a change: a factor was verified in the last five minutes, if one is enrolled.
  private func userForChange(_ request: Request) async throws -> User {
    let user = try await user(request)
    do { try await user.requireSecondFactor(within: .seconds(300)) } catch let error as AuthError
      where error.code == .multiFactorInfoNotFound
    {}
    return user
  }

  /// A handle is valid for an hour; `User.reload(with:)` extends it.
  private func signedIn(_ user: User) throws -> [String: String] {
    ["token": try user.token(), "user": user.uid, "secondFactor": user.claims.secondFactor ?? ""]
  }
}

/// The events of this process, as Prometheus reads them. REPLACE THIS if your server has an exporter for swift-metrics,
/// with which `EventLog` counts them, and measures sign-ins too.
final class EventCounts: Sendable {
  /// Each kind is there from the beginning, since Prometheus sees no increase in what begins with 1.
  private let counts = Mutex(
    Dictionary(uniqueKeysWithValues: AuditEvent.Kind.allCases.map { (EventCounts.labels($0), 0) }))

  func record(_ event: AuditEvent) {
    let labels = Self.labels(event.kind, event.reason?.rawValue ?? "none", event.factorID ?? "none")
    counts.withLock { $0[labels, default: 0] += 1 }
  }

  private static func labels(_ kind: AuditEvent.Kind, _ reason: String = "none", _ factor: String = "none") -> String {
    #"{event="\#(kind.rawValue)",reason="\#(reason)",factor="\#(factor)"}"#
  }

  var text: String {
    let lines = counts.withLock { $0.map { "otp_multifactor_events_total\($0) \($1)\n" } }
    return "# TYPE otp_multifactor_events_total counter\n" + lines.sorted().joined()
  }
}

/// Browsers accept this name only over TLS, and send it only to this host.
private let browserCookie = "__Host-browser"

extension MultiFactorInfo {
  fileprivate var fields: [String: String] { ["uid": uid, "kind": factorID, "name": displayName ?? ""] }
}

extension AuthError: @retroactive HTTPResponseError {
  private struct Content: Encodable {
    let message: String, resolver: String?, factors: [[String: String]]?, recoveryCodes: [Int]?
  }

  /// A table in the article *Sign in, enroll, unenroll* has them.
  public var status: HTTPResponse.Status { HTTPResponse.Status(code: httpStatus) }

  /// As Hummingbird's own errors; after `secondFactorRequired`, with what the client needs to continue.
  public func response(from request: Request, context: some RequestContext) throws -> Response {
    let content = Content(
      message: "\(code)", resolver: try resolver?.token(), factors: resolver?.hints.map(\.fields),
      recoveryCodes: resolver?.recoveryCodeNumbers)
    var response = try ["error": content].response(from: request, context: context)
    response.status = status
    response.headers[.retryAfter] = retryAfterSeconds().map(String.init)
    if status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
    return response
  }
}

private struct APIContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// In bytes. A token has at most 4,096.
  var maxUploadSize: Int { 16 << 10 }

  init(source: ApplicationRequestContextSource) { coreContext = CoreRequestContextStorage(source: source) }
}
