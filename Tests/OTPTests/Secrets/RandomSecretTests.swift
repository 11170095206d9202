import OTP
import Testing

@Suite struct RandomSecretTests {
  @Test(arguments: HashAlgorithm.allCases)
  func `a new secret is as long as the algorithm's tag, and different every time`(algorithm: HashAlgorithm) throws {
    var seen: Set<String> = []
    for _ in 0..<100 {
      let secret = try OTPSecret.random(for: algorithm)
      #expect(secret.byteCount == algorithm.tagByteCount)
      #expect(!secret.isWeak)
      seen.insert(secret.base32String())
    }
    #expect(seen.count == 100)
  }

  @Test func `a failing random source is a typed error`() async {
    await #expect(processExitsWith: .success) {
      try #require(ProcessEnvironment.offerNothing())
      for algorithm in HashAlgorithm.allCases {
        let error = failure { () throws(OTPError) in try OTPSecret.random(for: algorithm) }
        #expect(error?.code == .randomnessUnavailable)
      }
    }
  }
}
