internal import COTPSupport

/// A key's midstates, lent by their owner, who keeps them alive, and the plan whose kernels compute with them. A plan
/// lives as long as the process.
@unsafe package struct LanesKey {
  let plan: OpaquePointer
  let midstates: UnsafePointer<otp_midstates>

  /// The plan of an instruction set.
  ///
  /// - Throws: `OTPError` with code `backendUnavailable` if this build or CPU lacks the set.
  static func plan(
    _ set: HMACBackend.InstructionSet, _ algorithm: HashAlgorithm
  ) throws(OTPError) -> OpaquePointer {
    guard let plan = unsafe otp_lanes_plan(set.kernels, algorithm.kernelHash) else {
      throw OTPError(.backendUnavailable)
    }
    return unsafe plan
  }

  /// The bytes of an algorithm's midstates: eight words each.
  static func midstatesByteCount(_ algorithm: HashAlgorithm) -> Int { algorithm.blockByteCount }

  /// Makes a secret ready.
  ///
  /// - Parameter memory: ``midstatesByteCount(_:)`` bytes, aligned for a word, that the caller keeps and wipes.
  init(_ secret: Span<UInt8>, plan: OpaquePointer, in memory: UnsafeMutableRawPointer) {
    let midstates = unsafe memory.assumingMemoryBound(to: otp_midstates.self)
    unsafe secret.withUnsafeBufferPointer { secret in
      unsafe otp_lanes_prepare(plan, secret.baseAddress, secret.count, midstates)
    }
    unsafe self.plan = plan
    unsafe self.midstates = UnsafePointer(midstates)
  }

  /// A secret that was made ready before.
  init(plan: OpaquePointer, in memory: UnsafeRawPointer) {
    unsafe self.plan = plan
    unsafe midstates = memory.assumingMemoryBound(to: otp_midstates.self)
  }

  var algorithm: HashAlgorithm { unsafe HashAlgorithm(otp_lane_plan_hash(plan)) }

  var set: HMACBackend.InstructionSet { unsafe HMACBackend.InstructionSet(otp_lane_plan_set(plan)) }
}
