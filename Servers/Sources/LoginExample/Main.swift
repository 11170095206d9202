import ArgumentParser
import Foundation
import Hummingbird
import HummingbirdCore
import Keyring
import MultiFactor
import MultiFactorBrowsers
import MultiFactorPhone
import OTP
import SlowClients

/// An example of a complete login with second factors, on server-rendered pages.
@main
struct LoginExample: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login-example", abstract: "A website with sign-up, sign-in and second factors.")

  @Option(help: "The address to listen on.")
  var host = "127.0.0.1"

  @Option(help: "The port.")
  var port = 8080

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
    let auth = try await MultiFactorAuth(
      configuration: MultiFactorConfiguration(providerConfigs: [.totp(), try .phone()]),
      store: SiteStore.open("factors", url: store, folder: folder, isNew: false), keyring: Keyring(file: keys),
      externalFactors: [PhoneFactor(sender: PrintedMessages())])
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
      })
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
    func post(_ path: RouterPath, _ step: @escaping Site.Step) {
      router.post(path) { try await site.respond($0, $1, step) }
    }
    get("/", Site.home)
    get("/sign-up", Site.signUpPage)
    post("/sign-up", Site.signUp)
    get("/verify", Site.verifyPage)
    post("/verify", Site.verify)
    get("/sign-in", Site.signInPage)
    post("/sign-in", Site.signIn)
    get("/second-factor", Site.secondFactorPage)
    post("/second-factor", Site.secondFactor)
    post("/second-factor/message", Site.sendMessage)
    get("/recovery", Site.recoveryPage)
    post("/recovery", Site.recovery)
    get("/account", Site.accountPage)
    get("/factors/add", Site.addPage)
    post("/factors/add", Site.add)
    get("/phones/add", Site.phonePage)
    post("/phones/add", Site.sendToNewPhone)
    get("/phones/code", Site.phoneCodePage)
    post("/phones/code", Site.addPhone)
    get("/factors/remove", Site.removalPage)
    post("/factors/remove", Site.remove)
    get("/recovery-codes", Site.renewalPage)
    post("/recovery-codes", Site.newCodes)
    post("/browsers/forget", Site.forgetBrowser)
    get("/sensitive", Site.sensitivePage)
    post("/sign-out", Site.signOut)
    post("/sign-out-everywhere", Site.signOutEverywhere)
    for (name, type) in [("style.css", "text/css"), ("times.js", "text/javascript")] {
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
