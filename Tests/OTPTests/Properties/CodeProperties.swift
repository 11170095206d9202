import OTP
import SharedFixtures
import Testing

@Suite struct CodeProperties {
  @Test(arguments: 0..<6 as Range<UInt64>)
  func `codes agree with the oracle for every digit count, algorithm, period and t0`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      let secret = random.bytes(1...140)
      let (algorithm, digits) = (random.algorithm(), random.digits())
      let (period, t0, time) = (random.period(), random.chance(50) ? 0 : random.time(), random.time())
      for backend in backends {
        let totp = try TOTP(
          secret: OTPSecret(bytes: secret), algorithm: algorithm, digits: digits, period: period, t0: t0,
          backend: backend)
        guard let step = ReferenceOTP.step(at: time, period: period, t0: t0) else {
          #expect(failure { () throws(OTPError) in try totp.code(at: time) }?.code == .timeBeforeT0, "seed \(seed)")
          continue
        }
        let expected = ReferenceOTP.code(algorithm, secret: secret, counter: step, digits: digits.rawValue)
        #expect(try totp.code(at: time).description == expected, "seed \(seed)")
        #expect(try totp.code(forStep: step).description == expected, "seed \(seed)")
        #expect(try HOTP(key: totp.key, digits: digits).code(counter: step).description == expected, "seed \(seed)")
      }
    }
  }

  @Test(arguments: 10..<14 as Range<UInt64>)
  func `SubmittedCode accepts exactly what a naive predicate accepts`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var accepted = 0
    for _ in 0..<2000 {
      let digits = random.digits()
      var text: String =
        random.chance(20)
        ? random.text(0...9)
        : String((0..<Int.random(in: 5...9, using: &random)).map { _ in random.pick("0123456789") })
      if random.chance(20) {
        let place = text.index(text.startIndex, offsetBy: Int.random(in: 0...text.count, using: &random))
        text.insert(random.pick(" -+_.\0٣３e\u{301}"), at: place)
      }
      let isCode =
        text.unicodeScalars.count == digits.rawValue && text.unicodeScalars.allSatisfy { ("0"..."9").contains($0) }
      let code = try? SubmittedCode(text, digits: digits)
      #expect((code != nil) == isCode, "seed \(seed): \(text.debugDescription)")
      let ofBytes = try? SubmittedCode(utf8: Array(text.utf8).span, digits: digits)
      #expect((ofBytes != nil) == isCode, "seed \(seed): \(text.debugDescription)")
      if isCode { accepted += 1 }
    }
    #expect(accepted > 200)
  }
}
