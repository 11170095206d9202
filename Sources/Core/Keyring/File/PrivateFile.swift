import OTP

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

// Files are created and replaced only as a whole.
extension PrivateFile {
  /// The same for a path that is a text.
  static func create(_ path: String, _ bytes: SecretBytes, random: SecureRandom) throws(KeyringError) -> Bool {
    // A NUL would end the path early, and a different file would be created.
    guard !path.utf8.contains(0) else { throw KeyringError(.cannotWrite) }
    let result = unsafe path.withCString { path in
      Result { () throws(KeyringError) in try unsafe create(path, bytes, random: random) }
    }
    return try result.get()
  }

  /// Replaces a file as a whole, with the same owner and group.
  static func replace(
    _ path: String, _ bytes: SecretBytes, like old: Contents, random: SecureRandom
  ) throws(KeyringError) {
    // It fails before the file is another.
    let folder = try Descriptor(opening: split(path).folder, O_RDONLY | O_DIRECTORY, orThrow: .cannotWrite)
    let temporary = try writeTemporary(for: path, bytes, like: old, random: random)
    guard unsafe rename(temporary, path) == 0 else {
      let error = KeyringError(.cannotWrite, systemError: errno)
      unsafe unlink(temporary)
      throw error
    }
    // Some file systems cannot flush a folder.
    do throws(KeyringError) { try folder.synchronize() } catch  where [EINVAL, ENOTSUP].contains(error.systemError) {}
  }

  /// Removes, as far as possible, the new files that killed processes left beside an existing file: they hold keys.
  ///
  /// Files for replacement may be in use by another process, unless the caller holds the lock.
  ///
  /// - Parameter owner: The owner of these files, unless this process is.
  static func removeLeftovers(of path: String, _ kinds: [NewFile], owner: uid_t) {
    let (folder, name) = split(path)
    guard let entries = unsafe opendir(folder) else { return }
    defer { unsafe closedir(entries) }
    while let next = unsafe readdir(entries) {
      // Its length varies: the end of what is declared may not be there.
      let start = unsafe UnsafeRawPointer(next) + (MemoryLayout<dirent>.offset(of: \.d_name) ?? 0)
      let entry = unsafe String(cString: start.assumingMemoryBound(to: CChar.self))
      // Bytes, since texts with different bytes can be equal.
      let ending = entry.utf8.dropFirst(name.utf8.count + 1 + 2 * randomByteCount)
      let digits = entry.utf8.dropFirst(name.utf8.count + 1).prefix(2 * randomByteCount)
      var status = stat()
      guard entry.utf8.starts(with: "\(name).".utf8), digits.areLowerHexadecimal,
        kinds.contains(where: { kind in ending.elementsEqual(kind.rawValue.utf8) }),
        unsafe lstat(folder + entry, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        [geteuid(), owner].contains(status.st_uid)
      else { continue }
      unsafe unlink(folder + entry)
    }
  }

  /// Runs a closure under a lock on a file beside `path`, so that only one process at a time does so. The lock file is
  /// never removed: otherwise two processes could each hold a lock.
  static func withLock<R>(on path: String, _ work: () throws(KeyringError) -> R) throws(KeyringError) -> R {
    let file = try openLock(on: path)
    try file.lock()
    // The lock is released with the descriptor.
    defer { withExtendedLifetime(file) {} }
    return try work()
  }

  /// Opens or creates the lock file, and gives it to the owner of `path`; but not one that has contents or another
  /// name, and so is more than a lock.
  private static func openLock(on path: String) throws(KeyringError) -> Descriptor {
    let file = try Descriptor(opening: path + ".lock", O_RDWR | O_CREAT | O_NOFOLLOW, orThrow: .cannotWrite)
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { throw KeyringError(.cannotRead, systemError: errno) }
    if try file.isEmptyWithOneName { try file.giveTo(owner: status.st_uid, group: status.st_gid) }
    return file
  }

  /// The path without symbolic links, so that their target is replaced instead of the link.
  static func resolved(_ path: String) throws(KeyringError) -> String {
    guard let resolved = unsafe realpath(path, nil) else { throw KeyringError(.cannotRead, systemError: errno) }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// Writes a new file beside `path`, flushes it to disk, and returns its path.
  private static func writeTemporary(
    for path: String, _ bytes: SecretBytes, like old: Contents, random: SecureRandom
  ) throws(KeyringError) -> String {
    let temporary = "\(path).\(try random.hexName(byteCount: randomByteCount))\(NewFile.replacement.rawValue)"
    let file = try Descriptor(opening: temporary, O_WRONLY | O_CREAT | O_EXCL, orThrow: .cannotWrite)
    do throws(KeyringError) {
      try file.giveTo(owner: old.owner, group: old.group)
      try bytes.withBytes { (bytes) throws(KeyringError) in try file.writeAll(bytes) }
      try file.synchronize()
    } catch {
      unsafe unlink(temporary)
      throw error
    }
    return temporary
  }

  /// A path's folder, with a slash at the end, and the name in it.
  private static func split(_ path: String) -> (folder: String, name: Substring) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("./", path[...]) }
    let start = path.utf8.index(after: slash)
    return (String(path[..<start]), path[start...])
  }
}

/// An open file, closed when it is released.
private final class Descriptor {
  private let number: Int32

  /// Opens a file, or, if the flags say so, creates one that only its owner may read and write.
  init(opening path: String, _ flags: Int32, orThrow kind: KeyringError.Kind) throws(KeyringError) {
    // A NUL would end the path early, and a different file would be opened.
    guard !path.utf8.contains(0) else { throw KeyringError(kind) }
    number = try Self.retrying(orThrow: kind) { unsafe open(path, flags | O_CLOEXEC, 0o600) }
  }

  deinit { close(number) }

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

  /// Waits until what was written is on disk.
  func synchronize() throws(KeyringError) {
    _ = try Self.retrying(orThrow: .cannotWrite) { fsync(number) }
  }

  /// Waits for the lock, and holds it until the descriptor is closed.
  func lock() throws(KeyringError) {
    _ = try Self.retrying(orThrow: .cannotWrite) { flock(number, LOCK_EX) }
  }

  var isEmptyWithOneName: Bool {
    get throws(KeyringError) {
      let status = try status
      return status.st_mode & S_IFMT == S_IFREG && status.st_size == 0 && status.st_nlink == 1
    }
  }

  private var status: stat {
    get throws(KeyringError) {
      var status = stat()
      guard unsafe fstat(number, &status) == 0 else { throw KeyringError(.cannotWrite, systemError: errno) }
      return status
    }
  }

  /// Gives the file to an owner and a group, unless it already has these. Only root may give a file to any group, which
  /// does not matter here, since only the owner may use the file.
  func giveTo(owner: uid_t, group: gid_t) throws(KeyringError) {
    let status = try status
    guard status.st_uid != owner || status.st_gid != group else { return }
    do throws(KeyringError) {
      _ = try Self.retrying(orThrow: .cannotWrite) { fchown(number, owner, group) }
    } catch  where error.systemError == EPERM && status.st_uid == owner {}
  }

  /// Repeats a system call as long as signals interrupt it.
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
