internal import COTPSupport

/// A hash function for HMAC (RFC 6238, section 1.2).
@frozen public enum HashAlgorithm: Sendable, Hashable, CaseIterable {
  /// SHA-1: the only one in RFC 4226, and what nearly every authenticator app uses.
  case sha1
  /// SHA-256.
  case sha256
  /// SHA-512.
  case sha512

  /// The algorithm that a key URI's `algorithm` names: `SHA` or `SHA-`, then `1`, `256` or `512`, optionally preceded
  /// by `HMAC` or `HMAC-`, in any case.
  ///
  /// - Throws: `OTPError` with code `invalidAlgorithm` for any other name; there is no default.
  public init(name: some StringProtocol) throws(OTPError) {
    self = try withUTF8(of: name) { (name) throws(OTPError) in try HashAlgorithm(utf8Name: name) }
  }

  init(utf8Name name: Span<UInt8>) throws(OTPError) {
    for algorithm in HashAlgorithm.allCases {
      for spelling in algorithm.spellings where name.equalsIgnoringASCIICase(spelling) {
        self = algorithm
        return
      }
    }
    throw OTPError(.invalidAlgorithm)
  }

  private var spellings: [StaticString] {
    switch self {
    case .sha1: ["SHA1", "SHA-1", "HMACSHA1", "HMACSHA-1", "HMAC-SHA1", "HMAC-SHA-1"]
    case .sha256: ["SHA256", "SHA-256", "HMACSHA256", "HMACSHA-256", "HMAC-SHA256", "HMAC-SHA-256"]
    case .sha512: ["SHA512", "SHA-512", "HMACSHA512", "HMACSHA-512", "HMAC-SHA512", "HMAC-SHA-512"]
    }
  }

  /// The name in key URIs: `SHA1`, `SHA256` or `SHA512`.
  public var name: String { unsafe String(cString: properties.name) }

  /// The size of a tag in bytes: 20, 32 or 64. This is also the recommended size of a secret.
  public var tagByteCount: Int { unsafe properties.tag_bytes }

  /// The size of a block in bytes: 64, 64 or 128. A longer key is hashed first (RFC 2104, section 2).
  public var blockByteCount: Int { unsafe properties.block_bytes }

  /// The algorithm's row in the table of hashes.
  private var properties: otp_hash_properties { unsafe otp_hash_properties_of(kernelHash).pointee }

  var kernelHash: otp_kernel_hash {
    switch self {
    case .sha1: OTP_KERNEL_HASH_SHA1
    case .sha256: OTP_KERNEL_HASH_SHA256
    case .sha512: OTP_KERNEL_HASH_SHA512
    }
  }

  init(_ kernelHash: otp_kernel_hash) {
    switch kernelHash {
    case OTP_KERNEL_HASH_SHA256: self = .sha256
    case OTP_KERNEL_HASH_SHA512: self = .sha512
    default: self = .sha1
    }
  }
}
