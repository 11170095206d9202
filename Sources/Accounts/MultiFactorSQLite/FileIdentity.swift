#if SQLite
import Foundation
import Keyring
import MultiFactor

/// Which files a store has open: the database, its write-ahead log, and the log's index.
///
/// SQLite finds the last two by name. A process that finds other files under the same names has another store, with
/// other locks, in which what was spent here is not spent. So the names must lead to the opened files for as long as
/// the store is open.
final class FileIdentity: Sendable {
  /// The path that was opened, and that of the log's index, which SQLite names after the file that it leads to.
  private let paths: [String]
  private let files: [File]
  private let log: String
  /// Whether a check has failed: a connection may then have another file open.
  private let isReplaced = Locked(false)

  private struct File: Equatable {
    let device: UInt64
    let number: UInt64
  }

  /// The files that a path leads to now.
  ///
  /// - Throws: `FactorStoreError` with `replaced` if one of them is missing.
  init(of path: String) throws(FactorStoreError) {
    let resolved = try Self.resolved(path)
    paths = [path, resolved + "-shm"]
    files = paths.compactMap(Self.file)
    log = resolved + "-wal"
    guard files.count == paths.count, Self.exists(log) else { throw FactorStoreError(.replaced) }
  }

  /// Checks that the names still lead to these files, and always have: three calls of the system.
  ///
  /// For the log, it checks only that it exists: no process makes another one while this one has the store open. Asking
  /// for its status, with its time, would make Linux write the time again, and so each commit a third slower.
  ///
  /// - Throws: `FactorStoreError` with `replaced`.
  func check() throws(FactorStoreError) {
    let isReplaced = isReplaced.withLock { isReplaced in
      isReplaced = isReplaced || !zip(paths, files).allSatisfy { Self.file($0) == $1 } || !Self.exists(log)
      return isReplaced
    }
    guard !isReplaced else { throw FactorStoreError(.replaced) }
  }

  /// Whether only the log was removed, or its index too, and no other process has made them again: then the changes in
  /// the log, which this process still has open, are all that its file lacks.
  var hasOnlyLostLog: Bool {
    Self.file(paths[0]) == files[0] && !Self.exists(log) && (Self.file(paths[1]) ?? files[1]) == files[1]
  }

  private static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  private static func file(_ path: String) -> File? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    return File(device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
  }

  private static func resolved(_ path: String) throws(FactorStoreError) -> String {
    guard let resolved = unsafe realpath(path, nil) else { throw FactorStoreError(.missing) }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }
}

// Before a file is opened.
extension FileIdentity {
  /// Whether the log and its index are there, as they are while any process has the store open.
  static func hasLog(_ path: String) -> Bool {
    guard let path = try? resolved(path) else { return false }
    return exists(path + "-wal") && exists(path + "-shm")
  }

  /// Refuses a file that can be opened by several names, with a log for each of them.
  ///
  /// - Throws: `FactorStoreError` with `severalNames` or `missing`.
  static func checkHasOneName(_ path: String) throws(FactorStoreError) {
    guard try !isMountPoint(resolved(path)) else { throw FactorStoreError(.severalNames) }
    if try nameCount(of: path) > 1 { removeNewNames(of: path) }
    guard try nameCount(of: path) == 1 else { throw FactorStoreError(.severalNames) }
  }

  private static func nameCount(of path: String) throws(FactorStoreError) -> Int {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw FactorStoreError(.missing) }
    return Int(status.st_nlink)
  }

  /// The name under which a file is written before it gets its own.
  static func newName(of path: String) -> String { "\(path).\(UUID().uuidString).new" }

  /// Removes the names that a file still has from its creation, because the process that created it was killed, or is
  /// not done yet.
  private static func removeNewNames(of path: String) {
    guard let file = file(path), let path = try? resolved(path), let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    else { return }
    let folder = String(path[...end])
    let length = newName(of: path).utf8.count - folder.utf8.count
    let start = path[path.utf8.index(after: end)...] + "."
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      guard name.utf8.count == length, name.hasPrefix(start), name.hasSuffix(".new"), self.file(folder + name) == file
      else { continue }
      unsafe unlink(folder + name)
    }
  }

  /// Whether a file is mounted by itself, as into a container. Only Linux says so.
  private static func isMountPoint(_ path: String) -> Bool {
    // The fifth field of each line is a mount point, with some characters in octal.
    let octal: [UInt8: String] = [0x09: "\\011", 0x0A: "\\012", 0x20: "\\040", 0x5C: "\\134"]
    let escaped = path.utf8.flatMap { byte in octal[byte].map { Array($0.utf8) } ?? [byte] }
    guard let mounts = FileManager.default.contents(atPath: "/proc/self/mountinfo") else { return false }
    return mounts.split(separator: 0x0A).contains { line in
      line.split(separator: 0x20, maxSplits: 5).dropFirst(4).first?.elementsEqual(escaped) ?? false
    }
  }
}
#endif
