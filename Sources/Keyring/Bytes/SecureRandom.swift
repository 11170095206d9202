internal import COTPSupport
import OTP

/// Where random bytes come from: one function, so that a test can let it fail.
@safe package struct SecureRandom: Sendable {
  /// Fills memory with random bytes; false if it cannot.
  package let fill: @Sendable (UnsafeMutableRawBufferPointer) -> Bool

  /// OpenSSL's private generator, which notices a fork and has no fallback.
  package static let system = unsafe SecureRandom { bytes in
    unsafe otp_random_private(bytes.baseAddress, bytes.count) == 1
  }

  /// Randomness from elsewhere.
  package init(fill: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Bool) { unsafe self.fill = fill }

  /// Random bytes that are not a secret: a name.
  package func bytes(_ count: Int) throws(KeyringError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: max(count, 0))
    let isFilled = unsafe bytes.withUnsafeMutableBytes { bytes in unsafe bytes.isEmpty || fill(bytes) }
    guard isFilled else { throw KeyringError(.randomnessUnavailable) }
    return bytes
  }

  /// Random bytes in memory that is wiped: a key.
  package func secretBytes(_ count: Int) throws(KeyringError) -> SecretBytes {
    let bytes = SecretBytes(capacity: max(count, 0))
    defer { otp_wipe_stack(Int(OTP_LIBRARY_STACK_BYTES)) }
    guard unsafe count <= 0 || fill(UnsafeMutableRawBufferPointer(bytes.mutableBytes)) else {
      throw KeyringError(.randomnessUnavailable)
    }
    return bytes
  }

  /// This many decimal digits, each as likely as any other.
  package func digits(_ count: Int) throws(KeyringError) -> String {
    var text = ""
    // Six bytes of 256 are drawn again, so that a round fails with a chance of 1 in 42. A source of which 64 rounds give
    // nothing is broken.
    var emptyRounds = 0
    while text.utf8.count < count {
      guard emptyRounds < 64 else { throw KeyringError(.randomnessUnavailable) }
      let missing = count - text.utf8.count
      let drawn = try secretBytes(missing)
      drawn.withBytes { drawn in
        // 250 is the largest multiple of 10 that a byte can be below.
        for index in drawn.indices where drawn[index] < 250 {
          text.unicodeScalars.append(Unicode.Scalar(UInt8(ascii: "0") + drawn[index] % 10))
        }
      }
      emptyRounds = count - text.utf8.count == missing ? emptyRounds + 1 : 0
    }
    return text
  }

  /// A random name of `2 * byteCount` hexadecimal digits.
  package func hexName(byteCount: Int) throws(KeyringError) -> String {
    let bytes = try bytes(byteCount)
    return bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}
