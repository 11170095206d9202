import Foundation
import Keyring
import OTP

/// Why a service cannot go on.
@nonexhaustive public enum RecordServiceError: Error, Sendable, Equatable {
  case inputFailed, outputFailed
  /// A socket's path is empty or too long.
  case invalidPath
  case socketNotCreated
  /// Another process listens there.
  case socketInUse
  /// The environment has another number of sockets than one.
  case notOneSocket
  case socketFailed
}

/// A Unix socket on which clients connect.
public struct UnixSocket: Sendable {
  /// How many clients are served at once; others are refused.
  private static let maximumClientCount = 256
  /// How many seconds a client may take to read an answer.
  private static let patience = 30

  private let descriptor: Int32

  /// The socket that systemd has opened for this process; `nil` if there is none.
  ///
  /// - Throws: ``RecordServiceError/notOneSocket``.
  public static func given() throws(RecordServiceError) -> UnixSocket? {
    let environment = ProcessInfo.processInfo.environment
    guard environment["LISTEN_PID"] == String(getpid()) else { return nil }
    guard environment["LISTEN_FDS"] == "1" else { throw .notOneSocket }
    return UnixSocket(descriptor: 3)
  }

  private init(descriptor: Int32) { self.descriptor = descriptor }

  /// Creates a socket that only this user can connect to, in place of one on which no one listens any more.
  ///
  /// - Throws: ``RecordServiceError``.
  public init(path: String) throws(RecordServiceError) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let isShort = unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
      guard bytes.count < place.count else { return false }
      unsafe place.copyBytes(from: bytes)
      return true
    }
    guard isShort, !bytes.isEmpty, !bytes.contains(0) else { throw .invalidPath }
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
    let lock = unsafe open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw .socketNotCreated }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { throw .socketInUse }
    let probe = socket(AF_UNIX, kind, 0)
    // The queue of one that is busy may be full.
    _ = fcntl(probe, F_SETFL, O_NONBLOCK)
    let isServed = unsafe call(connect, probe) || errno == EAGAIN
    let isAbandoned = !isServed && errno == ECONNREFUSED
    close(probe)
    guard !isServed else { throw .socketInUse }
    var status = stat()
    if isAbandoned, unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK { unsafe unlink(path) }
    let mask = umask(0o177)
    let isBound = unsafe call(bind, descriptor)
    umask(mask)
    guard isBound, listen(descriptor, 128) == 0 else { throw .socketNotCreated }
  }

  /// Serves clients, each on a thread of its own, as long as the process lives.
  func serve(
    _ answer: @escaping @Sendable (SecretBytes, _ line: Range<Int>, _ isCut: Bool) -> [UInt8], refused: () -> Void
  ) throws(RecordServiceError) -> Never {
    let clientCount = Locked(0)
    while true {
      let client = retrying { accept(descriptor, nil, nil) }
      guard client >= 0 else {
        // The client has gone, or there are too many open files, for now.
        guard [ECONNABORTED, EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) else { throw .socketFailed }
        sleep(1)
        continue
      }
      var patience = timeval(tv_sec: Self.patience, tv_usec: 0)
      unsafe setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
      let isAdmitted = clientCount.withLock { count in
        guard count < Self.maximumClientCount else { return false }
        count += 1
        return true
      }
      let isServed =
        isAdmitted
        && Self.startThread {
          var stream = LineStream(input: client, output: client)
          _ = stream.serve(answer)
          close(client)
          clientCount.withLock { $0 -= 1 }
        }
      if !isServed {
        // A new connection has room for it.
        _ = LineStream.send(Array("{\"error\":\"busy\"}\n".utf8), to: client)
        close(client)
        if isAdmitted { clientCount.withLock { $0 -= 1 } }
        refused()
      }
    }
  }

  /// Starts a thread, unless there may be no other one: Foundation's would not say so.
  private static func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    unsafe pthread_attr_setstacksize(&attributes, 1 << 19)
    let work = unsafe Unmanaged.passRetained(ThreadBody(run: body))
    #if canImport(Darwin)
    var thread: pthread_t?
    #else
    var thread = pthread_t()
    #endif
    let isStarted = unsafe pthread_create(&thread, &attributes, { unsafe ThreadBody.run($0) }, work.toOpaque()) == 0
    if !isStarted { unsafe work.release() }
    return isStarted
  }
}

/// What a thread does.
private final class ThreadBody {
  private let run: @Sendable () -> Void

  init(run: @escaping @Sendable () -> Void) { self.run = run }

  /// As a thread's function: of a retained one.
  @unsafe static func run(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let body = unsafe body { unsafe Unmanaged<ThreadBody>.fromOpaque(body).takeRetainedValue().run() }
    return nil
  }
}
