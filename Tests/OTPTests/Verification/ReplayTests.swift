import OTP
import Testing

@Suite struct ReplayTests {
  /// Pairs of steps with the same code, and times at which a window of ±5 contains both.
  private static let twins: [(first: UInt64, second: UInt64, code: String)] = [
    (2386, 2394, "709847"), (103_424, 103_427, "746629"),
  ]

  @Test(arguments: twins)
  func `if two steps of the window have the same code, the later one is used, so that the code cannot be repeated`(
    first: UInt64, second: UInt64, code: String
  ) throws {
    for backend in backends {
      let totp = try TOTP(secret: .rfc, backend: backend)
      for current in second - 5...first + 5 {
        func verify(after step: UInt64?) throws -> Verification {
          try totp.verify(code, at: Int64(current) * 30, window: .adjacent(5), after: step)
        }
        let atSecond = Verification.accepted(movingFactor: second, offset: Int(second) - Int(current))
        for after in [nil, 0, first - 1, first, second - 1] { #expect(try verify(after: after) == atSecond) }
        #expect(try verify(after: second) == .replayed)
        #expect(try verify(after: .max) == .replayed)
      }
    }
  }

  @Test func `only an acceptance counts as accepted and has a next counter`() {
    #expect(Verification.accepted(movingFactor: 5, offset: 0).isAccepted)
    #expect(Verification.accepted(movingFactor: 5, offset: 0).nextCounter == 6)
    #expect(Verification.accepted(movingFactor: .max, offset: 0).nextCounter == nil)
    #expect(!Verification.replayed.isAccepted && !Verification.rejected.isAccepted)
    #expect(Verification.replayed.nextCounter == nil && Verification.rejected.nextCounter == nil)
  }
}
