internal import COTPSupport

/// Which kernels a backend calls for how many codes at once.
///
/// Kernels compute 1 to 32 codes side by side, in a time that does not depend on how many of them are needed. Which one
/// is the fastest for how many codes differs between CPUs by factors, so ``HMACBackend/lanes`` times its kernels on
/// this one, once in a process (<doc:Backends>). Until then, and if the clock or the machine is too irregular for that,
/// each number of codes takes one call of the narrowest kernel that has the lanes. A plan depends on no key and no
/// code.
@_spi(Diagnostics) public struct LanePlan: Sendable, Hashable {
  /// A kernel of the plan.
  public struct Kernel: Sendable, Hashable {
    /// How many codes it computes at once, 1 to 32.
    public let lanes: Int
    /// How long a call takes here, in nanoseconds; `nil` if it was not measured.
    public let nanoseconds: Double?
  }

  /// The kernels that compete, from narrow to wide but for some.
  public let kernels: [Kernel]
  /// Whether they were timed in this process.
  public let isMeasured: Bool
  /// The calls for each number of codes up to 32, from 1: indices into ``kernels``.
  public let calls: [[Int]]
}

extension HMACBackend {
  /// The backend's plan for a hash; `nil` for ``evp``, or if this build or CPU lacks the backend. The first use tests
  /// the backend.
  @_spi(Diagnostics) public func lanePlan(for algorithm: HashAlgorithm) -> LanePlan? {
    guard case .lanes(let set) = kind, knownAnswerResult != .absent,
      let plan = unsafe otp_lanes_plan(set.kernels, algorithm.kernelHash)
    else { return nil }
    let isMeasured = unsafe otp_lanes_kernel_picoseconds(plan, 0) > 0
    let count = unsafe otp_lanes_kernel_count(plan)
    var kernels: [LanePlan.Kernel] = []
    for index in 0..<count {
      let (lanes, time) = unsafe (otp_lanes_kernel_width(plan, index), otp_lanes_kernel_picoseconds(plan, index))
      kernels.append(LanePlan.Kernel(lanes: lanes, nanoseconds: isMeasured ? Double(time) / 1000 : nil))
    }
    var calls: [[Int]] = []
    for count in 1...Int(OTP_MAX_LANES) {
      var (left, call) = (count, [Int]())
      while left > 0 {
        let kernel = unsafe otp_lanes_kernel_for(plan, left)
        call.append(kernel)
        left -= kernels[kernel].lanes
      }
      calls.append(call)
    }
    return LanePlan(kernels: kernels, isMeasured: isMeasured, calls: calls)
  }
}
