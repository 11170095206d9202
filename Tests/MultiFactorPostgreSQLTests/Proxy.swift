#if PostgreSQL
import Foundation
import Keyring
import MultiFactor
import Testing

/// A proxy between a store and its server, on its own socket, that does to the server's answers what a network can.
final class Proxy: Sendable {
  /// What happens to the server's answers.
  enum Mode: Sendable {
    case passes
    /// They do not arrive, nor do any later ones on the same connection.
    case stalls
    /// This many bytes arrive, then the connection is closed. Other connections are unaffected.
    case cuts(after: Int)
    /// They arrive this much later.
    case delays(Duration)
  }

  /// The sockets of a connection, which are closed when both of its threads have ended.
  private final class Route: Sendable {
    let (client, server): (Int32, Int32)
    init(client: Int32, server: Int32) { (self.client, self.server) = (client, server) }
    deinit {
      close(client)
      close(server)
    }
  }

  private let folder: String
  private let serverPath: String
  private let listener: Int32
  private let state = Locked(Mode.passes)
  /// How often clients have sent something: a small statement is sent at once.
  private let sent = Locked(0)
  var sentCount: Int { sent.withLock { $0 } }

  var mode: Mode {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  /// - Parameter url: The server's URL, which must begin with the folder of its socket.
  init(to url: String) throws {
    let host = try #require(url.split(separator: " ").first?.dropFirst("host=".count))
    serverPath = "\(host)/.s.PGSQL.5432"
    folder = "/tmp/otp-proxy-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    listener = try #require(Self.socket(folder + "/.s.PGSQL.5432", isServer: true))
    Thread.detachNewThread { [listener, serverPath, state, sent] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        guard let server = Self.socket(serverPath, isServer: false) else { continue }
        let route = Route(client: client, server: server)
        Thread.detachNewThread {
          withExtendedLifetime(route) {
            Self.relay(
              from: client, to: server,
              mode: {
                sent.withLock { $0 += 1 }
                return .passes
              }, cut: {})
          }
        }
        Thread.detachNewThread {
          withExtendedLifetime(route) {
            Self.relay(
              from: server, to: client, mode: { state.withLock { $0 } }, cut: { state.withLock { $0 = .passes } })
          }
        }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// A connection string for the proxy.
  func url(for url: String) -> String { "\(url) host=\(folder)" }

  private static func socket(_ path: String, isServer: Bool) -> Int32? {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let status = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe isServer ? bind(descriptor, $0, size) : connect(descriptor, $0, size)
      }
    }
    guard status == 0, !isServer || listen(descriptor, 64) == 0 else { return nil }
    return descriptor
  }

  /// Passes bytes on until one end closes, then closes the other end for writing.
  private static func relay(from source: Int32, to target: Int32, mode: () -> Mode, cut: () -> Void) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    defer { shutdown(target, Int32(SHUT_RDWR)) }
    while true {
      var count = unsafe read(source, &buffer, buffer.count)
      guard count > 0 else { return }
      var isLast = false
      switch mode() {
      case .passes: break
      case .stalls:
        // The connection stays open until its client gives up.
        while unsafe read(source, &buffer, buffer.count) > 0 {}
        return
      case .cuts(let left):
        (count, isLast) = (min(count, left), true)
        cut()
      case .delays(let pause): Thread.sleep(forTimeInterval: pause / .seconds(1))
      }
      guard unsafe count == 0 || send(target, buffer, count, Int32(MSG_NOSIGNAL)) == count else { return }
      if isLast {
        shutdown(source, Int32(SHUT_RDWR))
        return
      }
    }
  }
}
#endif
