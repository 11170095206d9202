internal import COTPSupport

/// What computes with midstates: libcrypto's block transforms, or kernels of this engine's own.
@safe enum MidstateEngine: @unchecked Sendable {
  /// Two transforms a code.
  case transforms(otp_kernel_hash)
  /// Many codes a call, by the kernels of a plan (`otp_lane_plan`), which lives as long as the process.
  case lanes(OpaquePointer)

  /// The engine of a backend that has one.
  ///
  /// - Throws: `OTPError` with code `backendUnavailable` where the CPU has not the instruction set.
  init?(_ kind: HMACBackend.Kind, algorithm: HashAlgorithm) throws(OTPError) {
    switch kind {
    case .evp: return nil
    case .midstate: self = .transforms(algorithm.kernelHash)
    case .lanes(let set):
      guard let plan = unsafe otp_lanes_plan(set.kernels, algorithm.kernelHash) else {
        throw OTPError(.backendUnavailable)
      }
      self = unsafe .lanes(plan)
    }
  }

  /// Computes the midstates of a secret.
  ///
  /// - Throws: `OTPError` with code `backendUnavailable` where OpenSSL is built without its transforms.
  func prepare(_ secret: Span<UInt8>, _ midstates: UnsafeMutablePointer<otp_midstates>) throws(OTPError) {
    let isPrepared = unsafe secret.withUnsafeBufferPointer { secret in
      switch self {
      case .transforms(let hash):
        let prepared = unsafe otp_midstate_prepare(hash, secret.baseAddress, secret.count, midstates)
        otp_wipe_stack(Int(OTP_LIBRARY_STACK_BYTES))
        return prepared == 1
      case .lanes(let plan):
        unsafe otp_lanes_prepare(plan, secret.baseAddress, secret.count, midstates)
        return true
      }
    }
    guard isPrepared else { throw OTPError(.backendUnavailable) }
  }

  /// Writes the tag of a message of any length.
  func writeTag(
    of message: Span<UInt8>, _ midstates: UnsafePointer<otp_midstates>, to tag: UnsafeMutableBufferPointer<UInt8>
  ) {
    unsafe message.withUnsafeBufferPointer { message in
      switch self {
      case .transforms(let hash):
        unsafe otp_midstate_message_tag(hash, midstates, message.baseAddress, message.count, tag.baseAddress)
        MidstateEngine.wipeTransforms(of: hash)
      case .lanes(let plan):
        unsafe otp_lanes_message_tag(plan, midstates, message.baseAddress, message.count, tag.baseAddress)
      }
    }
  }

  /// Writes the truncated values of consecutive counters.
  func writeTruncatedValues(
    _ midstates: UnsafePointer<otp_midstates>, from first: UInt64, to output: UnsafeMutableBufferPointer<UInt32>
  ) {
    switch self {
    case .transforms(let hash):
      let tagByteCount = HashAlgorithm(hash).tagByteCount
      unsafe withTemporaryTag { tag in
        for index in output.indices {
          unsafe otp_midstate_counter_tag(hash, midstates, first &+ UInt64(index), tag.baseAddress)
          unsafe output[index] = DynamicTruncation.truncate(UnsafeBufferPointer(tag), byteCount: tagByteCount)
        }
      }
      MidstateEngine.wipeTransforms(of: hash)
    case .lanes(let plan):
      unsafe otp_lanes_key_values(plan, midstates, first, output.count, output.baseAddress)
    }
  }

  /// Wipes what libcrypto left on the stack.
  private static func wipeTransforms(of hash: otp_kernel_hash) {
    otp_wipe_stack(Int(hash == OTP_KERNEL_HASH_SHA512 ? OTP_SHA512_STACK_BYTES : OTP_SHA256_STACK_BYTES))
  }
}
