internal import COTPSupport
import OTP

/// A source of random bytes: a function, so that a test can make it fail.
@safe package struct SecureRandom: Sendable {
  package typealias Fill = @Sendable (UnsafeMutableRawBufferPointer) -> Bool

  /// Fills memory with random bytes; false if it cannot.
  package let fill: Fill

  /// OpenSSL's private generator, which detects a fork and has no fallback.
  package static let system = unsafe SecureRandom { bytes in
    unsafe otp_random_private(bytes.baseAddress, bytes.count) == 1
  }

  /// A source that calls `fill`.
  package init(fill: @escaping Fill) { unsafe self.fill = fill }

  /// Random bytes that are not secret, such as those of a name.
  package func bytes(_ count: Int) throws(KeyringError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: max(count, 0))
    let isFilled = unsafe bytes.withUnsafeMutableBytes { bytes in unsafe bytes.isEmpty || fill(bytes) }
    guard isFilled else { throw KeyringError(.randomnessUnavailable) }
    return bytes
  }

  /// Random bytes in memory that is wiped, such as those of a key.
  package func secretBytes(_ count: Int) throws(KeyringError) -> SecretBytes {
    let bytes = SecretBytes(capacity: max(count, 0))
    defer { otp_wipe_stack(Int(OTP_LIBRARY_STACK_BYTES)) }
    guard unsafe count <= 0 || fill(UnsafeMutableRawBufferPointer(bytes.mutableBytes)) else {
      throw KeyringError(.randomnessUnavailable)
    }
    return bytes
  }

  /// This many decimal digits, each equally likely.
  package func digits(_ count: Int) throws(KeyringError) -> String {
    var text = ""
    // Six of the 256 byte values are drawn again, so a round yields nothing with a probability of at most 6 in 256. A
    // source of which 64 rounds in a row yield nothing is broken.
    var emptyRounds = 0
    while text.utf8.count < count {
      guard emptyRounds < 64 else { throw KeyringError(.randomnessUnavailable) }
      let missing = count - text.utf8.count
      let drawn = try secretBytes(missing)
      drawn.withBytes { drawn in
        // 250 is the largest multiple of 10 that is not above 256.
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
    Hexadecimal.text(try bytes(byteCount))
  }
}
