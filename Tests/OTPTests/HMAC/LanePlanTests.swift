import COTPSupport
import Testing

@_spi(Diagnostics) @testable import OTP

/// Which kernels are called for how many codes. Tests/Checks/lanes has what follows from a measurement.
@Suite struct LanePlanTests {
  @Test(arguments: HMACBackend.present, HashAlgorithm.allCases)
  func `each number of codes is covered, and only the last call computes more than is needed`(
    backend: HMACBackend, algorithm: HashAlgorithm
  ) throws {
    guard let plan = backend.lanePlan(for: algorithm) else { return #expect(backend == .evp) }
    #expect(plan.calls.count == 32 && plan.kernels.allSatisfy { 1...32 ~= $0.lanes })
    // A plan that was not measured relies on it.
    #expect(plan.kernels.map(\.lanes) == plan.kernels.map(\.lanes).sorted())
    for (index, calls) in plan.calls.enumerated() {
      let lanes = calls.map { plan.kernels[$0].lanes }
      #expect(lanes.reduce(0, +) >= index + 1 && lanes.dropLast().reduce(0, +) < index + 1)
    }
    #expect(plan.isMeasured == plan.kernels.allSatisfy { $0.nanoseconds != nil })
    // Only the combination is measured.
    #expect(!plan.isMeasured || backend == .lanes)
  }

  @Test func `a plan is measured after some thousands of keys, or by the self-test`() async {
    await #expect(processExitsWith: .success) {
      let secret = try OTPSecret.rfc
      func measured() -> [HashAlgorithm] {
        HashAlgorithm.allCases.filter { HMACBackend.lanes.lanePlan(for: $0)?.isMeasured == true }
      }
      for _ in 0..<1000 { _ = try HMACKey(secret, algorithm: .sha1, backend: .lanes) }
      #expect(measured().isEmpty)
      let others = HMACBackend.present.filter { $0 != .lanes }
      for backend in others {
        for _ in 0..<5000 { _ = try HMACKey(secret, algorithm: .sha256, backend: backend) }
      }
      #expect(measured().isEmpty)
      let hotp = try HOTP(secret: secret)
      for _ in 0..<5000 { _ = try HMACKey(secret, algorithm: .sha1, backend: .lanes) }
      // Each plan may be left as it is, if the machine is busy, but was asked for.
      #expect(measured().allSatisfy { $0 == .sha1 })
      #expect(otp_once(UInt32(OTP_ONCE_PLANS) + UInt32(HashAlgorithm.sha1.kernelHash.rawValue)) { _ in 2 } == 1)
      _ = try OTPEngine.selfTest { _, _ in }
      #expect(!measured().isEmpty)
      let code = try hotp.code(counter: 1)
      #expect(code.description == "287082" && hotp.key.backend == .lanes)
    }
  }
}
