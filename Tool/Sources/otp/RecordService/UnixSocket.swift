/// A Unix socket on which clients connect.
struct UnixSocket {
  /// How many clients are served at once; others are refused.
  private static let maximumClientCount = 256
  /// How many seconds a client may take to read an answer.
  private static let patience = 30

  private let descriptor: Int32

  /// The socket that systemd has opened for this process; `nil` if there is none.
  static func given() throws(ToolError) -> UnixSocket? {
    guard variable("LISTEN_PID") == String(getpid()) else { return nil }
    guard variable("LISTEN_FDS") == "1" else { throw .usage("LISTEN_FDS: one socket is needed") }
    return UnixSocket(descriptor: 3)
  }

  private init(descriptor: Int32) { self.descriptor = descriptor }

  /// Creates a socket that only this user can connect to, in place of one on which no one listens any more.
  init(_ path: PathArgument) throws(ToolError) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.text.utf8)
    let isShort = unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
      guard bytes.count < place.count else { return false }
      unsafe place.copyBytes(from: bytes)
      return true
    }
    guard isShort, !bytes.isEmpty, !bytes.contains(0) else { throw .usage("--socket: the path is empty or too long") }
    #if canImport(Glibc)
    let kind = Int32(SOCK_STREAM.rawValue)
    #else
    let kind = SOCK_STREAM
    #endif
    descriptor = socket(AF_UNIX, kind, 0)
    func call(_ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ descriptor: Int32) -> Bool {
      unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          unsafe function(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
      }
    }
    // Between the probe and the listening, another service would take this one's socket for an abandoned one. The lock
    // lasts as long as the process.
    let lock = unsafe open(path.text + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw .data("--socket: the socket cannot be created") }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { throw .data("--socket: another process listens there") }
    let probe = socket(AF_UNIX, kind, 0)
    // The queue of one that is busy may be full.
    _ = fcntl(probe, F_SETFL, O_NONBLOCK)
    let isServed = unsafe call(connect, probe) || errno == EAGAIN
    let isAbandoned = !isServed && errno == ECONNREFUSED
    close(probe)
    guard !isServed else { throw .data("--socket: another process listens there") }
    if isAbandoned, FileStatus(of: path.text)?.isSocket == true { unsafe unlink(path.text) }
    let mask = umask(0o177)
    let isBound = unsafe call(bind, descriptor)
    umask(mask)
    guard isBound, listen(descriptor, 128) == 0 else { throw .data("--socket: the socket cannot be created") }
  }

  /// Serves clients, each on a thread of its own, as long as the process lives.
  func serve(_ answer: @escaping Answer) throws(ToolError) -> Never {
    let clientCount = Guarded(0)
    while true {
      let client = retrying { accept(descriptor, nil, nil) }
      guard client >= 0 else {
        // The client has gone, or there are too many open files, for now.
        guard [ECONNABORTED, EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) else {
          throw .software("the socket cannot be used")
        }
        sleep(1)
        continue
      }
      var patience = timeval(tv_sec: Self.patience, tv_usec: 0)
      unsafe setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
      guard clientCount.use({ $0 }) < Self.maximumClientCount else {
        // A new connection has room for it.
        _ = LineStream(input: client, output: client).write(#"{"error":"busy"}"#)
        close(client)
        continue
      }
      clientCount.use { $0 += 1 }
      let service = Background {
        var stream = LineStream(input: client, output: client)
        _ = unsafe stream.serve(answer)
        close(client)
        clientCount.use { $0 -= 1 }
      }
      // There may be too many threads, for now.
      while !service.start() { sleep(1) }
    }
  }
}

/// The answer to a line, or to the beginning of one that is too long.
typealias Answer = @Sendable (_ line: UnsafeMutableBufferPointer<UInt8>, _ isCut: Bool) -> String

/// What runs on a thread of its own. (With Foundation's, all of it would be linked and loaded.)
final class Background: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  /// - Returns: Whether there is a thread for it.
  func start() -> Bool {
    #if canImport(Glibc)
    var thread = pthread_t()
    #else
    var thread: pthread_t?
    #endif
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    unsafe pthread_attr_setstacksize(&attributes, 1 << 19)
    defer { unsafe pthread_attr_destroy(&attributes) }
    let work = unsafe Unmanaged.passRetained(self)
    let error = unsafe pthread_create(
      &thread, &attributes,
      { work in
        // Optional only in Glibc.
        if let work = unsafe work as UnsafeMutableRawPointer? {
          unsafe Unmanaged<Background>.fromOpaque(work).takeRetainedValue().body()
        }
        return nil
      }, work.toOpaque())
    if error != 0 { unsafe work.release() }
    return error == 0
  }
}

/// A value that one thread at a time uses.
@safe final class Guarded<Value>: @unchecked Sendable {
  private var value: Value
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init(_ value: Value) {
    self.value = value
    unsafe pthread_mutex_init(lock, nil)
  }

  deinit {
    unsafe pthread_mutex_destroy(lock)
    unsafe lock.deallocate()
  }

  func use<Result>(_ body: (inout Value) -> Result) -> Result {
    unsafe pthread_mutex_lock(lock)
    defer { unsafe pthread_mutex_unlock(lock) }
    return body(&value)
  }
}
