import OTP
import Testing

@Suite struct ResynchronizationTests {
  private func codes(_ hotp: HOTP, from counter: UInt64) throws -> [SubmittedCode] {
    try (0..<3).map { try SubmittedCode(hotp.code(counter: counter &+ $0).description, digits: hotp.digits) }
  }

  @Test(arguments: backends) func `two or three consecutive codes are found anywhere in the look-ahead`(
    backend: HMACBackend
  ) throws {
    let hotp = try HOTP(secret: .rfc, digits: .eight, backend: backend)
    for ahead in [0, 1, 30, 31, 32, 99, 100] as [UInt64] {
      let codes = try codes(hotp, from: 7 + ahead)
      let offset = Int(ahead)
      #expect(
        try hotp.resynchronize(codes[0], codes[1], counter: 7)
          == .accepted(movingFactor: 8 + ahead, offset: offset + 1))
      #expect(
        try hotp.resynchronize(codes[0], codes[1], codes[2], counter: 7)
          == .accepted(movingFactor: 9 + ahead, offset: offset + 2))
      #expect(try hotp.resynchronize(codes[0], codes[1], counter: 7, lookAhead: offset).isAccepted)
      guard offset > 0 else { continue }
      #expect(try hotp.resynchronize(codes[0], codes[1], counter: 7, lookAhead: offset - 1) == .rejected)
      #expect(try hotp.resynchronize(codes[0], codes[1], codes[2], counter: 7, lookAhead: offset - 1) == .rejected)
    }
  }

  @Test(arguments: UInt64(0)...4) func `resynchronization stops at 2^64-1 without wrapping or trapping`(below: UInt64)
    throws
  {
    let hotp = try HOTP(secret: .rfc, digits: .eight)
    let counter = UInt64.max - below
    // The codes of 2^64-2, 2^64-1 and, if counters wrapped, of 0.
    let codes = try codes(hotp, from: .max - 1)
    let pair = try hotp.resynchronize(codes[0], codes[1], counter: counter, lookAhead: 1000)
    #expect(pair == (below >= 1 ? .accepted(movingFactor: .max, offset: Int(below)) : .rejected))
    #expect(pair.nextCounter == nil)
    #expect(try hotp.resynchronize(codes[1], codes[2], counter: counter, lookAhead: 1000) == .rejected)
    #expect(try hotp.resynchronize(codes[0], codes[1], codes[2], counter: counter, lookAhead: 1000) == .rejected)
  }

  @Test func `after a resynchronization, verification continues with the counter after the last code`() throws {
    let hotp = try HOTP(secret: .rfc)
    let codes = try codes(hotp, from: 60)
    let next = try #require(try hotp.resynchronize(codes[0], codes[1], codes[2], counter: 0).nextCounter)
    #expect(next == 63)
    #expect(try hotp.verify(hotp.code(counter: 63).description, counter: next, lookAhead: 0).isAccepted)
  }
}
