import Foundation

/// An open file, closed when it is released.
final class Descriptor {
  private let number: Int32

  /// Opens a file, or, where the flags say so, makes one that its owner alone may read and write.
  init(opening path: String, _ flags: Int32, orThrow kind: KeyringError.Kind) throws(KeyringError) {
    // A NUL would end the path early, and another file would be opened.
    guard !path.utf8.contains(0) else { throw KeyringError(kind) }
    number = try Self.retrying(orThrow: kind) { unsafe open(path, flags | O_CLOEXEC, 0o600) }
  }

  deinit { close(number) }

  /// What the system says of the file.
  func status(orThrow kind: KeyringError.Kind) throws(KeyringError) -> stat {
    var status = stat()
    guard unsafe fstat(number, &status) == 0 else { throw KeyringError(kind, systemError: errno) }
    return status
  }

  /// Reads until the memory is full or the file ends, and returns how much there was.
  func readAll(into bytes: UnsafeMutableBufferPointer<UInt8>) throws(KeyringError) -> Int {
    var done = 0
    while done < bytes.count {
      let part = unsafe UnsafeMutableBufferPointer(rebasing: bytes[done...])
      let count = try Self.retrying(orThrow: .cannotRead) {
        unsafe read(number, part.baseAddress, part.count)
      }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Writes all bytes.
  func writeAll(_ bytes: Span<UInt8>) throws(KeyringError) {
    var done = 0
    while done < bytes.count {
      let rest = bytes.extracting(done..<bytes.count)
      done += try unsafe rest.withUnsafeBufferPointer { (rest) throws(KeyringError) in
        try Self.retrying(orThrow: .cannotWrite) {
          unsafe write(number, rest.baseAddress, rest.count)
        }
      }
    }
  }

  /// Waits until what was written is on the disk.
  func synchronize() throws(KeyringError) {
    _ = try Self.retrying(orThrow: .cannotWrite) { fsync(number) }
  }

  /// Waits until nobody else has the lock, and takes it until the descriptor is closed.
  func lock() throws(KeyringError) {
    _ = try Self.retrying(orThrow: .cannotWrite) { flock(number, LOCK_EX) }
  }

  /// Gives the file to an owner and a group, where they are not its own already.
  func giveTo(owner: uid_t, group: gid_t) throws(KeyringError) {
    let status = try status(orThrow: .cannotWrite)
    guard status.st_uid != owner || status.st_gid != group else { return }
    _ = try Self.retrying(orThrow: .cannotWrite) { fchown(number, owner, group) }
  }

  /// Calls the system again for as long as signals interrupt it.
  private static func retrying<Result: SignedInteger>(
    orThrow kind: KeyringError.Kind, _ call: () -> Result
  ) throws(KeyringError) -> Result {
    while true {
      let result = call()
      if result >= 0 { return result }
      guard errno == EINTR else { throw KeyringError(kind, systemError: errno) }
    }
  }
}
