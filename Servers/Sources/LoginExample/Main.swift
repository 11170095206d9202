import ArgumentParser
import Foundation
import Hummingbird
import HummingbirdCore
import Keyring
import Logging
import MultiFactor
import MultiFactorBrowsers
import MultiFactorObservability
import MultiFactorPhone
import OTP
import SlowClients

/// An example of a complete login with second factors, on server-rendered pages.
@main
struct LoginExample: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login-example", abstract: "A website with sign-up, sign-in and second factors.")

  @Option(help: "The address to listen on; by default that in the environment variable HOST.")
  var host = Environment().get("HOST") ?? "127.0.0.1"

  @Option(help: "The port; by default that in PORT.")
  var port = Environment().get("PORT", as: Int.self) ?? 8080

  @Option(help: "The folder for keys, users and second factors; it is created if it does not exist.")
  var data = "login-example-data"

  @Option(help: "A database for users and second factors, instead of files in the folder: postgres://…")
  var store: String?

  @Option(help: "The site's URL in browsers, if it is not the address above: https://example.com behind a proxy.")
  var origin: String?

  @Flag(help: "Behind a proxy: the client's address is the last one of X-Forwarded-For.")
  var behindProxy = false

  @Option(help: "The number of forms and new sessions that a client's address is allowed per minute.")
  var attempts = 20

  static func main() async {
    // Tasks may still be ending when the process exits.
    OTPEngine.keepLibcryptoAtExit()
    await main(nil)
  }

  func validate() throws {
    guard attempts >= 1 else { throw ValidationError("--attempts: at least 1.") }
  }

  func run() async throws {
    let folder = URL(fileURLWithPath: data, isDirectory: true)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])

    let keys = folder.appendingPathComponent("keyring.json").path
    // Only at the first start: later, a new store would be one without factors.
    let isNew = (try? Keyring(file: keys))?.storeID == nil
    let documents = SiteStore(
      store: try await SiteStore.open("site", url: store, folder: folder, isNew: isNew))
    // Last, since the keyring's file says from then on that nothing is new.
    if isNew {
      try await MultiFactorAuth.createStore(keyringFile: keys) {
        try await SiteStore.open("factors", url: store, folder: folder, isNew: true)
      }
    }
    var logger = Logger(label: "login-example")
    logger.logLevel = Environment().get("LOG_LEVEL").flatMap { Logger.Level(rawValue: $0) } ?? .info
    let auth = try await MultiFactorAuth(
      configuration: MultiFactorConfiguration(providerConfigs: [.totp(), try .phone()]),
      store: SiteStore.open("factors", url: store, folder: folder, isNew: false), keyring: Keyring(file: keys),
      externalFactors: [PhoneFactor(sender: PrintedMessages())],
      handlers: MultiFactorHandlers(event: EventLog(logger: logger).record))
    let site = Site(
      accounts: Accounts(store: documents), sessions: WebSessions(store: documents), auth: auth,
      browsers: try RememberedBrowsers(auth: auth), pages: try Pages(), limits: RateLimits(perMinute: attempts),
      place: Origin(origin ?? address(port)),
      isBehindProxy: behindProxy)

    let application = Application(
      router: try router(site),
      server: .http1(
        configuration: HTTP1Channel.Configuration(
          additionalChannelHandlers: [SlowClients()], idleTimeout: SlowClients.longestTime)),
      configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: nil),
      onServerRunning: { channel in
        if origin == nil, let port = channel.localAddress?.port { site.place.text = address(port) }
        PrintedMessages.write("Open \(site.origin)")
      }, logger: logger)
    try await application.runService()
  }

  /// Where it listens, as a browser writes it.
  private func address(_ port: Int) -> String {
    "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }

  private func router(_ site: Site) throws -> Router<LoginContext> {
    let router = Router(context: LoginContext.self)
    router.add(middleware: Unanswered(site: site))
    func get(_ path: RouterPath, _ step: @escaping Site.Step) {
      router.get(path) { try await site.respond($0, $1, step) }
    }
    func post(_ path: RouterPath, _ step: @escaping Site.Step, on page: Site.Step? = nil) {
      router.post(path) { try await site.respond($0, $1, step, page: page) }
    }
    func form(_ path: RouterPath, _ page: @escaping Site.Step, _ step: @escaping Site.Step) {
      get(path, page)
      post(path, step, on: page)
    }
    get("/", Site.home)
    form("/sign-up", Site.signUpPage, Site.signUp)
    form("/verify", Site.verifyPage, Site.verify)
    form("/sign-in", Site.signInPage, Site.signIn)
    form("/second-factor", Site.secondFactorPage, Site.secondFactor)
    post("/second-factor/message", Site.sendMessage, on: Site.secondFactorPage)
    form("/recovery", Site.recoveryPage, Site.recovery)
    get("/account", Site.accountPage)
    form("/factors/add", Site.addPage, Site.add)
    post("/factors/cancel", Site.cancelAdd)
    form("/phones/add", Site.phonePage, Site.sendToNewPhone)
    form("/phones/code", Site.phoneCodePage, Site.addPhone)
    form("/factors/remove", Site.removalPage, Site.remove)
    form("/recovery-codes", Site.renewalPage, Site.newCodes)
    post("/browsers/forget", Site.forgetBrowser)
    get("/sensitive", Site.sensitivePage)
    post("/sign-out", Site.signOut)
    post("/sign-out-everywhere", Site.signOutEverywhere)
    // For a balancer, which needs no session.
    let readiness = Readiness(site)
    router.get("/health") { _, _ in await readiness.isReady ? HTTPResponse.Status.ok : .serviceUnavailable }
    router.get("/health/alive") { _, _ in HTTPResponse.Status.ok }
    for (name, type) in [("style.css", "text/css"), ("pages.js", "text/javascript")] {
      let body = ByteBuffer(string: try site.pages.file(name))
      router.get("/\(name)") { _, _ in
        Response(
          status: .ok,
          headers: [
            .contentType: "\(type); charset=utf-8", .xContentTypeOptions: "nosniff", .cacheControl: "max-age=3600",
          ],
          body: ResponseBody(byteBuffer: body))
      }
    }
    return router
  }
}
