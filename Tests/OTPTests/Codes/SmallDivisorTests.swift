import SharedFixtures
import Testing

// The divisors are not public, and a wrong quotient may show only for a value that no test's secret gives.
@testable import OTP

@Suite struct SmallDivisorTests {
  @Test(
    arguments: [
      (SmallDivisor.ten, 10), (.million, 1_000_000), (.tenMillion, 10_000_000), (.hundredMillion, 100_000_000),
    ] as [(SmallDivisor, UInt32)])
  func `the quotient computed without a division is right`(divisor: SmallDivisor, number: UInt32) {
    var random = SeededGenerator(seed: 7)
    var values = (0..<20_000).map { _ in UInt32.random(in: 0...0x7FFF_FFFF, using: &random) }
    // Around every multiple, or at least around many.
    for multiple in stride(from: 0, through: 0x7FFF_FFFF as UInt32, by: Int(number) * max(1, 2000 / Int(number))) {
      values += [multiple, multiple &- 1, multiple + 1].filter { $0 <= 0x7FFF_FFFF }.suffix(3)
      if values.count > 200_000 { break }
    }
    values += [0x7FFF_FFFF, 0x7FFF_FFFF - 0x7FFF_FFFF % number, 0x7FFF_FFFF - 0x7FFF_FFFF % number - 1]
    let wrong = values.filter { divisor.quotient(of: $0) != $0 / number || divisor.remainder(of: $0) != $0 % number }
    #expect(wrong.isEmpty)
  }
}
