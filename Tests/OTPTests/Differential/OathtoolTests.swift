import OTP
import SharedFixtures
import Testing

@Suite struct OathtoolTests {
  @Test(arguments: 0..<8 as Range<UInt64>) func `TOTP codes agree with oathtool's`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for round in 0..<260 {
      let secret = random.bytes(1...100)
      let (algorithm, digits) = (random.algorithm(), random.digits())
      let period = random.chance(50) ? 30 : Int64.random(in: 1...100_000, using: &random)
      let t0 = random.chance(60) ? 0 : Int64.random(in: -1_000_000_000...2_000_000_000, using: &random)
      let time = t0 + Int64.random(in: 0...(random.chance(80) ? 4_000_000_000 : 200_000_000_000), using: &random)
      let further = random.chance(30) ? Int.random(in: 1...10, using: &random) : 0

      var arguments = ["--totp=\(algorithm.name)", "--digits=\(digits.rawValue)", "--now=@\(time)"]
      if period != 30 { arguments.append("--time-step-size=\(period)s") }
      if t0 != 0 { arguments.append("--start-time=@\(t0)") }
      if further > 0 { arguments.append("--window=\(further)") }
      let printed = try Oathtool.run(arguments + key(secret, &random))

      let totp = try TOTP(
        secret: OTPSecret(bytes: secret), algorithm: algorithm, digits: digits, period: period, t0: t0,
        backend: random.pick(backends))
      let step = try totp.timeStep.number(at: time)
      let codes = try (0...UInt64(further)).map { try totp.code(forStep: step + $0).description }
      #expect(codes == printed, "seed \(seed), round \(round): \(arguments)")
      let verification = try totp.verify(try #require(printed.first), at: time, window: .adjacent(0), after: nil)
      #expect(verification == .accepted(movingFactor: step, offset: 0), "seed \(seed), round \(round): \(arguments)")
    }
  }

  @Test(arguments: 100..<104 as Range<UInt64>) func `HOTP codes agree with oathtool's`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for round in 0..<100 {
      let secret = random.bytes(1...100)
      let digits = random.digits()
      let further = Int.random(in: 0...20, using: &random)
      // oathtool wraps to 0 after the last counter, so these counters stop before it.
      let counter = min(random.counter(), .max - UInt64(further))
      var arguments = ["--hotp", "--digits=\(digits.rawValue)", "--counter=\(counter)"]
      if further > 0 { arguments.append("--window=\(further)") }
      let printed = try Oathtool.run(arguments + key(secret, &random))

      let hotp = try HOTP(secret: OTPSecret(bytes: secret), digits: digits, backend: random.pick(backends))
      let codes = try (0...UInt64(further)).map { try hotp.code(counter: counter + $0).description }
      #expect(codes == printed, "seed \(seed), round \(round): \(arguments)")
      #expect(
        try hotp.verify(try #require(printed.first), counter: counter, lookAhead: 0)
          == .accepted(movingFactor: counter, offset: 0))
    }
  }

  /// The secret as an argument, in hexadecimal or in our base32.
  private func key(_ secret: [UInt8], _ random: inout SeededGenerator) -> [String] {
    switch Int.random(in: 0..<3, using: &random) {
    case 0: [secret.hexText]
    case 1: ["--base32", Base32.encode(secret)]
    default: ["--base32", Base32.encode(secret, padding: true).lowercased()]
    }
  }
}
