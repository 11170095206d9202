import OTP
import Testing

@Suite struct BrokenLibraryTests {
  @Test func `a library that offers nothing fails the known-answer tests, and no key is made`() async {
    await #expect(processExitsWith: .success) {
      try #require(Surroundings.offerNothing())
      let secret = try OTPSecret.rfc
      let errors = [
        failure { () throws(OTPError) in try HMACBackend.standard },
        failure { () throws(OTPError) in try HOTP(secret: secret) },
        failure { () throws(OTPError) in try HOTP(secret: secret, backend: .evp) },
        failure { () throws(OTPError) in try HOTP(secret: secret, backend: .midstate) },
      ]
      #expect(errors.allSatisfy { $0?.code == .backendUnavailable })
      #expect(HMACBackend.evp.knownAnswerResult == .failed)
      #expect(HMACBackend.midstate.knownAnswerResult != .passed)
    }
  }

  @Test func `a library that fails later gives typed errors, and keys made before go on working`() async {
    await #expect(processExitsWith: .success) {
      let secret = try OTPSecret.rfc
      let hotp = try HOTP(secret: secret, backend: .evp)
      try #require(Surroundings.offerNothing())
      let error = failure { () throws(OTPError) in try HMACKey(secret, algorithm: .sha1, backend: .evp) }
      #expect(error?.code == .cryptographyFailed)
      let code = try hotp.code(counter: 1)
      #expect(code.description == "287082")
      let verification = try hotp.verify("287082", counter: 0)
      #expect(verification.isAccepted)
    }
  }
}
