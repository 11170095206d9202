import OTP
import Testing

@Suite struct BrokenLibraryTests {
  @Test func `evp fails its known-answer test with a library that offers no algorithm; the others need none`() async {
    await #expect(processExitsWith: .success) {
      try #require(ProcessEnvironment.offerNothing())
      let secret = try OTPSecret.rfc
      let error = failure { () throws(OTPError) in try HOTP(secret: secret, backend: .evp) }
      #expect(error?.code == .backendUnavailable)
      #expect(HMACBackend.evp.knownAnswerResult == .failed)
      let code = try HOTP(secret: secret).code(counter: 1)
      #expect(code.description == "287082")
      let unavailable = failure { () throws(OTPError) in try OTPSecret.random() }
      #expect(unavailable?.code == .randomnessUnavailable)
    }
  }

  @Test func `a library that fails later gives typed errors, and existing keys keep working`() async {
    await #expect(processExitsWith: .success) {
      let secret = try OTPSecret.rfc
      let hotp = try HOTP(secret: secret, backend: .evp)
      try #require(ProcessEnvironment.offerNothing())
      let error = failure { () throws(OTPError) in try HMACKey(secret, algorithm: .sha1, backend: .evp) }
      #expect(error?.code == .cryptographyFailed)
      let code = try hotp.code(counter: 1)
      #expect(code.description == "287082")
      let verification = try hotp.verify("287082", counter: 0)
      #expect(verification.isAccepted)
    }
  }

  @Test func `a failed allocation is a typed error, and the key works afterward`() async {
    await #expect(processExitsWith: .success) {
      try #require(ProcessEnvironment.takeOverAllocations())
      for algorithm in HashAlgorithm.allCases { try failEachAllocation(algorithm) }
    }
  }

  // SECURITY.md relies on this for a process bound to FIPS 140.
  @Test func `only evp uses OpenSSL's providers`() async {
    await #expect(processExitsWith: .success) {
      let secret = try OTPSecret.rfc
      let others = HMACBackend.allCases.filter { $0.isAvailable && $0 != .evp }
      try #require(others.contains(.lanes))
      let codes = try HashAlgorithm.allCases.map { algorithm in
        try HOTP(secret: secret, algorithm: algorithm, backend: .evp).code(counter: 1)
      }
      try #require(ProcessEnvironment.offerNothing())
      for (algorithm, code) in zip(HashAlgorithm.allCases, codes) {
        let error = failure { () throws(OTPError) in try HMACKey(secret, algorithm: algorithm, backend: .evp) }
        #expect(error?.code == .cryptographyFailed)
        for backend in others {
          let below = try HOTP(secret: secret, algorithm: algorithm, backend: backend).code(counter: 1)
          #expect(below == code)
        }
      }
    }
  }
}

/// Fails each allocation of each use of a key in turn.
private func failEachAllocation(_ algorithm: HashAlgorithm) throws {
  let secret = try OTPSecret.rfc(for: algorithm)
  let hotp = try HOTP(secret: secret, algorithm: algorithm, backend: .evp)
  let text = try hotp.code(counter: 1).description
  let (code, next) = (try SubmittedCode(text), try SubmittedCode(hotp.code(counter: 2).description))
  let message: [UInt8] = [1, 2, 3]
  let tag = try hotp.key.tag(for: message.span)
  let uses: [() throws -> Bool] = [
    { try HOTP(secret: secret, algorithm: algorithm, backend: .evp).code(counter: 1).description == text },
    { try hotp.code(counter: 1).description == text },
    { try hotp.verify(code, counter: 0).isAccepted },
    { try hotp.resynchronize(code, next, counter: 0, lookAhead: 3).isAccepted },
    { try hotp.key.tag(for: message.span) == tag },
    { try VerificationBatch.verify([VerificationBatch.Request(code, hotp: hotp, counter: 1)])[0].get().isAccepted },
  ]
  // The first use makes a key, which always allocates. The others do with OpenSSL 3.0, and not with 3.5.
  for (index, use) in uses.enumerated() {
    var failures = 0
    let allocations = ProcessEnvironment.failEachAllocation(in: { Result(catching: use) }) { result in
      switch result {
      case .success(let isRight): #expect(isRight)
      case .failure(let error):
        #expect((error as? OTPError)?.code == .cryptographyFailed)
        failures += 1
      }
      #expect((try? hotp.code(counter: 1))?.description == text)
      #expect((try? hotp.verify(code, counter: 1))?.isAccepted == true)
    }
    #expect(allocations > 0 && failures > 0 || allocations == 0 && index > 0)
  }
}
