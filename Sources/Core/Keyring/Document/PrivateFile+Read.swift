internal import COTPSupport
import OTP

/// Files that only their owner may read or write.
enum PrivateFile {
  /// A file's contents, owner and group.
  struct Contents {
    let bytes: SecretBytes
    let owner: UInt32
    let group: UInt32
    let isPipe: Bool
  }

  /// Reads a file into memory that is wiped; `nil` if there is none.
  ///
  /// - Throws: `KeyringError` with `cannotRead`, `readableByOthers`, or, for a longer file, `malformed`.
  static func read(_ path: String, maximumByteCount: Int) throws(KeyringError) -> Contents? {
    // A NUL would end the path early, and a different file would be opened.
    guard !path.utf8.contains(0) else { throw KeyringError(.cannotRead) }
    let result = unsafe path.withCString { path in
      Result { () throws(KeyringError) in try unsafe read(path, maximumByteCount: maximumByteCount) }
    }
    return try result.get()
  }

  /// The same for a path that ends with a NUL.
  static func read(_ path: UnsafePointer<CChar>, maximumByteCount: Int) throws(KeyringError) -> Contents? {
    var file = otp_private_file()
    switch unsafe otp_private_file_open(path, maximumByteCount, &file) {
    case OTP_PRIVATE_FILE_OPEN: break
    case OTP_PRIVATE_FILE_UNREADABLE:
      if file.system_error == noSuchFile { return nil }
      throw KeyringError(.cannotRead, systemError: file.system_error == 0 ? nil : file.system_error)
    case OTP_PRIVATE_FILE_READABLE_BY_OTHERS: throw KeyringError(.readableByOthers)
    default: throw KeyringError(.malformed)
    }
    // One byte more than the file has, to check that it ends there.
    let bytes = SecretBytes(capacity: file.size + 1)
    let count = unsafe otp_private_file_read(&file, bytes.mutableBytes.baseAddress, bytes.byteCount)
    guard count >= 0 else { throw KeyringError(.cannotRead, systemError: file.system_error) }
    guard count < bytes.byteCount else { throw KeyringError(.malformed) }
    bytes.shrink(to: count)
    return Contents(bytes: bytes, owner: file.owner, group: file.group, isPipe: file.is_pipe)
  }

  /// Creates a file, unless there is one by the time that its contents are written. A reader never finds a part of it.
  ///
  /// - Returns: Whether it was created.
  static func create(
    _ path: UnsafePointer<CChar>, _ bytes: SecretBytes, random: SecureRandom
  ) throws(KeyringError) -> Bool {
    let suffix = ".\(try random.hexName(byteCount: randomByteCount))\(NewFile.creation.rawValue)"
    let error = bytes.withBytes { bytes in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe suffix.withCString { suffix in
          unsafe otp_private_file_create(path, suffix, bytes.baseAddress, bytes.count)
        }
      }
    }
    guard error == 0 || error == otp_private_file_exists_error() else {
      throw KeyringError(.cannotWrite, systemError: error)
    }
    return error == 0
  }

  /// What a new file beside another one is for, as the end of its name.
  enum NewFile: String, CaseIterable {
    case creation = ".new"
    case replacement = ".next"
  }

  /// The number of random bytes in a new file's name.
  static let randomByteCount = 8

  /// ENOENT, which is 2 on every system, and which Embedded Swift has no module for.
  static var noSuchFile: Int32 { 2 }
}
