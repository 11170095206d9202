import OTP
import SharedFixtures
import Testing

@Suite struct HOTPVerificationProperties {
  @Test(arguments: 0..<4 as Range<UInt64>) func `look-ahead agrees with a naive loop`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for round in 0..<150 {
      let (hotp, counter) = (try randomHOTP(&random), random.counter())
      let lookAhead =
        random.chance(80) ? Int.random(in: 0...60, using: &random) : Int.random(in: 0...1000, using: &random)
      let distance = UInt64.random(in: 0...UInt64(lookAhead) + 3, using: &random)
      // Sometimes wraps on purpose: such a code must not match.
      let text = try hotp.code(counter: random.chance(80) ? counter &+ distance : counter &- distance).description
      var expected = Verification.rejected
      for (offset, candidate) in counters(from: counter, count: lookAhead + 1).enumerated().reversed()
      where try hotp.code(counter: candidate).description == text {
        expected = .accepted(movingFactor: candidate, offset: offset)
      }
      #expect(
        try hotp.verify(text, counter: counter, lookAhead: lookAhead) == expected, "seed \(seed), round \(round)")
    }
  }

  @Test(arguments: 10..<14 as Range<UInt64>) func `resynchronization agrees with a naive loop`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var accepted = 0
    for round in 0..<150 {
      let (hotp, counter) = (try randomHOTP(&random), random.counter())
      let lookAhead = Int.random(in: 0...80, using: &random)
      let count = Int.random(in: 2...3, using: &random)
      let start = counter &+ UInt64.random(in: 0...UInt64(lookAhead) + 2, using: &random)
      var texts = try (0..<count).map { try hotp.code(counter: start &+ UInt64($0)).description }
      if random.chance(15) { texts.swapAt(0, count - 1) }
      if random.chance(15) { texts[random.pick(texts.indices)] = texts[0] }

      let all = counters(from: counter, count: lookAhead + count)
      let codes = try all.map { try hotp.code(counter: $0).description }
      let place = (0...lookAhead).first { $0 + count <= codes.count && Array(codes[$0..<$0 + count]) == texts }
      let expected: Verification =
        if let place { .accepted(movingFactor: all[place + count - 1], offset: place + count - 1) } else { .rejected }
      if place != nil { accepted += 1 }

      let submitted = try texts.map { try SubmittedCode($0, digits: hotp.digits) }
      let third = count == 3 ? submitted[2] : nil
      #expect(
        try hotp.resynchronize(submitted[0], submitted[1], third, counter: counter, lookAhead: lookAhead) == expected,
        "seed \(seed), round \(round)")
    }
    #expect(accepted > 50)
  }

  private func randomHOTP(_ random: inout SeededGenerator) throws -> HOTP {
    try HOTP(
      secret: random.secret(), algorithm: random.algorithm(), digits: random.digits(), backend: random.pick(backends))
  }

  /// At most this many counters, and none past 2^64 - 1.
  private func counters(from first: UInt64, count: Int) -> [UInt64] {
    (0..<UInt64(count)).compactMap { distance in
      let (sum, passed) = first.addingReportingOverflow(distance)
      return passed ? nil : sum
    }
  }
}
