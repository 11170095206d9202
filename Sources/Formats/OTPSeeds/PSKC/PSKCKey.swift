internal import CLibcrypto
internal import COTPSupport
import OTP

/// What decrypts the secrets of a container.
#if hasAttribute(nonexhaustive)  // Swift 6.2.0 to 6.2.2 lack it.
@nonexhaustive
#endif
public enum PSKCKey: Sendable {
  /// The key shared by sender and receiver: 16, 24 or 32 bytes.
  case preShared(OTPSecret)
  /// The password from which the key is derived by PBKDF2, with the container's parameters.
  case password(OTPSecret)
}

extension PSKCKey: Redacted {}

/// How a container derives a key from a password.
struct KeyDerivation {
  /// The most rounds accepted, so that a file cannot keep the machine busy for minutes.
  static let maximumIterationCount: UInt32 = 10_000_000

  var salt: [UInt8] = []
  var iterationCount: UInt32 = 0
  var keyByteCount: Int?
  var hash = HashAlgorithm.sha1

  /// Derives the key (RFC 8018, section 5.2).
  ///
  /// - Returns: `nil` if the library fails.
  func key(of password: OTPSecret, byteCount: Int) -> SecretBytes? {
    let key = SecretBytes(capacity: byteCount)
    let digest =
      switch hash {
      case .sha1: unsafe EVP_sha1()
      case .sha256: unsafe EVP_sha256()
      case .sha512: unsafe EVP_sha512()
      }
    defer { otp_wipe_stack(Int(OTP_LIBRARY_STACK_BYTES)) }
    guard let passwordCount = Int32(exactly: password.byteCount), let saltCount = Int32(exactly: salt.count),
      let rounds = Int32(exactly: iterationCount), let keyCount = Int32(exactly: byteCount)
    else { return nil }
    let isMade = password.withBytes { password in
      unsafe password.withUnsafeBytes { password in
        unsafe PKCS5_PBKDF2_HMAC(
          password.bindMemory(to: CChar.self).baseAddress, passwordCount, salt, saltCount, rounds, digest, keyCount,
          key.mutableBytes.baseAddress)
      }
    }
    return isMade == 1 ? key : nil
  }
}
