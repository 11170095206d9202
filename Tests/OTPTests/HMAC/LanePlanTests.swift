@_spi(Diagnostics) import OTP
import Testing

/// Which kernels are called for how many codes: measured where they run, or by a list.
@Suite struct LanePlanTests {
  @Test(arguments: HMACBackend.present, HashAlgorithm.allCases)
  func `each number of codes is covered, and only the last call computes more than is needed`(
    backend: HMACBackend, algorithm: HashAlgorithm
  ) throws {
    guard let plan = backend.lanePlan(for: algorithm) else { return #expect(backend == .evp) }
    #expect(plan.calls.count == 32 && plan.kernels.allSatisfy { 1...32 ~= $0.lanes })
    for (index, calls) in plan.calls.enumerated() {
      let lanes = calls.map { plan.kernels[$0].lanes }
      #expect(lanes.reduce(0, +) >= index + 1 && lanes.dropLast().reduce(0, +) < index + 1)
    }
    #expect(plan.isMeasured == plan.kernels.allSatisfy { $0.nanoseconds != nil })
    // Only the fastest combination is measured, and even that not on a machine that is too irregular.
    #expect(!plan.isMeasured || backend == .lanes)
  }

  @Test func `a key says whether its plan is the measured one`() throws {
    let secret = try OTPSecret(bytes: [UInt8](1...20))
    #expect(try HMACKey(secret, algorithm: .sha1, backend: .lanesFixed).backend == .lanesFixed)
    #expect(try HMACKey(secret, algorithm: .sha1, backend: .lanes).backend == .lanes)
  }
}
