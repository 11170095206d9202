/// A file that is open for reading, and closed when it is released.
struct InputFile: ~Copyable {
  let descriptor: Int32

  /// Opens a file; `nil` if that fails.
  ///
  /// - Parameter waits: Whether to wait, if the path is a pipe, until another process opens it for writing.
  init?(_ path: PathArgument, waits: Bool = true) {
    let descriptor = retrying { unsafe open(path.text, O_RDONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK)) }
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
  }

  private init(descriptor: Int32) { self.descriptor = descriptor }

  static var standardInput: InputFile { InputFile(descriptor: STDIN_FILENO) }

  deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

  var status: FileStatus? {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? FileStatus(status) : nil
  }

  /// Reads to the end, or one byte more than a limit; `nil` if that fails.
  func bytes(past count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count <= count {
      // In parts, because the length is not known.
      let capacity = min(1 << 16, count + 1 - bytes.count)
      var failed = false
      let part = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, filled in
        let result = retrying { unsafe read(descriptor, buffer.baseAddress, capacity) }
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

/// The status of a file.
struct FileStatus {
  private let mode: mode_t

  fileprivate init(_ status: stat) { mode = status.st_mode }

  /// The status of the file at a path; `nil` if there is none, or the path cannot be followed.
  init?(of path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  var isRegularFile: Bool { mode & S_IFMT == S_IFREG }
  var isFolder: Bool { mode & S_IFMT == S_IFDIR }

  /// Whether users other than the owner can read or change the file.
  var isExposed: Bool { isRegularFile && mode & (S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH) != 0 }

  /// Whether any user can replace the files in the folder. A group-writable folder does not count, because the group is
  /// often the owner's own.
  var isOpenToAll: Bool { isFolder && mode & S_IWOTH != 0 && mode & S_ISVTX == 0 }
}

/// Repeats a system call that is interrupted by a signal.
func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    guard result < 0, errno == EINTR else { return result }
  }
}
