import Testing

// The one place that needs `@testable`: what the process does with an operator's request is decided before any key is
// made, and once a process. The environment itself is tested in processes of their own.
@testable import OTP

@Suite struct BackendChoiceTests {
  private static let hasMidstate = HMACBackend.midstate.knownAnswerResult != .absent

  @Test func `every backend that this build has passes its known-answer test`() {
    #expect(HMACBackend.evp.knownAnswerResult == .passed)
    #expect([.passed, .absent].contains(HMACBackend.midstate.knownAnswerResult))
    for backend in HMACBackend.allCases {
      #expect(backend.isAvailable == (backend.knownAnswerResult == .passed))
    }
  }

  @Test func `without a request the fastest backend there is serves`() throws {
    let expected: HMACBackend = BackendChoiceTests.hasMidstate ? .midstate : .evp
    #expect(try HMACBackend.choose(named: .none).get() == expected)
  }

  @Test(arguments: HMACBackend.allCases) func `a request is followed or refused, never passed over`(
    backend: HMACBackend
  ) throws {
    let choice = HMACBackend.choose(named: .backend(backend))
    #expect(choice == (backend.isAvailable ? .success(backend) : .failure(OTPError(.backendUnavailable))))
  }

  @Test func `a request for a backend that is unknown is an error`() {
    #expect(HMACBackend.choose(named: .unknown) == .failure(OTPError(.backendUnavailable)))
  }

  @Test(arguments: [
    ("", BackendRequest.none), ("evp", .backend(.evp)), ("EVP", .backend(.evp)), ("midstate", .backend(.midstate)),
    ("MidState", .backend(.midstate)), ("lanes2", .unknown), (" evp", .unknown), ("evp ", .unknown), ("ev", .unknown),
    ("evp,midstate", .unknown), ("0", .unknown),
  ])
  func `OTP_BACKEND is a backend's name in any case`(name: String, request: BackendRequest) {
    #expect(BackendRequest(Array(name.utf8).span) == request)
  }

  @Test func `a backend that is absent makes no keys`() throws {
    let secret = try OTPSecret.rfc
    for backend in HMACBackend.allCases where !backend.isAvailable {
      let error = failure { () throws(OTPError) in try HMACKey(secret, algorithm: .sha1, backend: backend) }
      #expect(error?.code == .backendUnavailable)
    }
  }

  @Test func `OTP_BACKEND=evp serves evp`() async {
    await #expect(processExitsWith: .success) {
      Surroundings.requestBackend("evp")
      let hotp = try HOTP(secret: .rfc)
      let code = try hotp.code(counter: 1)
      #expect(hotp.key.backend == .evp)
      #expect(code.description == "287082")
    }
  }

  @Test func `OTP_BACKEND empty is OTP_BACKEND unset`() async {
    await #expect(processExitsWith: .success) {
      Surroundings.requestBackend("")
      let served = try HMACBackend.standard
      let expected = try HMACBackend.choose(named: .none).get()
      #expect(served == expected)
    }
  }

  @Test func `OTP_BACKEND with another name is an error for everyone who did not name a backend`() async {
    await #expect(processExitsWith: .success) {
      Surroundings.requestBackend("fastest")
      let secret = try OTPSecret.rfc
      let errors = [
        failure { () throws(OTPError) in try HMACBackend.standard },
        failure { () throws(OTPError) in try HOTP(secret: secret) },
        failure { () throws(OTPError) in try TOTP(secret: secret) },
      ]
      #expect(errors.map(\.?.code) == [.backendUnavailable, .backendUnavailable, .backendUnavailable])
      let code = try HOTP(secret: secret, backend: .evp).code(counter: 1)
      #expect(code.description == "287082")
    }
  }
}
