import Testing

// `@testable`, because the process decides on an operator's request once, before any key is made. Tests of the
// environment variable itself run in processes of their own.
@_spi(Diagnostics) @testable import OTP

@Suite struct BackendChoiceTests {
  @Test func `every backend that this build has passes its known-answer test`() {
    #expect(HMACBackend.evp.knownAnswerResult == .passed)
    #expect(HMACBackend.lanes.knownAnswerResult == .passed)
    #expect(HMACBackend.lanes(.portable).knownAnswerResult == .passed)
    #expect(HMACBackend.lanes(.widest).knownAnswerResult == .passed)
    for backend in HMACBackend.allCases {
      #expect([.passed, .absent].contains(backend.knownAnswerResult))
      #expect(backend.isAvailable == (backend.knownAnswerResult == .passed))
    }
  }

  @Test func `without a request the fastest available backend is used`() throws {
    #expect(try HMACBackend.choose(named: .none).get() == .lanes)
  }

  @Test func `if the lanes disagree with the reference, OpenSSL is used`() throws {
    let withoutLanes = HMACBackend.choose(named: .none) { $0 != .lanes }
    #expect(withoutLanes == .success(.midstate))
    let withEVPAlone = HMACBackend.choose(named: .none) { $0 == .evp }
    #expect(withEVPAlone == .success(.evp))
    #expect(HMACBackend.choose(named: .none) { _ in false } == .failure(OTPError(.backendUnavailable)))
    #expect(HMACBackend.choose(named: .backend(.lanes)) { $0 == .evp } == .failure(OTPError(.backendUnavailable)))
  }

  @Test(arguments: HMACBackend.allCases) func `a request is followed or refused, never ignored`(
    backend: HMACBackend
  ) throws {
    let choice = HMACBackend.choose(named: .backend(backend))
    #expect(choice == (backend.isAvailable ? .success(backend) : .failure(OTPError(.backendUnavailable))))
  }

  @Test func `a request for an unknown backend is an error`() {
    #expect(HMACBackend.choose(named: .unknown) == .failure(OTPError(.backendUnavailable)))
  }

  @Test(arguments: [
    ("", BackendRequest.none), ("evp", .backend(.evp)), ("EVP", .backend(.evp)), ("midstate", .backend(.midstate)),
    ("MidState", .backend(.midstate)), ("lanes", .backend(.lanes)), ("lanes-avx512", .backend(.lanes(.avx512))),
    ("LANES-AVX2", .backend(.lanes(.avx2))), ("lanes-sha-ni", .backend(.lanes(.shaNI))),
    ("lanes-sha-arm", .backend(.lanes(.shaARM))), ("lanes-sha512-arm", .backend(.lanes(.sha512ARM))),
    ("lanes-portable", .backend(.lanes(.portable))), ("lanes2", .unknown), ("lanes-", .unknown), (" evp", .unknown),
    ("evp ", .unknown), ("ev", .unknown),
    ("evp,midstate", .unknown), ("0", .unknown),
  ])
  func `OTP_BACKEND is a backend's name in any case`(name: String, request: BackendRequest) {
    #expect(BackendRequest(Array(name.utf8).span) == request)
  }

  @Test func `an absent backend makes no keys`() throws {
    let secret = try OTPSecret.rfc
    for backend in HMACBackend.allCases where !backend.isAvailable {
      let error = failure { () throws(OTPError) in try HMACKey(secret, algorithm: .sha1, backend: backend) }
      #expect(error?.code == .backendUnavailable)
    }
  }

  @Test func `OTP_BACKEND=evp selects evp`() async {
    await #expect(processExitsWith: .success) {
      ProcessEnvironment.requestBackend("evp")
      let hotp = try HOTP(secret: .rfc)
      let code = try hotp.code(counter: 1)
      #expect(hotp.key.backend == .evp)
      #expect(code.description == "287082")
    }
  }

  @Test func `OTP_BACKEND empty is OTP_BACKEND unset`() async {
    await #expect(processExitsWith: .success) {
      ProcessEnvironment.requestBackend("")
      let served = try HMACBackend.standard
      let expected = try HMACBackend.choose(named: .none).get()
      #expect(served == expected)
    }
  }

  @Test func `OTP_BACKEND with another name is an error for every caller that names no backend`() async {
    await #expect(processExitsWith: .success) {
      ProcessEnvironment.requestBackend("fastest")
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
