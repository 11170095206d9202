import Foundation
import OTP

/// Files that nobody but their owner may read or write. Each function does what its caller sees whole, or throws.
enum PrivateFile {
  /// Who may have a file, and its contents.
  struct Contents {
    let bytes: SecretBytes
    let owner: uid_t
    let group: gid_t
  }

  /// Reads a file into memory that is wiped; `nil` where there is none.
  ///
  /// What is checked is the file that was opened, whatever the path leads to afterwards.
  ///
  /// - Throws: `KeyringError` with `cannotRead`, `readableByOthers`, or, for a longer file, `malformed`.
  static func read(_ path: String, maximumByteCount: Int) throws(KeyringError) -> Contents? {
    // Not to wait where the path leads to a pipe.
    let file: Descriptor
    do throws(KeyringError) {
      file = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK, orThrow: .cannotRead)
    } catch {
      if error.systemError == ENOENT { return nil }
      throw error
    }
    let status = try file.status(orThrow: .cannotRead)
    guard status.st_mode & S_IFMT == S_IFREG else { throw KeyringError(.cannotRead) }
    guard status.st_mode & (S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH) == 0 else { throw KeyringError(.readableByOthers) }
    guard status.st_size <= maximumByteCount else { throw KeyringError(.malformed) }

    // One byte more than the file has, to see that it ends there.
    let bytes = SecretBytes(capacity: Int(status.st_size) + 1)
    let count = try unsafe file.readAll(into: bytes.mutableBytes)
    guard count < bytes.byteCount else { throw KeyringError(.malformed) }
    bytes.shrink(to: count)
    return Contents(bytes: bytes, owner: status.st_uid, group: status.st_gid)
  }

  /// Makes a file, where there is none by the time that its contents are written. Whoever finds it finds all of it.
  static func create(_ path: String, _ bytes: SecretBytes, random: SecureRandom) throws(KeyringError) {
    let temporary = try writeTemporary(for: path, bytes, random: random)
    defer { unsafe unlink(temporary) }
    // Unlike a renaming, a link never replaces what another process has put there in the meantime.
    guard unsafe link(temporary, path) == 0 || errno == EEXIST else {
      throw KeyringError(.cannotWrite, systemError: errno)
    }
    try synchronizeFolder(of: path)
  }

  /// Replaces a file as a whole, and leaves it to the same owner.
  static func replace(
    _ path: String, _ bytes: SecretBytes, like old: Contents, random: SecureRandom
  ) throws(KeyringError) {
    let temporary = try writeTemporary(for: path, bytes, like: old, random: random)
    guard unsafe rename(temporary, path) == 0 else {
      let error = KeyringError(.cannotWrite, systemError: errno)
      unsafe unlink(temporary)
      throw error
    }
    try synchronizeFolder(of: path)
  }

  /// Does work on a file alone among all processes that ask by this function, by a lock on a file beside it. That file
  /// stays: to remove it would let two processes have a lock each.
  static func withLock<R>(on path: String, _ work: () throws(KeyringError) -> R) throws(KeyringError) -> R {
    let file = try Descriptor(opening: path + ".lock", O_RDWR | O_CREAT, orThrow: .cannotWrite)
    try file.lock()
    // The lock goes with the descriptor.
    defer { withExtendedLifetime(file) {} }
    return try work()
  }

  /// The path without symbolic links, so that what they lead to is replaced and not they.
  static func resolved(_ path: String) throws(KeyringError) -> String {
    guard let resolved = unsafe realpath(path, nil) else { throw KeyringError(.cannotRead, systemError: errno) }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// Writes a new file beside `path`, through to the disk, and returns its path.
  private static func writeTemporary(
    for path: String, _ bytes: SecretBytes, like old: Contents? = nil, random: SecureRandom
  ) throws(KeyringError) -> String {
    let temporary = "\(path).\(try random.hexName(byteCount: 8)).new"
    let file = try Descriptor(opening: temporary, O_WRONLY | O_CREAT | O_EXCL, orThrow: .cannotWrite)
    do throws(KeyringError) {
      if let old { try file.giveTo(owner: old.owner, group: old.group) }
      try bytes.withBytes { (bytes) throws(KeyringError) in try file.writeAll(bytes) }
      try file.synchronize()
    } catch {
      unsafe unlink(temporary)
      throw error
    }
    return temporary
  }

  /// Makes the names in a file's folder last.
  private static func synchronizeFolder(of path: String) throws(KeyringError) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    try Descriptor(opening: folder, O_RDONLY | O_DIRECTORY, orThrow: .cannotWrite).synchronize()
  }
}
