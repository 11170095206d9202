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

  @Test func `a plan is measured after some thousands of codes, or by the self-test`() async {
    await #expect(processExitsWith: .success) {
      let secret = try OTPSecret.rfc
      func measured() -> [HashAlgorithm] {
        HashAlgorithm.allCases.filter { HMACBackend.lanes.lanePlan(for: $0)?.isMeasured == true }
      }
      // Each plan may be left as it is, if the machine is busy, but was asked for.
      func wasAskedFor(_ algorithm: HashAlgorithm) -> Bool {
        otp_once(UInt32(OTP_ONCE_PLANS) + UInt32(algorithm.kernelHash.rawValue)) { _ in 2 } == 1
      }
      let hotp = try HOTP(secret: secret)
      for _ in 0..<5000 { _ = try HMACKey(secret, algorithm: .sha1, backend: .lanes) }
      for _ in 0..<300 { _ = try hotp.verify("000000", counter: 0, lookAhead: 2) }
      #expect(measured().isEmpty)
      for backend in HMACBackend.present where backend != .lanes {
        _ = try HOTP(secret: secret, algorithm: .sha256, backend: backend).codes(counters: 0...5000)
      }
      #expect(measured().isEmpty)
      // One key, from first to last.
      for _ in 0..<1100 { _ = try hotp.verify("000000", counter: 0, lookAhead: 2) }
      #expect(measured().allSatisfy { $0 == .sha1 } && wasAskedFor(.sha1))
      let other = try HOTP(secret: secret, algorithm: .sha256)
      let request = VerificationBatch.Request(try SubmittedCode("000000", digits: .six), hotp: other, counter: 0)
      _ = VerificationBatch.verify(Array(repeating: request, count: 400))
      #expect(wasAskedFor(.sha256))
      _ = try OTPEngine.selfTest { _, _ in }
      #expect(!measured().isEmpty)
      let code = try hotp.code(counter: 1)
      #expect(code.description == "287082" && hotp.key.backend == .lanes)
    }
  }
}
