import OTP
import SharedFixtures
import Testing

@Suite struct BatchTests {
  /// Requests of every kind and form, and the outcome that a separate verifier gives for each.
  private static func mixture(seed: UInt64, count: Int, backends: [HMACBackend]) throws -> [(
    request: VerificationBatch.Request, alone: VerificationBatch.Outcome
  )] {
    var random = SeededGenerator(seed: seed)
    let keys = try (0..<24).map { index in
      let secret = try OTPSecret(bytes: random.bytes(1...140))
      return try HMACKey(
        secret, algorithm: HashAlgorithm.allCases[index % 3], backend: backends[index / 3 % backends.count])
    }
    return try (0..<count).map { _ in
      let key = random.pick(keys)
      let digits = random.digits()
      // Around 0, around 2^64, and anywhere.
      let step =
        switch random.pick(0...2) {
        case 0: UInt64(random.pick(0...12))
        case 1: UInt64.max - UInt64(random.pick(0...12))
        default: random.next()
        }
      let isTOTP = random.pick(0...1) == 0
      let behind = random.pick(0...10)
      let ahead = random.pick(0...10)
      let lookAhead = random.pick(0...9) == 0 ? random.pick(0...1000) : random.pick(0...70)
      // Mostly a code of the window.
      let distance = random.pick(0...(isTOTP ? ahead : lookAhead) + 1)
      let target = step &+ UInt64(distance)
      let right = try HOTP(key: key, digits: digits).code(counter: target)
      // Sometimes a code with another number of digits.
      let read = random.pick(0...15) == 0 ? random.digits() : digits
      let text = String(repeating: "0", count: 8) + right.description
      let code = try SubmittedCode(text.suffix(read.rawValue), digits: read)
      if isTOTP {
        // Steps of one second, so that every step up to 2^64-1 has a time.
        let totp = TOTP(key: key, digits: digits, timeStep: try TimeStep(period: 1, t0: .min))
        let time = Int64(bitPattern: step &+ UInt64(bitPattern: .min))
        let after: UInt64? = random.pick(0...2) == 0 ? nil : step &- 5 &+ UInt64(random.pick(0...10))
        let window = try VerificationWindow(behind: behind, ahead: ahead)
        return (
          .init(code, totp: totp, at: time, window: window, after: after),
          outcome { () throws(OTPError) in try totp.verify(code, at: time, window: window, after: after) }
        )
      }
      let hotp = HOTP(key: key, digits: digits)
      return (
        .init(code, hotp: hotp, counter: step, lookAhead: lookAhead),
        outcome { () throws(OTPError) in try hotp.verify(code, counter: step, lookAhead: lookAhead) }
      )
    }
  }

  private static func outcome(
    of work: () throws(OTPError) -> Verification
  ) -> VerificationBatch.Outcome {
    do throws(OTPError) { return .success(try work()) } catch { return .failure(error) }
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>) func `a batch gives the outcomes of its requests verified one by one`(
    seed: UInt64
  ) throws {
    let mixture = try BatchTests.mixture(seed: seed, count: 700, backends: backends)
    let alone = mixture.map(\.alone)
    let requests = mixture.map(\.request)
    #expect(VerificationBatch.verify(requests) == alone)
    // Batches of every size, including those too small to pack and those that fill a kernel's lanes only in part.
    for count in 1...70 {
      #expect(VerificationBatch.verify(Array(requests.prefix(count))) == Array(alone.prefix(count)))
    }
    // The mixture contains every kind of outcome.
    #expect(alone.contains { if case .success(.accepted) = $0 { true } else { false } })
    #expect(alone.contains(.success(.rejected)))
    #expect(alone.contains(.success(.replayed)))
    #expect(alone.contains(.failure(OTPError(.mismatchedDigits))))
  }

  @Test(arguments: backends) func `every backend verifies batches`(backend: HMACBackend) throws {
    let mixture = try BatchTests.mixture(seed: 99, count: 150, backends: [backend])
    #expect(VerificationBatch.verify(mixture.map(\.request)) == mixture.map(\.alone))
  }

  @Test func `an invalid request is reported at its index and the others run`() throws {
    let totp = try TOTP(secret: .rfc)
    let code = try SubmittedCode("287082")
    let short = try SubmittedCode("94287082", digits: .eight)
    let outcomes = VerificationBatch.verify([
      .init(code, totp: totp, at: 59, after: nil),
      .init(short, totp: totp, at: 59, after: nil),
      .init(code, totp: totp, at: -1, after: nil),
      .init(code, hotp: try HOTP(secret: .rfc), counter: 0, lookAhead: 1001),
      .init(code, totp: totp, at: 89, window: try VerificationWindow(behind: 1, ahead: 0), after: nil),
      .init(code, totp: totp, at: 59, after: 1),
    ])
    let codes = outcomes.map { outcome -> OTPError.Code? in
      if case .failure(let error) = outcome { error.code } else { nil }
    }
    #expect(
      codes == [nil, .mismatchedDigits, .timeBeforeT0, .invalidLookAhead, nil, nil])
    #expect(try outcomes[0].get() == .accepted(movingFactor: 1, offset: 0))
    #expect(try outcomes[4].get() == .accepted(movingFactor: 1, offset: -1))
    #expect(try outcomes[5].get() == .replayed)
  }

  @Test func `an output that is too short is an error, and nothing is written to it`() throws {
    let totp = try TOTP(secret: .rfc)
    let requests = [VerificationBatch.Request](
      repeating: .init(try SubmittedCode("287082"), totp: totp, at: 59, after: nil), count: 3)
    for room in 0...4 {
      let outcomes = [VerificationBatch.Outcome](capacity: room) { output in
        let error = failure { () throws(OTPError) in try VerificationBatch.verify(requests.span, into: &output) }
        #expect(error?.code == (room < 3 ? .outputTooShort : nil))
      }
      #expect(
        outcomes
          == [VerificationBatch.Outcome](
            repeating: .success(.accepted(movingFactor: 1, offset: 0)), count: room < 3 ? 0 : 3))
    }
  }

  @Test func `no requests give no outcomes, and outcomes are appended`() throws {
    #expect(VerificationBatch.verify([]) == [])
    let totp = try TOTP(secret: .rfc)
    let request = VerificationBatch.Request(try SubmittedCode("287082"), totp: totp, at: 59, after: nil)
    let outcomes = try [VerificationBatch.Outcome](capacity: 2) { output in
      output.append(.success(.replayed))
      try VerificationBatch.verify([request].span, into: &output)
    }
    #expect(outcomes == [.success(.replayed), .success(.accepted(movingFactor: 1, offset: 0))])
  }
}
