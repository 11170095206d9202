import ArgumentParser
import Foundation
import Hummingbird
import HummingbirdCore
import NIOCore
import OTP
import ServiceLifecycle
import SlowClients

/// An Auth emulator with second factors, for development and tests.
@main
struct AuthEmulator: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "auth-emulator",
    abstract: "Serves Identity Toolkit's REST API to Firebase's SDKs, including TOTP and phone second factors.",
    discussion: """
      For development and tests. It does not check signatures or authorization, stores readable passwords, and shows \
      every code and link to any caller: never use it for users.
      """)

  @Option(help: "The address to listen on.")
  var host = "127.0.0.1"

  @Option(help: "The port; 0 for any free one.")
  var port = 9099

  @Option(help: "The default project, for requests that do not name one.")
  var project = "demo-project"

  @Option(name: .customLong("import"), help: "A folder with an Auth export, from this or Google's emulator.")
  var importPath: String?

  @Option(help: "A folder to write such an export to on exit.")
  var exportOnExit: String?

  static func main() async {
    // Tasks may still be ending when the process exits.
    OTPEngine.keepLibcryptoAtExit()
    await main(nil)
  }

  func validate() throws {
    guard 0...65_535 ~= port else { throw ValidationError("A port is 0 to 65535.") }
    guard Call.isName(project) else {
      throw ValidationError("A project's name is 1 to 60 letters, digits, -, . and _.")
    }
  }

  func run() async throws {
    let emulator = try await Emulator(defaultProject: project)
    try exportOnExit.map(Export.init)?.checkIsWritable()
    if let importPath { try await Export(path: importPath).load(into: emulator) }

    let (host, project) = (host, project)
    let announce: @Sendable (Int) -> Void = { port in
      Console.print(
        """
        For development and tests only: it keeps nothing secret. Never use it for users.
        Listening at http://\(host):\(port), default project \(project)
        """)
    }
    if host == "localhost" {
      // Programs differ in which of its addresses they use.
      let second = SecondAddress(emulator: emulator, host: "::1", announce: announce)
      try await Self.application(emulator, "127.0.0.1", port, services: [second]) { second.port.yield($0) }.runService()
    } else {
      try await Self.application(emulator, host, port, onServerRunning: announce).runService()
    }

    if let exportOnExit { try await Export(path: exportOnExit).save(emulator) }
  }

  static func application(
    _ emulator: Emulator, _ host: String, _ port: Int, services: [any Service] = [],
    onServerRunning: @escaping @Sendable (_ port: Int) -> Void
  ) -> some ApplicationProtocol {
    Application(
      responder: Responder(emulator: emulator),
      server: .http1(configuration: HTTP1Channel.Configuration(additionalChannelHandlers: [SlowClients()])),
      configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: "auth-emulator"),
      services: services, onServerRunning: { onServerRunning($0.localAddress?.port ?? 0) })
  }
}

/// Serves the same emulator at a second address, at the port of the first.
struct SecondAddress: Service {
  let emulator: Emulator
  let host: String
  /// Called once it is served, or cannot be.
  let announce: @Sendable (Int) -> Void

  private let ports: AsyncStream<Int>
  /// Gets the port once the first address is served.
  let port: AsyncStream<Int>.Continuation

  init(emulator: Emulator, host: String, announce: @escaping @Sendable (Int) -> Void) {
    (self.emulator, self.host, self.announce) = (emulator, host, announce)
    (ports, port) = AsyncStream.makeStream()
  }

  func run() async throws {
    for await port in ports.cancelOnGracefulShutdown() {
      do {
        return try await AuthEmulator.application(emulator, host, port, onServerRunning: announce).run()
      } catch {
        Console.warn("it cannot listen at [\(host)]:\(port), only at the other address of localhost")
        announce(port)
      }
    }
  }
}
