import Foundation
import OTPSeeds

/// A file that is open to be read, closed when it is released.
struct InputFile: ~Copyable {
  private let descriptor: Int32

  /// Opens a file by the bytes of its path; `nil` if that fails.
  ///
  /// - Parameter waits: If the path leads to a pipe: whether to wait until another process writes to it.
  init?(_ path: PathArgument, waits: Bool = true) {
    let descriptor = retrying { unsafe open(path.cString, O_RDONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK)) }
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
  }

  private init(descriptor: Int32) { self.descriptor = descriptor }

  static var standardInput: InputFile { InputFile(descriptor: STDIN_FILENO) }

  deinit {
    if descriptor != STDIN_FILENO { close(descriptor) }
  }

  var status: FileStatus? {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? FileStatus(status) : nil
  }

  /// The file from its beginning, for as long as it is open; `nil` if that cannot be gone back to.
  func seeds() -> SeedSource? {
    lseek(descriptor, 0, SEEK_SET) == 0 ? SeedSource(descriptor: descriptor) : nil
  }

  /// Reads to the end, or to one byte more than a number of bytes; `nil` if that fails.
  func read(past count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count <= count {
      // In parts, since the end is not known.
      let capacity = min(1 << 16, count + 1 - bytes.count)
      var failed = false
      let part = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, filled in
        let result = retrying { unsafe Foundation.read(descriptor, buffer.baseAddress, capacity) }
        failed = result < 0
        filled = max(0, result)
      }
      if failed { return nil }
      if part.isEmpty { break }
      bytes += part
    }
    return bytes
  }
}

/// What the system says of a file.
struct FileStatus {
  private let mode: mode_t

  fileprivate init(_ status: stat) { mode = status.st_mode }

  /// The status of what a path leads to; `nil` if it leads to nothing, or cannot be followed.
  init?(of path: PathArgument) {
    var status = stat()
    guard unsafe stat(path.cString, &status) == 0 else { return nil }
    self.init(status)
  }

  var isRegularFile: Bool { mode & S_IFMT == S_IFREG }
  var isFolder: Bool { mode & S_IFMT == S_IFDIR }

  /// Whether users other than the owner can read or change the file.
  var isExposed: Bool { isRegularFile && mode & (S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH) != 0 }

  /// Whether everybody can replace the files in the folder. A group's folder is none of these: the group is often its
  /// owner's own.
  var isOpenToAll: Bool { isFolder && mode & S_IWOTH != 0 && mode & S_ISVTX == 0 }
}

/// Calls the system again for as long as signals interrupt it.
private func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    guard result < 0, errno == EINTR else { return result }
  }
}
