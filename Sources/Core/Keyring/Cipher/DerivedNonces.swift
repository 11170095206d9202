internal import COTPSupport
import OTP

/// The nonces of what a key seals, each derived from what it is for: *The format of a record* says from what, and why
/// that is sound. Nothing depends on the random generator once this was made.
///
/// Timing: depends only on lengths.
struct DerivedNonces: Sendable {
  private let key: HMACKey

  /// Prepares nonces for what a cipher seals, with a drawn value that stays secret.
  init(for cipher: XAES256GCM, random: SecureRandom) throws(KeyringError) {
    let drawn = try random.secretBytes(32)
    let bytes = SecretBytes(capacity: 64)
    let key = try cipher.nonceKey()
    key.withBytes { key in unsafe bytes.mutableBytes.copy(key) }
    drawn.withBytes { drawn in
      unsafe UnsafeMutableBufferPointer(rebasing: bytes.mutableBytes[32...]).copy(drawn)
    }
    otp_wipe_registers()
    do throws(OTPError) {
      self.key = try bytes.withBytes { (bytes) throws(OTPError) in
        try HMACKey(OTPSecret(bytes: bytes), algorithm: .sha256)
      }
    } catch {
      throw KeyringError(.cryptographyFailed)
    }
  }

  static func nextNumber() -> (process: UInt64, count: UInt64) {
    let number = otp_next_number()
    return (number.process, number.count)
  }

  /// Writes the nonce of a message, 24 bytes.
  ///
  /// - Parameters:
  ///   - number: What no other message of this process, or of one forked from it, has.
  ///   - data: What is authenticated with the plaintext.
  func derive(
    to nonce: UnsafeMutableBufferPointer<UInt8>, number: (process: UInt64, count: UInt64) = nextNumber(),
    for plaintext: Span<UInt8>, authenticating data: Span<UInt8>
  ) throws(KeyringError) {
    do throws(OTPError) {
      try unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 384) { (memory) throws(OTPError) in
        defer { unsafe otp_wipe_inline(memory.baseAddress, memory.count) }
        let tag = unsafe UnsafeMutableBufferPointer(rebasing: memory[..<32])
        var writer = unsafe ByteWriter(borrowing: UnsafeMutableBufferPointer(rebasing: memory[32...]))
        writer.append(number.process)
        writer.append(number.count)
        writer.append(raw: data)
        writer.append(raw: plaintext)
        writer.append(UInt64(data.count))
        try writer.withBytes { (message) throws(OTPError) in
          try key.withMaterial { (key) throws(OTPError) in try unsafe key.writeTag(of: message, to: tag) }
        }
        unsafe nonce.copy(UnsafeMutableBufferPointer(rebasing: tag[..<XAES256GCM.nonceByteCount]).span)
      }
    } catch {
      throw KeyringError(.cryptographyFailed)
    }
  }
}
