import COpenSSL
import Foundation
import NIOPosix

/// A stored password: hashed by scrypt (RFC 7914) with its own salt.
struct PasswordHash: Sendable, Codable {
  /// 2^15 blocks of 8 · 128 bytes, three times: each guess costs 32 MiB and the time to fill it.
  private static let (cost, blockSize, parallelization) = (UInt64(1) << 15, UInt64(8), UInt64(3))
  private static let largestMemory: UInt64 = 64 << 20

  private let salt: [UInt8]
  private let hash: [UInt8]

  /// Compared with the password if the user does not exist, so that the response takes as long.
  static let decoy = PasswordHash(salt: [UInt8](repeating: 0, count: 16), hash: [UInt8](repeating: 0, count: 32))

  private init(salt: [UInt8], hash: [UInt8]) {
    self.salt = salt
    self.hash = hash
  }

  /// Hashes a new password.
  init(_ password: String) async throws {
    salt = Random.bytes(16)
    hash = try await Self.hash(password, salt: salt)
  }

  /// Whether a password has this hash.
  func matches(_ password: String) async throws -> Bool {
    let other = try await Self.hash(password, salt: salt)
    return unsafe CRYPTO_memcmp(hash, other, hash.count) == 0
  }

  /// Runs on a thread for blocking work, since it would hold up other requests.
  private static func hash(_ password: String, salt: [UInt8]) async throws -> [UInt8] {
    try await NIOThreadPool.singleton.runIfActive {
      var hash = [UInt8](repeating: 0, count: 32)
      // Normalized, since keyboards differ in how they encode a character (SP 800-63B-4, section 3.1.1.2).
      var password = password.precomposedStringWithCompatibilityMapping
      let status = password.withUTF8 { text in
        unsafe text.withMemoryRebound(to: CChar.self) { text in
          unsafe EVP_PBE_scrypt(
            text.baseAddress, text.count, salt, salt.count, cost, blockSize, parallelization, largestMemory, &hash,
            hash.count)
        }
      }
      guard status == 1 else { throw CocoaError(.featureUnsupported) }
      return hash
    }
  }
}

/// The SHA-256 digest of a name or token. The site stores only the digest, so that a reader of the database cannot use
/// the name or token.
func digest(of name: String) -> Data {
  var digest = [UInt8](repeating: 0, count: 32)
  var name = name
  let status = name.withUTF8 { text in
    unsafe EVP_Digest(text.baseAddress, text.count, &digest, nil, EVP_sha256(), nil)
  }
  precondition(status == 1, "libcrypto has no SHA-256")
  return Data(digest)
}

/// Names and tokens that cannot be guessed.
enum Random {
  static func bytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// A token of 256 bits, for a URL or a cookie.
  static func token() -> String {
    Data(bytes(32)).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}
