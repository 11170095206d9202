/// Asks a server for the time, as SNTP's clients do (RFC 5905, section 14): one request, one answer.
enum NTPClient {
  struct Answer {
    /// How far this machine's clock is ahead of the server's, in seconds.
    let offset: Double
  }

  static func unreachable(_ why: String) -> ToolError {
    .software("\(why); compare this machine's time with another: 'timedatectl status' or 'chronyc tracking' shows it")
  }

  /// - Parameter server: The host, and the port if it is not 123; an IPv6 address is in brackets if it has a port.
  static func ask(_ server: String) throws(ToolError) -> Answer {
    let parsed = try? #/\[(?<address>[^\]]+)\](:(?<port>.+))?|(?<host>[^:]+)(:(?<hostPort>[^:]+))?|(?<bare>.*:.*:.*)/#
      .wholeMatch(in: server)
    guard let parsed, let host = parsed.address ?? parsed.host ?? parsed.bare else {
      throw .usage("--ntp: this is not host[:port]")
    }
    guard let socket = DatagramSocket(String(host), port: String(parsed.port ?? parsed.hostPort ?? "123")) else {
      throw unreachable("the NTP server is not found")
    }
    // Version 4, mode 3; everything else may be 0. The server returns our time of sending unread.
    var request = [UInt8](repeating: 0, count: 48)
    request[0] = 4 << 3 | 3
    let cookie = (0..<8).map { _ in UInt8.random(in: .min ... .max) }
    request.replaceSubrange(40..., with: cookie)
    let sent = Date().timeIntervalSince1970
    guard socket.send(request) else { throw unreachable("the NTP server is not reachable") }
    guard let answer = socket.receive(byteCount: 48, milliseconds: 3000), answer.count == 48 else {
      throw unreachable("the NTP server does not answer")
    }
    let received = Date().timeIntervalSince1970
    // Mode 4, synchronized, a stratum of 1 to 15, to this request, with a time.
    guard answer[0] & 7 == 4, answer[0] >> 6 != 3, 1...15 ~= answer[1], Array(answer[24..<32]) == cookie,
      answer[40..<48].contains(where: { $0 != 0 })
    else {
      throw unreachable("the NTP server has no time")
    }
    let (arrived, left) = (time(answer[32..<40], near: sent), time(answer[40..<48], near: sent))
    return Answer(offset: ((sent - arrived) + (received - left)) / 2)
  }

  /// A timestamp of 32.32 bits since 1900, in the era that is nearest to a time, as a Unix time.
  private static func time(_ bytes: ArraySlice<UInt8>, near now: Double) -> Double {
    let number = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let era = 4_294_967_296.0
    let seconds = Double(number >> 32) + Double(number & 0xFFFF_FFFF) / era - 2_208_988_800
    return seconds + ((now - seconds) / era).rounded() * era
  }
}

/// A UDP socket with one peer.
@safe private struct DatagramSocket: ~Copyable {
  private let descriptor: Int32

  init?(_ host: String, port: String) {
    var hints = unsafe addrinfo()
    #if os(Linux)
    unsafe hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
    #else
    unsafe hints.ai_socktype = SOCK_DGRAM
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host, port, &hints, &list) == 0, let first = unsafe list else { return nil }
    defer { unsafe freeaddrinfo(first) }
    let found = unsafe first.pointee
    let descriptor = unsafe socket(found.ai_family, found.ai_socktype, found.ai_protocol)
    guard descriptor >= 0 else { return nil }
    guard unsafe connect(descriptor, found.ai_addr, found.ai_addrlen) == 0 else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  func send(_ bytes: [UInt8]) -> Bool {
    unsafe bytes.withUnsafeBytes { unsafe Foundation.send(descriptor, $0.baseAddress, $0.count, 0) } == bytes.count
  }

  /// The next datagram, cut at a length; `nil` if none arrives in time.
  func receive(byteCount: Int, milliseconds: Int32) -> [UInt8]? {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    var ready: Int32
    repeat { ready = unsafe Foundation.poll(&poll, 1, milliseconds) } while ready < 0 && errno == EINTR
    guard ready == 1 else { return nil }
    var count = -1
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, filled in
      count = unsafe recv(descriptor, buffer.baseAddress, byteCount, 0)
      filled = max(0, count)
    }
    return count < 0 ? nil : bytes
  }
}
