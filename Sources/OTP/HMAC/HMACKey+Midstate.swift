internal import COTPKernels

/// A key as its inner and outer midstates, finished by libcrypto's bare block transforms: two a code.
///
/// Absent where OpenSSL is built without the functions that version 3 deprecates.
@safe final class MidstateKey: @unchecked Sendable {
  // Sendable because nothing writes after `init`.
  private let midstates: UnsafeMutablePointer<otp_midstates>
  private let hash: otp_hash
  private let tagByteCount: Int

  init(_ secret: OTPSecret, algorithm: HashAlgorithm) throws(OTPError) {
    unsafe midstates = .allocate(capacity: 1)
    unsafe midstates.initialize(to: otp_midstates())
    hash = algorithm.kernelHash
    tagByteCount = algorithm.tagByteCount
    let prepared = unsafe secret.withBytes { [midstates, hash] bytes in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe otp_midstate_prepare(hash, bytes.baseAddress, bytes.count, midstates)
      }
    }
    otp_wipe_stack(Int(OTP_LIBRARY_STACK_BYTES))
    guard prepared == 1 else { throw OTPError(.backendUnavailable) }
  }

  deinit {
    unsafe otp_wipe(midstates, MemoryLayout<otp_midstates>.size)
    unsafe midstates.deallocate()
  }

  func writeTag(of message: Span<UInt8>, to tag: UnsafeMutableBufferPointer<UInt8>) {
    defer { finishUse() }
    unsafe message.withUnsafeBufferPointer { message in
      unsafe otp_midstate_message_tag(
        hash, midstates, message.baseAddress, message.count, tag.baseAddress)
    }
  }

  func writeTruncatedValues(from first: UInt64, to output: UnsafeMutableBufferPointer<UInt32>) {
    defer { finishUse() }
    unsafe withTemporaryTag { tag in
      for index in output.indices {
        unsafe otp_midstate_counter_tag(
          hash, midstates, first &+ UInt64(index), tag.baseAddress)
        unsafe output[index] = DynamicTruncation.truncate(UnsafeBufferPointer(tag), byteCount: tagByteCount)
      }
    }
  }

  /// Wipes what libcrypto left on the stack, and keeps the midstates alive up to here: the pointer alone does not.
  private func finishUse() {
    otp_wipe_stack(Int(hash == OTP_HASH_SHA512 ? OTP_SHA512_STACK_BYTES : OTP_SHA256_STACK_BYTES))
    withExtendedLifetime(self) {}
  }
}
