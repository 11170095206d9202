internal import CLibcrypto
internal import COTPSupport
import OTP

/// The end of a keyring file: `"sha256":"DIGEST"}` and a newline, with the SHA-256 of all bytes before it in lower-case
/// hexadecimal.
///
/// It detects damage. It does not detect a change on purpose, since anyone who can write the file can compute it.
enum KeyringChecksum {
  /// The name of the field.
  static let field = "sha256"

  // Computed, since an array in a global would outlive the library that dlclose() unloads.
  private static var start: [UInt8] { Array(#""\#(field)":""#.utf8) }
  private static var end: [UInt8] { Array("\"}\n".utf8) }
  private static let digestByteCount = 32

  /// The end of a file that begins with `bytes`.
  ///
  /// - Throws: `KeyringError` with `cryptographyFailed`.
  static func end(of bytes: Span<UInt8>) throws(KeyringError) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: digestByteCount)
    otp_defer_forks()
    defer {
      otp_allow_forks()
      // OpenSSL wipes its copy of the last block, but not its stack.
      otp_wipe_stack(Int(OTP_LIBRARY_STACK_BYTES))
    }
    let isHashed = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe EVP_Digest(bytes.baseAddress, bytes.count, &digest, nil, EVP_sha256(), nil) == 1
    }
    guard isHashed else { throw KeyringError(.cryptographyFailed) }
    return start + Hexadecimal.encode(digest) + end
  }

  /// Checks a whole file.
  ///
  /// - Throws: `KeyringError` with `malformed` if it does not end with a checksum, `corrupt` if the checksum is wrong,
  ///   or `cryptographyFailed`.
  static func check(_ file: SecretBytes) throws(KeyringError) {
    try file.withBytes { (file) throws(KeyringError) in
      let count = file.count - (start.count + 2 * digestByteCount + end.count)
      guard count >= 0, has(start, at: count, in: file), has(end, at: file.count - end.count, in: file) else {
        throw KeyringError(.malformed)
      }
      guard try has(end(of: file.extracting(0..<count)), at: count, in: file) else { throw KeyringError(.corrupt) }
    }
  }

  /// Whether these bytes are there. They are not copied: if the file is damaged, they may be a key's.
  private static func has(_ bytes: [UInt8], at place: Int, in file: Span<UInt8>) -> Bool {
    bytes.indices.allSatisfy { file[place + $0] == bytes[$0] }
  }
}
