import OTP

/// HMAC, HOTP and TOTP transcribed from RFC 2104, RFC 4226 and RFC 6238 on top of ``ReferenceHash``.
enum ReferenceOTP {
  /// RFC 2104, section 2.
  static func hmac(_ hash: ReferenceHash, key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    var padded = key.count > hash.blockByteCount ? hash(key) : key
    padded += [UInt8](repeating: 0, count: hash.blockByteCount - padded.count)
    return hash(padded.map { $0 ^ 0x5C } + hash(padded.map { $0 ^ 0x36 } + message))
  }

  /// RFC 4226, section 5.3, step 2.
  static func truncate(_ tag: [UInt8]) -> UInt32 {
    let offset = Int(tag[tag.count - 1] & 0xF)
    return tag[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
  }

  /// RFC 4226, section 5.3.
  static func code(_ algorithm: HashAlgorithm, secret: [UInt8], counter: UInt64, digits: Int) -> String {
    let message = (0..<8).map { UInt8(truncatingIfNeeded: counter >> UInt64(56 - 8 * $0)) }
    let value = truncate(hmac(algorithm.reference, key: secret, message))
    let text = String(value)
    return String((String(repeating: "0", count: 8) + text).suffix(digits))
  }

  /// RFC 6238, section 4.2, in integers wide enough for any difference. `nil` before t0.
  static func step(at time: Int64, period: Int64, t0: Int64) -> UInt64? {
    let elapsed = Int128(time) - Int128(t0)
    return elapsed < 0 ? nil : UInt64(elapsed / Int128(period))
  }
}

extension HashAlgorithm {
  /// The tests' own implementation of the hash function.
  var reference: ReferenceHash {
    switch self {
    case .sha1: .sha1
    case .sha256: .sha256
    case .sha512: .sha512
    }
  }
}
